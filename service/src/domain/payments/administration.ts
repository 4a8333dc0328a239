import { type ReceiptState, receiptStates } from '@tessera/contract/receipt'
import { bucketOf, bucketOfId } from '@tessera/vault/id'

import { type AuditRow, listAuditOfSubject } from '../../store/audit.ts'
import { listOperations, type OperationRow } from '../../store/operations.ts'
import {
  findReceipt,
  findReceiptById,
  type ListedReceipt,
  listFlaggedReceipts,
  listOpenReceipts,
  listReceiptPage,
  type ReceiptRow,
} from '../../store/receipts.ts'
import { retryOnConflict } from '../concurrency.ts'
import type { AuditActor } from '../request-context.ts'

import { type PaymentDependencies, type PaymentServices, withRowMacs } from './dependencies.ts'
import { areOperationsOf } from './find.ts'
import { findAuthorization, findCurrentOperation, isOperationPending, newOperation } from './network-operations.ts'
import { releaseCardLock, updateAfterRefusal, updateToReturning } from './receipt-patches.ts'
import type { ReceiptWorker } from './receipt-worker.ts'
import { openReceiptStates, receiptStateInfo } from './states.ts'
import { tryTransition, type ReceiptTransition } from './transitions.ts'

/** Receipts for operators, over all merchants. */
export interface ReceiptAdministration {
  /** Throws `ReceiptAdministrationError` for a query that no index serves. */
  list(query: OperatorReceiptQuery): Promise<OperatorReceiptPage>
  /** Null: there is no such receipt. */
  get(receiptId: string): Promise<ReceiptDetails | null>
  /** Records what the network's statement says of an unknown payment (state 20), or that the merchant knows of a flagged refund (state 50). Throws `ReceiptAdministrationError`. */
  resolve(resolution: ReceiptResolution, by: AuditActor): Promise<ReceiptDetails>
}

export interface OperatorReceiptQuery {
  readonly state: ReceiptState | null
  readonly isFlagged: boolean
  /** Null: all merchants. */
  readonly merchantId: string | null
  /** The last receipt of the page before. */
  readonly after: string | null
  readonly count: number
}

export interface OperatorReceiptPage {
  readonly receipts: readonly ListedReceipt[]
  /** For `after`; null on the last page. */
  readonly next: string | null
}

export interface ReceiptDetails {
  readonly receipt: ReceiptRow
  /** False: the row was not written by this service. */
  readonly hasValidMac: boolean
  readonly operations: readonly OperationRow[]
  /** Newest first. */
  readonly entries: readonly AuditRow[]
  /** What will happen to the receipt, in a sentence for operators. */
  readonly next: string
}

/** The network's own statement of an unknown payment. */
export interface ReceiptResolution {
  readonly receiptId: string
  /** When the card was debited according to the statement, unix milliseconds. Null: the statement shows no debit. */
  readonly paidAt: number | null
  /** With `paidAt` null: the merchant was informed of a refund that its endpoint did not confirm. */
  readonly isMerchantInformed?: boolean | undefined
  /** The network's reference of the debit, or of the statement without it. */
  readonly reference: string
  /** Why the operator decides; stored with the operation. */
  readonly reason: string
}

/** Why a receipt was not listed or resolved. */
export type ReceiptAdministrationFault =
  | 'receipt_unknown'
  | 'receipt_tampered'
  | 'receipt_not_unknown'
  | 'receipt_not_flagged'
  | 'receipt_changed'
  | 'receipt_paid_at_implausible'
  | 'receipt_query_unspecific'

export class ReceiptAdministrationError extends Error {
  override readonly name = 'ReceiptAdministrationError'
  readonly fault: ReceiptAdministrationFault

  constructor(fault: ReceiptAdministrationFault) {
    super(fault)
    this.fault = fault
  }
}

