export interface XAuth {
  /** As sent; whether it is an id at all is seen when it is looked up. */
  readonly id: string
  /** Everything after the first colon; null when there is none. */
  readonly password: string | null
}

/** Reads `<merchant id>` or `<merchant id>:<password>`, blanks around it forgiven; null when there is nothing to look up. */
export function readXAuth(header: string | null): XAuth | null {
  if (header === null || header.length > headerLengthMax) return null
  const text = header.trim()
  if (text === '') return null
  const colon = text.indexOf(':')
  return colon < 0 ? { id: text, password: null } : { id: text.slice(0, colon).trim(), password: text.slice(colon + 1) }
}

/** An id, a colon and the longest password we issue take 61 characters. */
const headerLengthMax = 256
