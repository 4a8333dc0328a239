import { closeSync, openSync, readSync, statSync } from 'node:fs'

/**
 * Whether a write-ahead log was damaged after it was synced. SQLite reads it up to the first frame that is not valid and says nothing of what follows, since
 * that is how a power cut ends it. But the frames of a transaction are written after the COMMIT of the one before was synced: so a damaged frame in front of
 * the frames of a later transaction is damage, and acknowledged transactions are missing. Damage of the very last transaction cannot be told from a power cut.
 *
 * Null when nothing is wrong, or there is none. A service may be writing meanwhile: a frame that is not complete yet is when it is read again. Format: sqlite.org/fileformat2.html#walformat.
 */
export function findWalDamage(databasePath: string): string | null {
  const path = `${databasePath}-wal`
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size < headerBytes + frameHeaderBytes) return null
  let damage = readFile(path, size)
  for (let again = 1; damage !== null && again < readings; again++) damage = readFile(path, size) === damage ? damage : null
  return damage
}

function readFile(path: string, size: number): string | null {
  const file = openSync(path, 'r')
  try {
    return readWal(file, size)
  } finally {
    closeSync(file)
  }
}

function readWal(file: number, size: number): string | null {
  const header = readBytes(file, 0, headerBytes)
  if (header.every((byte) => byte === 0)) return null
  const magic = header.readUInt32BE(0)
  const isBigEndian = (magic & 1) === 1
  const pageBytes = header.readUInt32BE(8)
  const sum = addToChecksum([0, 0], header.subarray(0, 24), isBigEndian)
  const isHeader = (magic & ~1) === walMagic && sum[0] === header.readUInt32BE(24) && sum[1] === header.readUInt32BE(28)
  if (!isHeader || pageBytes < minPageBytes) return 'the header of its write-ahead log is damaged'
  return scanFrames({ file, count: Math.floor((size - headerBytes) / (frameHeaderBytes + pageBytes)), pageBytes, header, sum, isBigEndian })
}

interface WalFrames {
  readonly file: number
  readonly count: number
  readonly pageBytes: number
  readonly header: Buffer
  readonly sum: Checksum
  readonly isBigEndian: boolean
}

function scanFrames({ file, count, pageBytes, header, sum: start, isBigEndian }: WalFrames): string | null {
  const salts = header.subarray(16, 24)
  let sum: Checksum = start
  let damagedAt: number | null = null
  let isCommitBehind = false
  for (let at = 0; at < count; at++) {
    const frame = readBytes(file, headerBytes + at * (frameHeaderBytes + pageBytes), frameHeaderBytes + pageBytes)
    // Frames of an earlier round of the log have other salts.
    const isOfThisRound = frame.subarray(8, 16).equals(salts)
    if (damagedAt === null) {
      sum = addToChecksum(addToChecksum(sum, frame.subarray(0, 8), isBigEndian), frame.subarray(frameHeaderBytes), isBigEndian)
      if (isOfThisRound && sum[0] === frame.readUInt32BE(16) && sum[1] === frame.readUInt32BE(20)) continue
      damagedAt = at
    } else if (isOfThisRound && isCommitBehind) {
      return `frame ${damagedAt + 1} of ${count} of its write-ahead log is damaged, and later transactions follow it`
    }
    isCommitBehind ||= isOfThisRound && frame.readUInt32BE(4) !== 0
  }
  return null
}

type Checksum = readonly [number, number]

/** Fibonacci-weighted sums of 32-bit words, as SQLite computes them. */
function addToChecksum([first, second]: Checksum, bytes: Buffer, isBigEndian: boolean): Checksum {
  let [s0, s1] = [first, second]
  for (let at = 0; at < bytes.length; at += 8) {
    s0 = (s0 + (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + s1) >>> 0
    s1 = (s1 + (isBigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + s0) >>> 0
  }
  return [s0, s1]
}

function readBytes(file: number, from: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  readSync(file, bytes, 0, length, from)
  return bytes
}

const readings = 3
const walMagic = 0x377f0682
const headerBytes = 32
const frameHeaderBytes = 24
const minPageBytes = 512