/** `worker` starts the reversal of a payment that the statement shows at once. */
export function createReceiptAdministration(dependencies: PaymentDependencies, worker: Pick<ReceiptWorker, 'kick'>): ReceiptAdministration {
  const { store, clock } = dependencies
  const services: PaymentServices = withRowMacs(dependencies)
  return Object.freeze({ list, get, resolve })

  async function list(query: OperatorReceiptQuery): Promise<OperatorReceiptPage> {
    const found = await readPage(query)
    const receipts = found.slice(0, query.count)
    return { receipts, next: found.length > query.count ? (receipts.at(-1)?.receiptId ?? null) : null }
  }

  async function readPage({ state, isFlagged, merchantId, after, count }: OperatorReceiptQuery): Promise<ListedReceipt[]> {
    const last = after === null ? null : await findRow(after)
    if (after !== null && last === null) throw new ReceiptAdministrationError('receipt_unknown')
    const matchesQuery = (receipt: ListedReceipt): boolean =>
      'brokenAt' in receipt || ((state === null || receipt.state === state) && (merchantId === null || receipt.merchantId === merchantId))
    if (isFlagged) {
      const flagged = await store.scan(listFlaggedReceipts(maxFlaggedReceipts, after ?? ''))
      return flagged.filter(matchesQuery).slice(0, count + 1)
    }
    if (merchantId !== null) {
      const cursor = last === null ? null : { at: last.createdAt, id: last.receiptId }
      return store.read(
        listReceiptPage({
          bucket: bucketOf(merchantId),
          merchantId,
          from: 0,
          to: Number.MAX_SAFE_INTEGER,
          state,
          after: cursor,
          count: count + 1,
        }),
      )
    }
    if (state === null || !openReceiptStates.some((open) => open === state))
      throw new ReceiptAdministrationError('receipt_query_unspecific')
    const cursor = last === null || 'brokenAt' in last ? undefined : last
    return store.read(listOpenReceipts(state, count + 1, cursor))
  }

  async function findRow(receiptId: string): Promise<ListedReceipt | null> {
    const bucket = bucketOfId(receiptId)
    return bucket === null ? null : store.read(findReceiptById(bucket, receiptId))
  }

  /** Reads again when the receipt was changed between its row and its operations. */
  function get(receiptId: string): Promise<ReceiptDetails | null> {
    return readOnce(receiptId, maxReads)
  }

  async function readOnce(receiptId: string, readsLeft: number): Promise<ReceiptDetails | null> {
    const receipt = await findRow(receiptId)
    if (receipt === null) return null
    if ('brokenAt' in receipt) throw new ReceiptAdministrationError('receipt_tampered')
    const [operations, entries, isReceiptValid] = await Promise.all([
      store.read(listOperations(receipt)),
      store.read(listAuditOfSubject(receipt.merchantId, receiptId, maxEntries)),
      services.rows.hasValidMac(receipt),
    ])
    const areOperationsValid = await Promise.all(operations.map(async (operation) => services.operationRows.isValid(operation)))
    const areComplete = areOperationsOf(receipt, operations)
    if (!areComplete && readsLeft > 1 && (await store.read(findReceipt(receipt)))?.version !== receipt.version) {
      return readOnce(receiptId, readsLeft - 1)
    }
    const hasValidMac = isReceiptValid && !areOperationsValid.includes(false) && areComplete
    return { receipt, hasValidMac, operations, entries, next: describeNext(receipt, hasValidMac) }
  }

  async function resolve(resolution: ReceiptResolution, by: AuditActor): Promise<ReceiptDetails> {
    // The worker may have stored a status of the network in between.
    const resolved = await retryOnConflict(async () => tryTransition(services, await resolutionTransition(resolution, by)), {
      giveUp: throwChanged,
    })
    if (resolved.state === receiptStates.returning) worker.kick(resolved)
    const details = await get(resolution.receiptId)
    if (details === null) throw new Error('a resolved receipt is missing')
    return details
  }

  async function resolutionTransition(resolution: ReceiptResolution, by: AuditActor): Promise<ReceiptTransition> {
    const { receiptId, paidAt } = resolution
    const found = await get(receiptId)
    if (found === null) throw new ReceiptAdministrationError('receipt_unknown')
    const { receipt, hasValidMac, operations } = found
    if (!hasValidMac) throw new ReceiptAdministrationError('receipt_tampered')
    if (resolution.isMerchantInformed === true && paidAt === null) return informedTransition(resolution, found, by)
    const authorization = findAuthorization(operations)
    if (receipt.state !== receiptStates.unknown || authorization === null) throw new ReceiptAdministrationError('receipt_not_unknown')
    if (paidAt !== null && Math.abs(paidAt - authorization.requestedAt) > statementToleranceMs) {
      throw new ReceiptAdministrationError('receipt_paid_at_implausible')
    }
    const current = findCurrentOperation(operations, receipt)
    const reversal = current?.kind === 'reverse' && isOperationPending(current) ? current : null
    const unknown = { receipt, authorization, reversal, by }
    return paidAt === null ? notPaidTransition(resolution, unknown) : paidTransition(resolution, unknown)
  }

  /** Nothing is left to be done: what the operator says is stored with the call that the merchant's endpoint did not confirm. */
  function informedTransition({ reference, reason }: ReceiptResolution, found: ReceiptDetails, by: AuditActor): ReceiptTransition {
    const { receipt, operations } = found
    const cancellation = operations.find(({ kind }) => kind === 'merchantCancel')
    const isWaiting = receipt.state === receiptStates.cancelled && receipt.flagged && receipt.dueAt === null
    if (!isWaiting || cancellation === undefined) throw new ReceiptAdministrationError('receipt_not_flagged')
    return {
      cause: 'merchant_informed',
      from: receipt,
      to: { flagged: false },
      operations: [{ ...cancellation, networkRef: reference, rawCode: reason }],
      outcome: 'merchant_informed',
      ctx: null,
      actor: by,
    }
  }

  /** The same transition as when reconciliation finds the payment declined. */
  function notPaidTransition(
    { reference, reason }: ReceiptResolution,
    { receipt, authorization, reversal, by }: UnknownReceipt,
  ): ReceiptTransition {
    const recordedOutcome = {
      state: 'declined',
      reason: statementReason,
      networkRef: reference,
      rawCode: reason,
      resolvedAt: clock.now(),
    } as const
    return {
      cause: 'resolved_not_paid',
      from: receipt,
      to: updateAfterRefusal(services.settings, receipt, 'debitFailed'),
      operations: [authorization, ...(reversal === null ? [] : [reversal])].map((operation) => ({ ...operation, ...recordedOutcome })),
      cardLock: releaseCardLock(receipt),
      outcome: 'not_paid',
      ctx: null,
      actor: by,
    }
  }

  /** The same transition as when reconciliation finds the payment approved. A reversal in progress continues; otherwise one is requested. */
  function paidTransition(
    { reference, reason, paidAt }: ReceiptResolution,
    { receipt, authorization, reversal, by }: UnknownReceipt,
  ): ReceiptTransition {
    const now = clock.now()
    const stated: OperationRow = {
      ...authorization,
      state: 'approved',
      reason: statementReason,
      networkRef: reference,
      rawCode: `${new Date(paidAt ?? now).toISOString()} ${reason}`,
      resolvedAt: now,
    }
    const reverse = reversal ?? newOperation(receipt, 'reverse', authorization.amountTiyin, now)
    return {
      cause: 'resolved_paid',
      from: receipt,
      to: { ...updateToReturning(reverse, now), networkRef: reference },
      operations: [stated],
      newOperations: reversal === null ? [reverse] : [],
      cardLock: releaseCardLock(receipt),
      outcome: 'paid',
      ctx: null,
      actor: by,
    }
  }
}

