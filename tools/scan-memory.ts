import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

/** The card numbers that are in the memory of a process, as text of one or two bytes per digit. Linux only; the process should be stopped (SIGSTOP). */
export function scanMemory(pid: number, pans: ReadonlySet<string>): Set<string> {
  const found = new Set<string>()
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  const chunk = Buffer.alloc(chunkBytes + overlap)
  try {
    for (const { from, to } of listReadable(pid)) {
      for (let at = from; at < to; at += chunkBytes) {
        const bytes = readSome(memory, chunk, at, Math.min(chunk.length, to - at))
        collect(chunk.subarray(0, bytes), pans, found)
      }
    }
  } finally {
    closeSync(memory)
  }
  return found
}

/** Finds digit runs of the length of a card number in both widths. */
export function collect(bytes: Buffer, pans: ReadonlySet<string>, found: Set<string>): void {
  collectWidth(bytes, 1, pans, found)
  collectWidth(bytes, 2, pans, found)
}

/**
 * Looks first at the last digit that a number starting here would have. Mostly it is no digit, and no number starts before it either (as in the
 * search of Boyer and Moore). In UTF-16 every other byte is zero.
 */
function collectWidth(bytes: Buffer, width: 1 | 2, pans: ReadonlySet<string>, found: Set<string>): void {
  const length = panDigits * width
  for (let offset = 0; offset < width; offset++) {
    for (let start = offset; start + length <= bytes.length;) {
      const gap = lastGap(bytes, start, width)
      if (gap === -1) {
        const text = bytes.toString(width === 1 ? 'latin1' : 'utf16le', start, start + length)
        if (pans.has(text)) found.add(text)
        start += width
      } else start = gap + width
    }
  }
}

/** The position of the last character, of sixteen from here, that is not a digit; -1 when all are digits. */
function lastGap(bytes: Buffer, start: number, width: 1 | 2): number {
  for (let at = start + (panDigits - 1) * width; at >= start; at -= width) {
    const byte = bytes[at] ?? 0
    if (byte < 0x30 || byte > 0x39 || (width === 2 && bytes[at + 1] !== 0)) return at
  }
  return -1
}

/** The kernel's own pages cannot be read. */
function listReadable(pid: number): { from: number; to: number }[] {
  const lines = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')
  return lines.flatMap((line) => {
    const [, from, to] = (line.includes('[v') ? null : /^([0-9a-f]+)-([0-9a-f]+) r/.exec(line)) ?? []
    return from === undefined || to === undefined ? [] : [{ from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) }]
  })
}

/** A page that cannot be read is device memory, or gone meanwhile. */
function readSome(memory: number, chunk: Buffer, at: number, length: number): number {
  try {
    return readSync(memory, chunk, 0, length, at)
  } catch {
    return 0
  }
}

const panDigits = 16
const chunkBytes = 4 * 1024 * 1024
/** So that a number across two chunks is found. */
const overlap = panDigits * 2
