import { RpcError } from '@tessera/contract/errors'
import { receiptStates } from '@tessera/contract/receipt'

import { withTimeout } from '../../clock.ts'
import type { MerchantApi, MerchantApiPayment, MerchantApiReply } from '../../adapters/merchant-api/merchant-api.ts'
import type { OperationRow } from '../../store/operations.ts'
import type { ReceiptRow } from '../../store/receipts.ts'

import { PeerUnavailable } from '../limits/peer-gate.ts'
import type { EndpointGates } from '../limits/peers.ts'

import type { PaymentServices } from './dependencies.ts'
import { loadOperations } from './find.ts'
import { findCurrentOperation, findMerchantPerform, isOperationPending, newOperation, type StartedPayment } from './network-operations.ts'
import {
  backoffMs,
  releaseCardLock,
  serializePaymentError,
  updateAfterMerchantPerform,
  updateAfterRefusal,
  updateToReturning,
} from './receipt-patches.ts'
import { parseAccount } from './render.ts'
import type { ReceiptContext } from './transition-records.ts'
import {
  acquireLease,
  applyBackgroundTransition,
  applyTransition,
  tryTransition,
  type DueReceipt,
  type ReceiptTransition,
} from './transitions.ts'

// The three calls of a merchant's endpoint: check before the network is called, perform after the debit, cancel after a refund.

/** Calls `check` of the merchant's endpoint, if it has one. On a refusal or without a response the payment ends; nothing was debited. */
export async function checkWithMerchant(services: PaymentServices, payment: StartedPayment, ctx: ReceiptContext): Promise<StartedPayment> {
  const { receipt, operation } = payment
  if (receipt.state !== receiptStates.checking) return payment
  const caller = { merchantId: receipt.merchantId, signal: ctx.signal, stage: 'check' } as const
  const reply = await callMerchant(services, caller, (endpoint, signal) => endpoint.check(merchantPayment(receipt), signal))
  if (reply.kind !== 'agreed') {
    const error = merchantError(reply)
    await applyTransition(services, { ...checkRefusedTransition(services, { receipt, operation, reply, error }), ctx, reply: error })
    throw error
  }
  const agreed = await applyTransition(services, {
    cause: 'merchant_agreed',
    from: receipt,
    to: {
      state: operation.kind === 'hold' ? receiptStates.holding : receiptStates.debiting,
      dueAt: services.clock.now() + services.settings.leaseMs,
    },
    outcome: 'agreed',
    ctx,
  })
  // The lease ended before the merchant replied, and the worker took over.
  if (typeof agreed === 'string') throw new RpcError('merchantNoAnswer')
  return { ...payment, receipt: agreed }
}

/** For the worker: the process that called `check` has stopped. The network was not called, and a check changes nothing at the merchant. */
export async function abandonMerchantCheck({ services, receipt }: DueReceipt): Promise<ReceiptRow | null> {
  const operations = await loadOperations(services, receipt)
  if (operations === null) return null
  const operation = findCurrentOperation(operations, receipt)
  if (operation === null) throw new Error('a checked payment has no operation')
  const reply: MerchantRefusal = { kind: 'silent', reason: 'given_up' }
  return applyBackgroundTransition(services, checkRefusedTransition(services, { receipt, operation, reply, error: merchantError(reply) }))
}

/** The endpoint's reply. `retryAfterMs`: it was not called, because it does not respond, which is never taken for a refusal. */
type EndpointReply = MerchantApiReply & { readonly retryAfterMs?: number }
type MerchantRefusal = Exclude<EndpointReply, { kind: 'agreed' }>

interface RefusedCheck {
  readonly receipt: ReceiptRow
  /** The authorization, which was not requested. */
  readonly operation: OperationRow
  readonly reply: MerchantRefusal
  readonly error: RpcError
}

