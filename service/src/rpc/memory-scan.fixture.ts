import { closeSync, openSync, readFileSync, readSync } from 'node:fs'

/** Which of these numbers lie in the memory of a process, as bytes or as two-byte characters. Linux, a process of our own. */
export function findInMemory(pid: number, pans: readonly string[]): Set<string> {
  const found = new Set<string>()
  const wanted = new Set(pans)
  const head = pans[0]?.slice(0, headDigits) ?? ''
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  try {
    for (const [from, to] of readableRanges(pid))
      for (let at = from; at < to; at += pieceBytes) {
        const piece = readPiece(memory, at, Math.min(pieceBytes + overlapBytes, to - at))
        for (const encoding of ['latin1', 'utf16le'] as const)
          for (const pan of findInPiece(piece, head, encoding)) if (wanted.has(pan)) found.add(pan)
      }
    return found
  } finally {
    closeSync(memory)
  }
}

function readableRanges(pid: number): [from: number, to: number][] {
  const lines = readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')
  // The kernel's own pages cannot be read.
  const ranges = lines.filter((line) => !line.includes('[v')).map((line) => /^([0-9a-f]+)-([0-9a-f]+) r/.exec(line))
  return ranges.flatMap((range) => (range === null ? [] : [[Number.parseInt(range[1] ?? '', 16), Number.parseInt(range[2] ?? '', 16)]]))
}

function readPiece(memory: number, at: number, length: number): Buffer {
  const piece = Buffer.alloc(length)
  try {
    return piece.subarray(0, readSync(memory, piece, 0, length, at))
  } catch {
    // Reserved and never touched, or given back while we read.
    return piece.subarray(0, 0)
  }
}

function findInPiece(piece: Buffer, head: string, encoding: 'latin1' | 'utf16le'): string[] {
  const needle = Buffer.from(head, encoding)
  const length = (needle.length / headDigits) * 16
  const found: string[] = []
  for (let at = piece.indexOf(needle); at >= 0; at = piece.indexOf(needle, at + 1)) found.push(piece.toString(encoding, at, at + length))
  return found
}

const headDigits = 4
const pieceBytes = 4 * 1024 * 1024
const overlapBytes = 64
