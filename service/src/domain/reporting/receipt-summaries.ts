import { bucketOfId, issueRandomId } from '@tessera/vault/id'

import type { Clock } from '../../clock.ts'
import { listAuditHeads } from '../../store/audit.ts'
import { listOperations, type OperationRow, operationsTable } from '../../store/operations.ts'
import {
  type ChangedReceipt,
  claimSummaries,
  listChangedReceipts,
  listSummaryPositions,
  type ReceiptOrder,
  type ReceiptSummary,
  storeReceiptSummaries,
  type SummaryPosition,
} from '../../store/receipt-summaries.ts'
import { findReceiptOrBroken, type ReceiptRow, receiptsTable } from '../../store/receipts.ts'
import type { Store } from '../../store/store.ts'

import type { RecentReceipts } from '../payments/recent-receipts.ts'
import { keepValid, makeVerifiedRows } from '../verified-rows.ts'
import type { WorkPace } from '../work-pace.ts'

import type { CardReportDependencies } from './cards.ts'
import { deriveReceiptStatus, type ReceiptMoney, sumReceiptMoney, wasPaid } from './receipt-status.ts'

/**
 * Follows the audit, which has an entry for every change of a receipt, and stores a summary of each receipt that was changed. So the call that changes a
 * receipt writes nothing for it, nothing is lost in a crash, and a database from before is summed up from its beginning.
 */
export interface ReceiptSummaryWriter {
  /** Reads what is new in the audit. Resolves to the number of receipts summed up. Ends early when `stopping` is aborted; the next run continues. */
  runOnce(stopping: AbortSignal, pace?: WorkPace): Promise<number>
}

export interface ReceiptSummaryDependencies extends CardReportDependencies {
  readonly clock: Clock
  /** What this process changed need not be read again. */
  readonly recentReceipts?: Pick<RecentReceipts, 'take'> | undefined
}

export function makeReceiptSummaryWriter(deps: ReceiptSummaryDependencies): ReceiptSummaryWriter {
  const { store, clock, recentReceipts } = deps
  const processId = issueRandomId(12)
  const receiptRows = makeVerifiedRows(deps, receiptsTable)
  const operationRows = makeVerifiedRows(deps, operationsTable)
  return Object.freeze({ runOnce })

  async function runOnce(stopping: AbortSignal, pace?: WorkPace): Promise<number> {
    let summedUp = 0
    let leaseEndsAt = 0
    let batch = makeBatch()
    for (const { chain, seq: from, head } of await findUnread(store)) {
      for (let seq = from; seq < head && !stopping.aborted;) {
        const now = clock.now()
        if (now > leaseEndsAt - leaseMs / 2) {
          leaseEndsAt = now + leaseMs
          if (!(await store.write(claimSummaries, { processId, now, endsAt: leaseEndsAt }))) return summedUp
        }
        const startedAt = clock.moment().monotonicMs
        const until = Math.min(head, seq + entriesAtOnce)
        for (const change of await store.read(listChangedReceipts({ chain, after: seq, until }))) {
          const { version } = batch.changed.get(change.receiptId) ?? change
          batch.changed.set(change.receiptId, { ...change, version: Math.max(version, change.version) })
        }
        batch.positions.set(chain, until)
        batch.entries += until - seq
        seq = until
        if (batch.changed.size >= receiptsAtOnce || batch.entries >= entriesPerWrite) {
          summedUp += await storeBatch(batch)
          batch = makeBatch()
        } else if (seq === head) continue
        await pace?.pause({ tookMs: clock.moment().monotonicMs - startedAt, changes: 0 }, stopping)
      }
    }
    return batch.positions.size === 0 ? summedUp : summedUp + (await storeBatch(batch))
  }

  async function storeBatch({ changed, positions }: Batch): Promise<number> {
    const summaries = await Promise.all([...changed.values()].map(sumUp))
    const found = summaries.filter((summary) => summary !== null)
    await store.write(storeReceiptSummaries, {
      // Always in the same order, so that processes do not wait for one another in a circle.
      summaries: found.map(({ summary }) => summary).sort((one, other) => (one.receiptId < other.receiptId ? -1 : 1)),
      orders: found.flatMap(({ orders }) => orders).sort((one, other) => (one.receiptId < other.receiptId ? -1 : 1)),
      positions: [...positions].map(([chain, seq]) => ({ chain, seq })).sort((one, other) => (one.chain < other.chain ? -1 : 1)),
    })
    return found.length
  }

  /** Null for a receipt whose row was changed outside the service: the list of all receipts shows it. */
  async function sumUp({ receiptId, merchantId, version }: ChangedReceipt): Promise<ReadReceipt | null> {
    const known = recentReceipts?.take(receiptId, version) ?? null
    if (known !== null) return { summary: toSummary(known.receipt, known.operations), orders: toOrders(known.receipt) }
    const bucket = bucketOfId(receiptId)
    if (bucket === null) return null
    const key = { bucket, merchantId, receiptId }
    const receipt = await store.read(findReceiptOrBroken(key))
    if (receipt === null || 'brokenAt' in receipt || !(await receiptRows.isValid(receipt))) return null
    // Before a payment there is none.
    const operations = receipt.requestId === '' ? [] : await keepValid(operationRows, await store.read(listOperations(key)))
    return { summary: toSummary(receipt, operations), orders: toOrders(receipt) }
  }
}