function checkRefusedTransition(
  { settings, clock }: PaymentServices,
  { receipt, operation, reply, error }: RefusedCheck,
): Omit<ReceiptTransition, 'ctx'> {
  return {
    cause: 'merchant_refused',
    from: receipt,
    to: updateAfterRefusal(settings, receipt, error.entry, reply.kind === 'refused' ? reply.error : undefined),
    operations: [withMerchantReply(operation, reply, { now: clock.now(), isFinal: true })],
    cardLock: releaseCardLock(receipt),
    outcome: reply.kind === 'refused' ? 'merchant_refused' : reply.reason,
  }
}

/**
 * Calls `perform` of the merchant's endpoint after the debit. If it agrees, the receipt is paid; if it refuses, the money is returned. Without a response
 * the worker calls it again, because it may have accepted the payment.
 */
export async function performAtMerchant(services: PaymentServices, receipt: ReceiptRow, ctx: ReceiptContext): Promise<ReceiptRow> {
  const reply = await callPerform(services, receipt, { signal: ctx.signal, isRetry: false, isLast: false })
  const performed = await recordPerform(services, { receipt, reply, ctx }).catch((cause: unknown) => {
    throw new RpcError('merchantClosing', { cause })
  })
  if (performed === null || reply.kind === 'silent') throw new RpcError('merchantClosing')
  if (reply.kind === 'refused') throw merchantError(reply)
  return performed
}

/** For the worker: calls `perform` again if there was no response, or if the process that called it has stopped. */
export async function retryPerform(due: DueReceipt): Promise<ReceiptRow | null> {
  const { services, signal } = due
  const receipt = await acquireLease(due)
  if (receipt === null) return null
  const perform = await loadPerform(services, receipt)
  if (perform === null) return null
  const isLast = services.clock.now() - perform.requestedAt >= services.settings.merchantConfirmForMs && services.clockGuard.isTrusted()
  const reply = await callPerform(services, receipt, { signal, isRetry: true, isLast })
  return recordPerform(services, { receipt, reply, ctx: null })
}

interface PerformOptions {
  readonly signal: AbortSignal
  readonly isRetry: boolean
  /** Whether silence is final now. */
  readonly isLast: boolean
}

function callPerform(services: PaymentServices, receipt: ReceiptRow, { signal, isRetry, isLast }: PerformOptions): Promise<EndpointReply> {
  const transaction = { ...merchantPayment(receipt), transactionId: receipt.receiptId, at: receipt.payTime, isRetry }
  const caller = { merchantId: receipt.merchantId, signal, stage: isLast ? 'last' : 'debited' } as const
  return callMerchant(services, caller, (endpoint, until) => endpoint.perform(transaction, until))
}

interface PerformReply {
  readonly receipt: ReceiptRow
  readonly reply: EndpointReply
  /** Null: the worker made the call. */
  readonly ctx: ReceiptContext | null
}

/** Null if another change came first. */
async function recordPerform(services: PaymentServices, performReply: PerformReply): Promise<ReceiptRow | null> {
  const perform = await loadPerform(services, performReply.receipt)
  return perform === null ? null : tryTransition(services, performTransition(services, performReply, perform))
}

/** Null if its operations cannot be read. */
async function loadPerform(services: PaymentServices, receipt: ReceiptRow): Promise<OperationRow | null> {
  const operations = await loadOperations(services, receipt)
  if (operations === null) return null
  const perform = findMerchantPerform(operations)
  if (perform === null) throw new Error('a receipt that awaits the merchant has no operation')
  return perform
}

