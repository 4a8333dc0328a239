/** FNV-1a (32 bits, unsigned) of a text from a unit on: spreads ids over slots of a table. No secret and no check depends on it. */
export function hashText(text: string, from = 0): number {
  let hash = offsetBasis
  for (let at = from; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), prime)
  return hash >>> 0
}

const offsetBasis = 0x811c9dc5
const prime = 0x01000193
