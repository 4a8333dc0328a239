import { receiptStates } from '@tessera/contract/receipt'

import { type DueReceiptCursor, listDueReceipts, type ReceiptRow } from '../../store/receipts.ts'
import { RowBroken } from '../../store/columns.ts'
import { isTamperedRow } from '../verified-rows.ts'

import { type PaymentDependencies, type PaymentServices, withRowMacs } from './dependencies.ts'
import { loadOperations } from './find.ts'
import { findCurrentOperation, isOperationPending } from './network-operations.ts'
import { applyBackgroundTransition } from './transitions.ts'

/**
 * Makes due what the receipt worker would not look at for longer than it ever waits, because a clock that was ahead has set its time: leases of calls,
 * backoffs and pending captures. It is due when a lease is over. Unpaid receipts and holds keep the time at which they end. To be called when the clock is
 * right again; a call that began with the wrong clock and is still in progress then ends as one without a reply. A receipt with a row that this service has
 * not written, or that cannot be read, hides no other. Resolves to the number of receipts.
 */
export async function wakeReceipts(dependencies: PaymentDependencies, stopping?: AbortSignal): Promise<number> {
  const services = withRowMacs(dependencies)
  const { store, clock, settings } = services
  const now = clock.now()
  const latest = now + Math.max(settings.leaseMs, settings.maxBackoffMs, longestPostponeMs)
  let woken = 0
  let after: DueReceiptCursor = { dueAt: latest, receiptId: '' }
  while (stopping?.aborted !== true) {
    const page = await store.read(listDueReceipts(Number.MAX_SAFE_INTEGER, pageSize, after))
    for (const receipt of page) {
      if ('brokenAt' in receipt || !(await isWaiting(services, receipt))) continue
      const to = { dueAt: now + settings.leaseMs }
      // Another change of it came first: it was made by the right clock.
      const changed = await applyBackgroundTransition(services, { cause: 'clock_corrected', from: receipt, to, outcome: 'rescheduled' })
      if (changed !== null) woken += 1
    }
    const last = page.at(-1)
    if (last === undefined || page.length < pageSize) break
    after = last
  }
  return woken
}

/** Whether the worker has something to do for it. A row that this service has not written is left to an operator. */
async function isWaiting(services: PaymentServices, receipt: ReceiptRow): Promise<boolean> {
  if (receipt.state === receiptStates.created || !(await services.rows.isValid(receipt))) return false
  if (receipt.state !== receiptStates.held) return true
  try {
    const operations = await loadOperations(services, receipt)
    return operations !== null && isOperationPending(findCurrentOperation(operations, receipt))
  } catch (err) {
    if (err instanceof RowBroken) {
      const { merchantId, receiptId } = receipt
      services.alarm('row_broken', { merchantId, cardId: '', requestId: '', receiptId })
    } else if (!isTamperedRow(err)) throw err
    return false
  }
}

const pageSize = 100
/** The longest wait after a row with a wrong MAC (`tamperedBackoff` in receipt-worker.ts). */
const longestPostponeMs = 3_600_000
