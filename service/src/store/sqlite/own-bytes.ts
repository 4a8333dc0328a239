/**
 * Copies byte arrays that share their memory. A structured clone of a small Buffer copies the whole slab it lies in, with the bytes of other Buffers;
 * so each such view is copied first. Data that needs no copy is returned as it is.
 */
export function ownBytes<T>(plain: T): T {
  return own(plain) as T
}

function own(plain: unknown): unknown {
  if (typeof plain !== 'object' || plain === null) return plain
  if (plain instanceof Uint8Array) return ownsItsMemory(plain) ? plain : new Uint8Array(plain)
  if (Array.isArray(plain)) {
    const owned = plain.map(own)
    return owned.every((each, at) => each === plain[at]) ? plain : owned
  }
  const entries = plain as Record<string, unknown>
  let copied: Record<string, unknown> | null = null
  for (const name in entries) {
    const before = entries[name]
    const after = own(before)
    if (after !== before) copied = Object.assign(copied ?? { ...entries }, { [name]: after })
  }
  return copied ?? plain
}

/** A Buffer becomes a plain Uint8Array. */
function ownsItsMemory(bytes: Uint8Array): boolean {
  return bytes.constructor === Uint8Array && bytes.byteLength === bytes.buffer.byteLength
}