function throwChanged(): never {
  throw new ReceiptAdministrationError('receipt_changed')
}

interface UnknownReceipt {
  readonly receipt: ReceiptRow
  readonly authorization: OperationRow
  /** The pending reversal that reconciliation has started. */
  readonly reversal: OperationRow | null
  readonly by: AuditActor
}

/** What happens next to a receipt, and what an operator has to do if nothing happens automatically. */
export function describeNext(receipt: ReceiptRow, hasValidMac: boolean): string {
  const { state, flagged, dueAt } = receipt
  if (!hasValidMac) return 'Nothing: the row was not written by this service. See docs/operating/stuck-payment.md#tampered.'
  if (state === receiptStates.unknown && flagged) {
    return 'The service queries the network every 10 minutes. Look up the payment in the network’s statement, then run tessera receipts resolve.'
  }
  if (state === receiptStates.returning && flagged) {
    return 'The service requests the refund from the network every 10 minutes. Ask the network why it does not confirm it.'
  }
  if (state === receiptStates.held && flagged) {
    return 'The service queries the network every 10 minutes for the outcome of the capture. Ask the network why it does not report it.'
  }
  if (state === receiptStates.cancelled && flagged) {
    return 'Nothing: the money was returned, but the merchant’s endpoint refused the cancellation or did not respond for a day. Inform the merchant, then run tessera receipts resolve --merchant-informed.'
  }
  const { next } = receiptStateInfo[state]
  return dueAt === null ? next : `${next} Next attempt of the service: ${new Date(dueAt).toISOString()}.`
}

/** `reason` of an operation whose outcome was recorded by an operator. */
export const statementReason = 'statement'
/** A debit in the statement that is further than this from the call belongs to another payment. */
const statementToleranceMs = 3 * 24 * 3_600_000
const maxFlaggedReceipts = 1000
const maxEntries = 100
const maxReads = 5