/** What was read and is not stored yet: of all chains together, since most have a few entries each time. */
interface Batch {
  /** By the id of the receipt. */
  readonly changed: Map<string, ChangedReceipt>
  readonly positions: Map<string, number>
  entries: number
}

function makeBatch(): Batch {
  return { changed: new Map(), positions: new Map(), entries: 0 }
}

interface ReadReceipt {
  readonly summary: ReceiptSummary
  readonly orders: readonly ReceiptOrder[]
}

interface UnreadChain extends SummaryPosition {
  readonly head: number
}

async function findUnread(store: Store): Promise<UnreadChain[]> {
  const [heads, positions] = await Promise.all([listAuditHeads(store), store.read(listSummaryPositions())])
  const read = new Map(positions.map(({ chain, seq }) => [chain, seq]))
  return heads.map(({ chain, seq: head }) => ({ chain, seq: read.get(chain) ?? 0, head })).filter(({ seq, head }) => seq < head)
}

/** How many audit entries were not read yet. A list by summaries may lack what they changed. */
export async function countUnreadEntries(store: Store): Promise<number> {
  return (await findUnread(store)).reduce((sum, { seq, head }) => sum + head - seq, 0)
}

/** The summary of a receipt as it is now. */
export function toSummary(receipt: ReceiptRow, operations: readonly OperationRow[]): ReceiptSummary {
  const { bucket, receiptId, merchantId, version, amountTiyin, cardId, customer, error, createdAt, payTime } = receipt
  return {
    bucket,
    receiptId,
    merchantId,
    version,
    status: deriveReceiptStatus(receipt, operations),
    amountTiyin,
    ...countedMoney(receipt, operations),
    cardId,
    customer: customer ?? '',
    reason: readReason(error) ?? '',
    createdAt,
    paidAt: payTime,
  }
}

/** The times of a payment that the merchant never got count for no day: its endpoint refused it, or its outcome had been unknown, and the service returned it. */
function countedMoney(receipt: ReceiptRow, operations: readonly OperationRow[]): ReceiptMoney {
  const money = sumReceiptMoney(operations)
  return wasPaid(receipt) ? money : { ...money, capturedAt: 0, refundedAt: 0 }
}

/** Why the last payment was refused: the `reason` of the error in a receipt; null without one. */
export function readReason(error: string | null): string | null {
  if (error === null) return null
  const { reason } = JSON.parse(error) as { readonly reason?: unknown }
  return typeof reason === 'string' ? reason : null
}

/** What people call the order: the value of the main account field, or of the first; '' without one. */
export function readOrder({ account }: Pick<ReceiptRow, 'account'>): string {
  const fields = readAccount(account)
  const value = (fields.find(({ main }) => main === true) ?? fields[0])?.value
  return typeof value === 'string' ? value : ''
}

interface StoredAccountField {
  readonly value?: unknown
  readonly main?: unknown
}

function readAccount(account: string): readonly StoredAccountField[] {
  return JSON.parse(account) as readonly StoredAccountField[]
}

/** What a person types to find an order, and what is stored of it: lower case, composed letters, no blanks at the ends. */
export function toOrderKey(value: string): string {
  return value.normalize('NFC').toLowerCase().trim().slice(0, orderLengthMax)
}

function toOrders({ bucket, merchantId, receiptId, createdAt, account }: ReceiptRow): ReceiptOrder[] {
  const values = new Set(
    readAccount(account)
      .map(({ value }) => (typeof value === 'string' ? toOrderKey(value) : ''))
      .filter((value) => value !== ''),
  )
  return [...values].slice(0, ordersMax).map((value) => ({ bucket, merchantId, value, createdAt, receiptId }))
}

/** Entries that somebody deleted are not waited for: `tessera audit verify` reports them. */
const entriesAtOnce = 500
const receiptsAtOnce = 200
/** Where hardly any of them changed a receipt: what is read again after a crash. */
const entriesPerWrite = 10_000
/** Longer than a batch takes. After a crash another process, or the next start, waits so long. */
const leaseMs = 10_000
const orderLengthMax = 64
const ordersMax = 20
