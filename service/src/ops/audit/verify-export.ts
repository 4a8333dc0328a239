import { createHash, type Hash, type KeyObject } from 'node:crypto'

import { isSignedLine, parseObject, readCheckpoint } from './checkpoint.ts'
import { segmentType, type SegmentHeader } from './segment.ts'

/** The result of an offline verification of an export. */
export interface ExportReport {
  readonly segments: number
  readonly entries: number
  /** What the export covers: from the first to the last entry of each chain. */
  readonly chains: readonly { readonly chain: string; readonly fromSeq: number; readonly toSeq: number; readonly lastHash: string }[]
  /** When the heads at the beginning of the export were signed, ISO 8601. */
  readonly signedAt: string | null
  readonly findings: readonly ExportFinding[]
}

export interface ExportFinding {
  readonly line: number
  readonly what: string
}

interface Chain {
  readonly chain: string
  readonly fromSeq: number
  toSeq: number
  lastHash: string
}

interface OpenSegment {
  readonly header: SegmentHeader
  readonly line: number
  readonly sha256: Hash
  left: number
  lastSeq: number
  lastHash: string
}

/**
 * Verifies an export with the public keys alone: the signatures, that each segment has the entries that were signed, that segments of a chain follow one
 * another, and that they reach the heads that were signed when the export began. Links are HMACs, which only the service can recompute; it did so before
 * it signed, and what it found is part of the signed header.
 */
export async function verifyExport(lines: AsyncIterable<string> | Iterable<string>, keys: readonly KeyObject[]): Promise<ExportReport> {
  const findings: ExportFinding[] = []
  const chains = new Map<string, Chain>()
  let heads: ReturnType<typeof readCheckpoint> = null
  let segment: OpenSegment | null = null
  let [number, segments, entries] = [0, 0, 0]
  const add = (line: number, what: string): void => {
    if (findings.length < findingsMax) findings.push({ line, what })
  }

  for await (const line of lines) {
    number += 1
    if (line === '') continue
    if (number === 1) {
      heads = readCheckpoint(line)
      if (heads === null || !isSignedLine(keys, line)) add(1, 'it does not begin with heads that one of the keys signed')
    } else if (segment !== null && segment.left > 0) {
      entries += 1
      readEntry(segment, line)
    } else {
      if (segment !== null) endSegment(segment)
      segment = readHeader(line)
      if (segment !== null) segments += 1
    }
  }
  if (segment !== null) endSegment(segment)
  for (const { chain, seq, hash } of heads?.heads ?? []) {
    const found = chains.get(chain)
    if (found?.toSeq === seq && found.lastHash === Buffer.from(hash).toString('hex')) continue
    add(number, `chain ${chain} has to end with entry ${seq}, which was signed at the beginning; it ends with ${found?.toSeq ?? 'none'}`)
  }
  return { segments, entries, chains: [...chains.values()], signedAt: heads?.at ?? null, findings }

  function readHeader(line: string): OpenSegment | null {
    const header = parseObject(line) as SegmentHeader | null
    if (header?.type !== segmentType || !isSignedLine(keys, line)) {
      add(number, 'this is no segment that one of the keys signed')
      return null
    }
    for (const { seq, fault } of header.faults) add(number, `the service found a fault at entry ${seq} of chain ${header.chain}: ${fault}`)
    const { chain, fromSeq, toSeq, previousHash, lastHash } = header
    const known = chains.get(chain)
    if (known === undefined) chains.set(chain, { chain, fromSeq, toSeq, lastHash })
    else {
      if (known.lastHash !== previousHash || known.toSeq >= fromSeq)
        add(number, `this segment of chain ${chain} does not follow the one before it`)
      known.toSeq = toSeq
      known.lastHash = lastHash
    }
    return { header, line: number, sha256: createHash('sha256'), left: header.entries, lastSeq: fromSeq - 1, lastHash: previousHash }
  }

  function readEntry(open: OpenSegment, line: string): void {
    open.sha256.update(`${line}\n`)
    open.left -= 1
    const { chain, seq, hash } = parseObject(line) ?? {}
    if (chain !== open.header.chain || typeof seq !== 'number' || seq <= open.lastSeq) add(number, 'this entry is not in its place')
    open.lastSeq = typeof seq === 'number' ? seq : open.lastSeq
    open.lastHash = typeof hash === 'string' ? hash : ''
  }

  function endSegment({ header, line, sha256, left, lastHash }: OpenSegment): void {
    if (left > 0) add(line, `${left} entries of this segment are missing`)
    if (sha256.digest('hex') !== header.sha256) add(line, 'the entries of this segment are not those that were signed')
    else if (lastHash !== header.lastHash) add(line, 'the last entry of this segment is not the one that was signed')
  }
}

const findingsMax = 100
