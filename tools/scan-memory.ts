import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

/** Which of these card numbers lie in a program's memory, as text of one or of two bytes a digit. Linux, a program of ours, best while it stands still (SIGSTOP). */
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

/** Looks for digit runs of a number's length in both widths. */
export function collect(bytes: Buffer, pans: ReadonlySet<string>, found: Set<string>): void {
  collectWidth(bytes, 1, pans, found)
  collectWidth(bytes, 2, pans, found)
}

/**
 * Looks at the last digit that a number beginning here would have: mostly it is none, and no number begins before it either (as Boyer and Moore
 * search). In UTF-16 every other byte is zero.
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

/** Where the last character lies, of sixteen from here, that is no digit; -1 when all are. */
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

/** A page that cannot be read holds nothing of ours: device memory, or gone meanwhile. */
function readSome(memory: number, chunk: Buffer, at: number, length: number): number {
  try {
    return readSync(memory, chunk, 0, length, at)
  } catch {
    return 0
  }
}

const panDigits = 16
const chunkBytes = 4 * 1024 * 1024
/** So that a number across two chunks is seen. */
const overlap = panDigits * 2
