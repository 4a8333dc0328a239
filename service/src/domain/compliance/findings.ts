import type { ErrorName } from '@tessera/contract/errors'
import { readOrigin } from '@tessera/contract/origin'
import { bucketOf } from '@tessera/vault/id'

import type { Clock } from '../../clock.ts'
import { addFindings, type FindingRow, listFindings } from '../../store/findings.ts'
import type { MerchantKey } from '../../store/merchants.ts'
import type { Store } from '../../store/store.ts'
import type { CallerIdentity } from '../request-context.ts'

/** The details of a handled call that findings are derived from. */
export interface ObservedCall {
  readonly requestId: string
  readonly method: string | null
  readonly merchantId: string | null
  readonly callerKind: CallerIdentity['kind'] | null
  readonly origin: string | null
  readonly hasCardNumber: boolean
  readonly error: ErrorName | null
}

export type FindingKind = 'password_in_browser' | 'sad_sent' | 'card_out_of_place' | 'card_to_other_method' | 'card_from_server'
export type ComplianceFinding = FindingRow & { readonly kind: FindingKind }

/** Problems observed in a merchant's calls, one row per kind. Stores no values of a call and does not delay calls. */
export interface ComplianceFindings {
  /** Records a handled call. Buffered in memory until the next `runOnce`; a crash loses the buffer. */
  record(call: ObservedCall): void
  /** Writes the buffered findings. */
  runOnce(): Promise<void>
  /** Newest first; buffered findings are not included. */
  list(of: MerchantKey): Promise<ComplianceFinding[]>
}

export interface ComplianceFindingsDependencies {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Pick<Clock, 'now'>
}

export function makeComplianceFindings({ store, clock }: ComplianceFindingsDependencies): ComplianceFindings {
  let buffer = new Map<string, FindingRow>()
  return Object.freeze({ record, runOnce, list })

  function record(call: ObservedCall): void {
    const kind = kindOf(call)
    const { merchantId, callerKind, requestId } = call
    if (kind === null || merchantId === null || (callerKind !== 'server' && callerKind !== 'browser')) return
    const now = clock.now()
    const origin = callerKind === 'server' ? toStoredOrigin(call.origin) : ''
    const key = { bucket: bucketOf(merchantId), merchantId, kind, seenBy: callerKind, firstAt: now, lastAt: now }
    add(buffer, { ...key, count: 1, method: call.method ?? '', origin, requestId })
  }

  /** Findings that could not be written stay in the buffer and are merged with new ones. */
  async function runOnce(): Promise<void> {
    if (buffer.size === 0) return
    const rows = [...buffer.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    buffer = new Map()
    try {
      await store.write(addFindings, { findings: rows })
    } catch (err) {
      const added = buffer
      buffer = new Map(rows.map((row) => [nameOf(row), row]))
      for (const row of added.values()) add(buffer, row)
      throw err
    }
  }

  async function list({ bucket, merchantId }: MerchantKey): Promise<ComplianceFinding[]> {
    return (await store.read(listFindings({ bucket, merchantId }))).filter(isKnown)
  }
}

/**
 * Anyone who knows the public merchant id can send a CVV in its name, so `seenBy` says how the caller authenticated. A password sent from a
 * browser counts only when it is correct: a wrong one proves nothing about the merchant's pages.
 */
function kindOf({ method, callerKind, hasCardNumber, error }: ObservedCall): FindingKind | null {
  if (error === 'credentialInBrowser') return callerKind === 'server' ? 'password_in_browser' : null
  if (error === 'sensitiveAuthenticationData') return 'sad_sent'
  if (error === 'panOutOfPlace') return 'card_out_of_place'
  if (!hasCardNumber || method === null) return null
  if (method !== 'cards.create') return 'card_to_other_method'
  return callerKind === 'server' ? 'card_from_server' : null
}

/** Returns the header only when it is an origin; other contents are not stored, nor are digits that could be a part of a card number. */
function toStoredOrigin(text: string | null): string {
  return text === null || text.length > maxOriginLength || /\d{9}/.test(text) ? '' : (readOrigin(text) ?? '')
}

function add(rows: Map<string, FindingRow>, row: FindingRow): void {
  const existing = rows.get(nameOf(row))
  // New keys above this limit are ignored until the next round.
  if (existing === undefined && rows.size >= maxRows) return
  rows.set(nameOf(row), existing === undefined ? row : { ...row, count: existing.count + row.count, firstAt: existing.firstAt })
}

function nameOf({ merchantId, kind, seenBy }: FindingRow): string {
  return `${merchantId} ${kind} ${seenBy}`
}

function isKnown(row: FindingRow): row is ComplianceFinding {
  return row.kind in known
}

const known: Readonly<Record<FindingKind, true>> = Object.freeze({
  password_in_browser: true,
  sad_sent: true,
  card_out_of_place: true,
  card_to_other_method: true,
  card_from_server: true,
})
const maxOriginLength = 120
const maxRows = 10_000