function performTransition(
  { settings, clock, clockGuard }: PaymentServices,
  { receipt, reply, ctx }: PerformReply,
  perform: OperationRow,
): ReceiptTransition {
  const now = clock.now()
  const isOver = now - perform.requestedAt >= settings.merchantConfirmForMs && clockGuard.isTrusted()
  const isFinal = isOver && reply.retryAfterMs === undefined
  const operations = [withMerchantReply(perform, reply, { now, isFinal })]
  const base = { from: receipt, operations, ctx }
  if (reply.kind === 'agreed') {
    return { ...base, cause: 'merchant_performed', to: updateAfterMerchantPerform(), outcome: 'performed', reply: 'receipt' }
  }
  if (reply.kind === 'silent' && !isFinal) {
    const to = { dueAt: now + backoffMs(settings, receipt.reconcileAttempts) }
    return { ...base, cause: 'merchant_silent', to, outcome: reply.reason, reply: new RpcError('merchantClosing') }
  }
  const error = merchantError(reply)
  const refund = newOperation(receipt, 'refund', receipt.takenTiyin, now)
  return {
    ...base,
    cause: 'merchant_rejected',
    to: {
      ...updateToReturning(refund, now),
      error: serializePaymentError(error.entry, reply.kind === 'refused' ? reply.error : undefined),
    },
    newOperations: [refund],
    outcome: reply.kind === 'refused' ? 'merchant_refused' : 'merchant_no_answer',
    reply: error,
  }
}

/** The pending `cancel` call after a refund; null if the merchant's endpoint was never called for the payment. */
export function newMerchantCancellation(receipt: ReceiptRow, operations: readonly OperationRow[], now: number): OperationRow | null {
  return findMerchantPerform(operations) === null ? null : newOperation(receipt, 'merchantCancel', receipt.takenTiyin, now)
}

/**
 * For the worker: calls `cancel` of the merchant's endpoint after the money was returned. If the merchant refuses, or does not respond for a day, the
 * receipt is flagged for an operator, because the merchant's records differ.
 */
export async function cancelAtMerchant(due: DueReceipt): Promise<ReceiptRow | null> {
  const { services, signal, receipt } = due
  const operations = await loadOperations(services, receipt)
  if (operations === null) return null
  const cancellation = operations.find(({ kind }) => kind === 'merchantCancel') ?? null
  if (cancellation === null || !isOperationPending(cancellation)) {
    return applyBackgroundTransition(services, { cause: 'nothing_due', from: receipt, to: { dueAt: null }, outcome: 'done' })
  }
  const leased = await acquireLease(due)
  if (leased === null) return null
  const { merchantId, receiptId: transactionId } = leased
  const reason = findMerchantPerform(operations)?.state === 'approved' ? 'refunded' : 'failed'
  const isLast = services.clock.now() - cancellation.requestedAt >= services.settings.flagAfterMs && services.clockGuard.isTrusted()
  const caller = { merchantId, signal, stage: isLast ? 'last' : 'debited' } as const
  const reply = await callMerchant(services, caller, (endpoint, until) => endpoint.cancel({ merchantId, transactionId, reason }, until))
  return recordMerchantCancellation(services, { receipt: leased, cancellation, reply })
}

interface CancellationReply {
  readonly receipt: ReceiptRow
  readonly cancellation: OperationRow
  readonly reply: EndpointReply
}

function recordMerchantCancellation(
  services: PaymentServices,
  { receipt, cancellation, reply }: CancellationReply,
): Promise<ReceiptRow | null> {
  const { settings, clock, clockGuard } = services
  const now = clock.now()
  const isOver = now - cancellation.requestedAt >= settings.flagAfterMs && clockGuard.isTrusted()
  const isFinal = isOver && reply.retryAfterMs === undefined
  const operations = [withMerchantReply(cancellation, reply, { now, isFinal })]
  const base = { cause: 'merchant_cancel_sent', from: receipt, operations } as const
  if (reply.kind === 'silent' && !isFinal) {
    const to = { dueAt: now + backoffMs(settings, receipt.reconcileAttempts) }
    return applyBackgroundTransition(services, { ...base, to, outcome: reply.reason })
  }
  const outcome = reply.kind === 'silent' ? 'merchant_no_answer' : reply.kind
  return applyBackgroundTransition(services, { ...base, to: { dueAt: null, flagged: reply.kind !== 'agreed' }, outcome })
}

