import { type AuditRow, decodeAuditChanges } from '../../store/audit.ts'

import type { ChainFault } from './verify.ts'

export const segmentType = 'tessera.audit.segment/1'

/** The first line of a segment, with the signature as its last member. It binds the entries by their SHA-256. */
export interface SegmentHeader {
  readonly type: typeof segmentType
  readonly environment: string
  readonly chain: string
  readonly fromSeq: number
  readonly toSeq: number
  readonly entries: number
  /** The hash of the entry before the first one; zeros at the beginning of a chain. */
  readonly previousHash: string
  readonly lastHash: string
  /** ISO 8601. */
  readonly exportedAt: string
  /** What the service found when it recomputed the links of these entries under the audit key; empty when all are right. */
  readonly faults: readonly ChainFault[]
  /** Of the lines of the entries, each with its line end. */
  readonly sha256: string
  readonly keyId: string
}

/** One entry as a line of JSON. */
export function formatEntry(row: AuditRow): string {
  const { chain, seq, at, actor, action, merchantId, subject, version, mac, requestId, outcome, keyId, address, changes, hash } = row
  const shown = { chain, seq, at: new Date(at).toISOString(), actor, action, merchantId, subject, version, mac: toHex(mac) }
  return JSON.stringify({ ...shown, requestId, outcome, keyId, address, changes: decodeAuditChanges(changes), hash: toHex(hash) })
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
