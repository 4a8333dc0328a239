/**
 * Copies byte arrays that share their memory with others. A structured clone of a small Buffer copies the whole slab that it is part of, with the bytes
 * of other Buffers, so each such view is copied first. Returns the input itself when nothing had to be copied.
 */
export function ownBytes<T>(value: T): T {
  return own(value) as T
}

function own(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Uint8Array) return ownsItsMemory(value) ? value : new Uint8Array(value)
  if (Array.isArray(value)) {
    const owned = value.map(own)
    return owned.every((each, at) => each === value[at]) ? value : owned
  }
  const entries = value as Record<string, unknown>
  let copied: Record<string, unknown> | null = null
  for (const name in entries) {
    const before = entries[name]
    const after = own(before)
    if (after === before) continue
    copied ??= { ...entries }
    copied[name] = after
  }
  return copied ?? value
}

/** A Buffer becomes a plain Uint8Array. */
function ownsItsMemory(bytes: Uint8Array): boolean {
  return bytes.constructor === Uint8Array && bytes.byteLength === bytes.buffer.byteLength
}