/** Throws `merchantNoAnswer` if the merchant's endpoint would not be called now. For a check before anything is stored. */
export function requireEndpoint({ peers }: PaymentServices, merchantId: string): void {
  const retryAfterMs = peers.merchantEndpoint(merchantId).check.refusalMs(merchantId)
  if (retryAfterMs > 0) throw new RpcError('merchantNoAnswer', { retryAfterMs })
}

interface EndpointCaller {
  readonly merchantId: string
  readonly signal: AbortSignal
  /** Whose places the call takes. `last`: those of debited payments, but the deadline is over, so it does not wait for an open breaker. */
  readonly stage: keyof EndpointGates | 'last'
}

/** Calls the merchant's endpoint with a timeout, unless its breaker is open or the places are taken. An endpoint that fails may have processed the call. */
async function callMerchant(
  { endpoint, peers, clock, settings }: PaymentServices,
  { merchantId, signal, stage }: EndpointCaller,
  call: (endpoint: MerchantApi, signal: AbortSignal) => Promise<MerchantApiReply>,
): Promise<EndpointReply> {
  const late: MerchantApiReply = { kind: 'silent', reason: 'late' }
  const timeout = { clock, timeoutMs: settings.endpointTimeoutMs, signal }
  try {
    const callInTime = (): Promise<MerchantApiReply> => withTimeout(timeout, late, async (until) => call(endpoint, until))
    const gates = peers.merchantEndpoint(merchantId)
    if (stage === 'last') return await gates.debited.hold(merchantId, callInTime)
    return await gates[stage].call(merchantId, callInTime, ({ kind }) => (kind === 'silent' ? 'failed' : 'succeeded'))
  } catch (err) {
    if (err instanceof PeerUnavailable) return { kind: 'silent', reason: 'not_called', retryAfterMs: err.retryAfterMs }
    return { kind: 'silent', reason: 'broken' }
  }
}

/** The payment as the merchant's server knows it: its own account fields, and whole tiyin. */
function merchantPayment(receipt: ReceiptRow): MerchantApiPayment {
  const { merchantId, amountTiyin } = receipt
  return { merchantId, amountTiyin, account: Object.fromEntries(parseAccount(receipt).map(({ name, value }) => [name, value])) }
}

/** The operation with the endpoint's reply. `isFinal`: it is not called again. */
function withMerchantReply(
  operation: OperationRow,
  reply: MerchantApiReply,
  { now, isFinal }: { now: number; isFinal: boolean },
): OperationRow {
  if (reply.kind === 'agreed') return { ...operation, state: 'approved', resolvedAt: now }
  if (reply.kind === 'refused') {
    return { ...operation, state: 'declined', reason: 'merchantRefused', rawCode: JSON.stringify(reply.error), resolvedAt: now }
  }
  if (!isFinal) return { ...operation, state: 'unknown', rawCode: reply.reason }
  return { ...operation, state: 'declined', reason: 'merchantNoAnswer', rawCode: reply.reason, resolvedAt: now }
}

/** The error for the caller of receipts.pay: the merchant's own, or that its endpoint did not respond. */
function merchantError(reply: MerchantRefusal): RpcError {
  if (reply.kind === 'refused') return new RpcError('merchantRefused', { data: reply.error })
  const { reason, retryAfterMs } = reply
  const cause = new Error(`the merchant's endpoint: ${reason}`)
  return new RpcError('merchantNoAnswer', retryAfterMs === undefined ? { cause } : { cause, retryAfterMs })
}

/** The same error from a stored operation; null if the merchant did not cause it. */
export function storedMerchantError({ reason, rawCode }: OperationRow): RpcError | null {
  if (reason === 'merchantRefused') return new RpcError('merchantRefused', { data: JSON.parse(rawCode) as object })
  return reason === 'merchantNoAnswer' ? new RpcError('merchantNoAnswer') : null
}
