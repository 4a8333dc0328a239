import type { Clock } from '../../clock.ts'
import { idempotencyTable, listRecordsEndingFrom, moveIdempotencyClaim, type RecordPage } from '../../store/idempotency.ts'
import type { Store } from '../../store/store.ts'
import { makeVerifiedRows, type VerifiedRowDependencies } from '../verified-rows.ts'

import type { IdempotencySettings } from './dependencies.ts'

export interface WakeClaimDependencies extends VerifiedRowDependencies {
  readonly store: Store
  readonly clock: Pick<Clock, 'now'>
  readonly settings: IdempotencySettings
}

/**
 * Ends the leases of claims that a clock that was ahead has made, in as long as a lease lasts: otherwise a key whose process died would have the outcome
 * `outcome_unknown` until the right clock has come so far. When a record ends is left as it is: brought forward by a clock that is behind, it would be
 * deleted as soon as the clock is right, and the call would run a second time under its key. A record that this service has not written, or that cannot be
 * read, hides no other. Resolves to the number of claims.
 */
export async function wakeClaims(deps: WakeClaimDependencies, stopping?: AbortSignal): Promise<number> {
  const { store, clock, settings } = deps
  const rows = makeVerifiedRows(deps, idempotencyTable)
  const now = clock.now()
  const leaseUntil = now + settings.leaseMs
  const endsAt = now + settings.retentionMs + clocksApartMs
  let woken = 0
  let after: RecordPage['next'] = null
  while (stopping?.aborted !== true) {
    const page: RecordPage = await store.read(listRecordsEndingFrom({ endsAt, after, count: pageSize }))
    for (const row of page.records) {
      if ('brokenAt' in row) {
        deps.alarm('row_tampered', { merchantId: '', cardId: '', requestId: '', table: idempotencyTable.name })
        continue
      }
      if (row.sealed !== null || row.leaseUntil <= leaseUntil + clocksApartMs || !(await rows.isValid(row))) continue
      const { sealed: _none, ...claim } = await rows.seal({ ...row, leaseUntil })
      if (await store.write(moveIdempotencyClaim, { claim, previousMac: row.mac })) woken += 1
    }
    after = page.next
    if (after === null) break
  }
  return woken
}

const pageSize = 100
/** Between the clocks of two machines that are both right. */
const clocksApartMs = 5000
