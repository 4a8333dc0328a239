export interface XAuth {
  /** As sent; not validated here. */
  readonly id: string
  /** Everything after the first colon; null when there is none. */
  readonly password: string | null
}

/** Parses `<merchant id>` or `<merchant id>:<password>`, ignoring surrounding whitespace; null for an empty or oversized header. */
export function readXAuth(header: string | null): XAuth | null {
  if (header === null || header.length > maxHeaderLength) return null
  const text = header.trim()
  if (text === '') return null
  const colon = text.indexOf(':')
  return colon < 0 ? { id: text, password: null } : { id: text.slice(0, colon).trim(), password: text.slice(colon + 1) }
}

/** An id, a colon and an issued password take 61 characters. */
const maxHeaderLength = 256
