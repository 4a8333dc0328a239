import { createHash, type KeyObject } from 'node:crypto'

import { readAuditPublicKeys } from '@tessera/vault/audit'

import { isSignedLine, parseObject } from './checkpoint.ts'
import { merchantSegmentType, type MerchantSegmentHeader } from './merchant-segment.ts'
import type { ExportFinding } from './verify-export.ts'

/** The result of an offline verification of what a merchant exported from the dashboard. */
export interface MerchantExportReport {
  readonly merchantId: string
  readonly conditions: MerchantSegmentHeader['conditions']
  readonly pages: number
  readonly entries: number
  /** When the first page was signed, ISO 8601. */
  readonly signedAt: string | null
  /** Of the oldest and the newest entry, ISO 8601; null without entries. */
  readonly from: string | null
  readonly to: string | null
  /** Pairs of entries that are neighbours in the chain, so that one has the hash of the other. Between others are entries of other merchants. */
  readonly linkedPairs: number
  /** The public keys of the file, as `tessera audit public-key` names them. */
  readonly keys: readonly string[]
  readonly findings: readonly ExportFinding[]
}

/** Whether a file begins as an export of the dashboard does. */
export function isMerchantExport(firstLine: string): boolean {
  return parseObject(firstLine)?.['type'] === merchantSegmentType
}

/**
 * Verifies the pages of an export of the dashboard: their signatures, that each has the entries that were signed, and that no page is missing between the
 * first and the last. Without keys, those that the file names itself are used, which find a change but not a file that somebody else signed.
 */
export function verifyMerchantExport(lines: readonly string[], given: readonly KeyObject[] | null): MerchantExportReport {
  const findings: ExportFinding[] = []
  const add = (line: number, what: string): void => {
    if (findings.length < findingsMax) findings.push({ line, what })
  }
  const entries: { readonly at: string; readonly hash: string; readonly previousHash: string }[] = []
  const keys = new Set<string>()
  let first: MerchantSegmentHeader | null = null
  let last: MerchantSegmentHeader | null = null
  let [pages, at] = [0, 0]
  while (at < lines.length) {
    const header = readHeader(lines[at] ?? '', given)
    if (header === null) {
      add(at + 1, 'this is no page that one of the keys signed')
      break
    }
    keys.add(formatKey(header))
    if (header.after !== (last?.next ?? null)) add(at + 1, 'this page does not follow the one before it')
    if (first !== null && !isSameList(first, header)) add(at + 1, 'this page is of another list')
    for (const hash of header.faults) add(at + 1, `the service could not link the entry with the hash ${hash} to the one before it`)
    const page = lines.slice(at + 1, at + 1 + header.entries)
    readPage(header, page, at + 1)
    ;[first, last, pages, at] = [first ?? header, header, pages + 1, at + 1 + page.length]
  }
  if (last !== null && last.next !== null && findings.length === 0)
    add(lines.length, 'the list goes on: later pages were cut off, or the export ended at its limit of 10,000 entries (export fewer days)')
  const hashes = new Set(entries.map(({ hash }) => hash))
  const times = entries.map((entry) => entry.at).sort()
  return {
    merchantId: first?.merchantId ?? '',
    conditions: first?.conditions ?? {},
    pages,
    entries: entries.length,
    signedAt: first?.exportedAt ?? null,
    from: times[0] ?? null,
    to: times.at(-1) ?? null,
    linkedPairs: entries.filter(({ previousHash }) => hashes.has(previousHash)).length,
    keys: [...keys],
    findings,
  }

  function readPage(header: MerchantSegmentHeader, page: readonly string[], line: number): void {
    if (page.length < header.entries) add(line, `${String(header.entries - page.length)} entries of this page are missing`)
    const sha256 = createHash('sha256')
      .update(page.map((each) => `${each}\n`).join(''))
      .digest('hex')
    if (sha256 !== header.sha256) add(line, 'the entries of this page are not those that were signed')
    for (const text of page) {
      const { at: time, hash, previousHash } = parseObject(text) ?? {}
      if (typeof time === 'string' && typeof hash === 'string' && typeof previousHash === 'string')
        entries.push({ at: time, hash, previousHash })
    }
  }
}

function readHeader(line: string, given: readonly KeyObject[] | null): MerchantSegmentHeader | null {
  const header = parseObject(line) as MerchantSegmentHeader | null
  if (header?.type !== merchantSegmentType || typeof header.publicKey !== 'string') return null
  return isSignedLine(given ?? readNamedKey(header.publicKey), line) ? header : null
}

function readNamedKey(pem: string): KeyObject[] {
  try {
    return readAuditPublicKeys(pem)
  } catch {
    return []
  }
}

function isSameList(one: MerchantSegmentHeader, other: MerchantSegmentHeader): boolean {
  return one.merchantId === other.merchantId && JSON.stringify(one.conditions) === JSON.stringify(other.conditions)
}

function formatKey({ keyId, publicKey }: MerchantSegmentHeader): string {
  return `${keyId} (SHA-256 ${auditKeyFingerprint(publicKey)})`
}

/** SHA-256 of the public key (subject public key info), hex: short enough to be compared on the phone. */
export function auditKeyFingerprint(pem: string): string {
  const [key] = readNamedKey(pem)
  return key === undefined
    ? 'unreadable'
    : createHash('sha256')
        .update(key.export({ type: 'spki', format: 'der' }))
        .digest('hex')
}

const findingsMax = 100
