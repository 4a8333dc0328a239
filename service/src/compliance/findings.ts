import type { ErrorName } from '@tessera/contract/errors'
import { bucketOf } from '@tessera/vault/id'

import type { Clock } from '../clock.ts'
import type { ComplianceOf, FindingRow, Store } from '../store/store.ts'

/** As much of an answered call as a finding is made of. */
export interface SeenCall {
  readonly requestId: string
  readonly method: string | null
  readonly merchantId: string | null
  readonly as: 'server' | 'browser' | 'dashboard' | null
  readonly origin: string | null
  readonly hasCardNumber: boolean
  readonly error: ErrorName | null
}

export type FindingKind = 'password_in_browser' | 'sad_sent' | 'card_out_of_place' | 'card_to_other_method' | 'card_from_server'
export type Finding = FindingRow & { readonly kind: FindingKind }

/** What a merchant's own code does that it should not, one row a kind: no value of a call is kept, and no call waits for it. */
export interface Findings {
  /** One call was answered. Kept in memory until the next round; a crash forgets those. */
  saw(call: SeenCall): void
  /** Writes down what was seen since the last round. */
  runOnce(): Promise<void>
  /** The latest first, with what is not written down yet left out. */
  list(of: ComplianceOf): Promise<Finding[]>
}

export interface FindingsParts {
  readonly store: Pick<Store, 'addFindings' | 'listFindings'>
  readonly clock: Pick<Clock, 'now'>
}

export function makeFindings({ store, clock }: FindingsParts): Findings {
  let seen = new Map<string, FindingRow>()
  return Object.freeze({ saw, runOnce, list })

  function saw(call: SeenCall): void {
    const kind = kindOf(call)
    const { merchantId, as, requestId } = call
    if (kind === null || merchantId === null || (as !== 'server' && as !== 'browser')) return
    const now = clock.now()
    const origin = as === 'server' ? plainOrigin(call.origin) : ''
    const key = { bucket: bucketOf(merchantId), merchantId, kind, seenBy: as, firstAt: now, lastAt: now }
    add(seen, { ...key, count: 1, method: call.method ?? '', origin, requestId })
  }

  /** What cannot be written now is written later, with what comes meanwhile. */
  async function runOnce(): Promise<void> {
    if (seen.size === 0) return
    const rows = [...seen.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    seen = new Map()
    try {
      await store.addFindings(rows)
    } catch (err) {
      const later = seen
      seen = new Map(rows.map((row) => [nameOf(row), row]))
      for (const row of later.values()) add(seen, row)
      throw err
    }
  }

  async function list({ bucket, merchantId }: ComplianceOf): Promise<Finding[]> {
    return (await store.listFindings({ bucket, merchantId })).filter(isKnown)
  }
}

/**
 * With the id alone anybody may send a CVV in a merchant's name, so `seenBy` says who it was. Of a password in a browser only the right one
 * counts: the id is public, and a wrong password proves nothing about the merchant's pages.
 */
function kindOf({ method, as, hasCardNumber, error }: SeenCall): FindingKind | null {
  if (error === 'credentialInBrowser') return as === 'server' ? 'password_in_browser' : null
  if (error === 'sensitiveAuthenticationData') return 'sad_sent'
  if (error === 'panOutOfPlace') return 'card_out_of_place'
  if (!hasCardNumber || method === null) return null
  if (method !== 'cards.create') return 'card_to_other_method'
  return as === 'server' ? 'card_from_server' : null
}

/** An origin as browsers write one, and no more: whatever else stands in the header is not kept. */
function plainOrigin(text: string | null): string {
  if (text === null || text.length > originLengthMax || /\d{9}/.test(text)) return ''
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text ? text : ''
}

function add(rows: Map<string, FindingRow>, row: FindingRow): void {
  const there = rows.get(nameOf(row))
  // More merchants a round than this are counted from the next one.
  if (there === undefined && rows.size >= rowsMax) return
  rows.set(nameOf(row), there === undefined ? row : { ...row, count: there.count + row.count, firstAt: there.firstAt })
}

function nameOf({ merchantId, kind, seenBy }: FindingRow): string {
  return `${merchantId} ${kind} ${seenBy}`
}

function isKnown(row: FindingRow): row is Finding {
  return row.kind in known
}

const known: Readonly<Record<FindingKind, true>> = Object.freeze({
  password_in_browser: true,
  sad_sent: true,
  card_out_of_place: true,
  card_to_other_method: true,
  card_from_server: true,
})
const originLengthMax = 120
const rowsMax = 10_000
