import { type ErrorName, RpcError } from '@tessera/contract/errors'
import { type ReceiptState, receiptStates } from '@tessera/contract/receipt'
import { parseToken } from '@tessera/vault/token'

import type { NetworkOutcome } from '../../adapters/network/network.ts'
import { type CardRow, findCard } from '../../store/cards.ts'
import type { ReceiptRow } from '../../store/receipts.ts'
import { StoreFull, StoreOverloaded, StoreUnavailable } from '../../store/store.ts'
import { retryOnConflict } from '../concurrency.ts'
import { requireNetworkOfCard, type NetworkPeer } from '../networks.ts'
import { requireLiveCard, usePan, type LiveCard } from '../cards/find.ts'
import { requireNetwork } from '../cards/network-call.ts'
import { shreddedCard } from '../cards/lifecycle.ts'

import type { PaymentServices } from './dependencies.ts'
import { loadReceipt } from './find.ts'
import { checkWithMerchant, performAtMerchant, requireEndpoint } from './merchant-callback.ts'
import {
  callNetwork,
  type NetworkCallRefusal,
  type NetworkReply,
  newOperation,
  type StartedPayment,
  toOperationKind,
  withNetworkReply,
} from './network-operations.ts'
import { withTrace } from './operation-network.ts'
import {
  errorByDeclineReason,
  releaseCardLock,
  unpaidEndsAt,
  updateAfterApproval,
  updateAfterRefusal,
  updateAfterUnknown,
} from './receipt-patches.ts'
import type { ReceiptContext } from './transition-records.ts'
import { applyTransition, tryTransition, type ReceiptTransition } from './transitions.ts'

export interface PaymentInput {
  readonly receiptId: string
  readonly token: string
  readonly payer: object | null
  /** Null: as set in the receipt. */
  readonly hold: boolean | null
}

/**
 * Debits a card or holds the amount, in three steps, each durable before the next: intention, call of the network, outcome. A merchant's endpoint is
 * called before the network (check) and after it (perform). Of concurrent payments of one receipt only one stores its intention; the others get
 * receiptInProgress or receiptPaid.
 */
export async function payReceipt(services: PaymentServices, input: PaymentInput, ctx: ReceiptContext): Promise<ReceiptRow> {
  if (parseToken(input.token) === null) throw new RpcError('tokenShape', { data: 'token' })
  const started = await startPayment(services, input, ctx)
  return finishPayment(services, started, input.token, ctx).catch(throwUnknownIfRefused)
}

async function finishPayment(services: PaymentServices, started: StartedPayment, token: string, ctx: ReceiptContext): Promise<ReceiptRow> {
  await assertOneTimeCardIsLive(services, started, token, ctx)
  const payment = await checkWithMerchant(services, started, ctx)
  const reply = await callAuthorize(services, payment, ctx)
  const receipt = await recordAuthorization(services, payment, reply, ctx)
  return receipt.state === awaitingMerchant ? performAtMerchant(services, receipt, ctx) : receipt
}

/** The intention is stored: when a later step is refused by the store, it would be wrong to say that nothing was done. The worker finds the outcome. */
function throwUnknownIfRefused(cause: unknown): never {
  const isRefused = cause instanceof StoreUnavailable || cause instanceof StoreOverloaded || cause instanceof StoreFull
  throw isRefused ? new RpcError('paymentUnknown', { cause }) : cause
}

async function startPayment(services: PaymentServices, input: PaymentInput, ctx: ReceiptContext): Promise<StartedPayment> {
  const hasEndpoint = await services.endpoint.hasEndpoint(ctx.merchantId)
  return retryOnConflict(async () => {
    // Read together, in one message to PostgreSQL; what is wrong with the receipt is reported first.
    const finding = requireLiveCard(services.cards, input.token, ctx)
    finding.catch(() => undefined)
    const receipt = await loadReceipt(services, input.receiptId, ctx)
    assertPayable(services, receipt)
    const found = await finding
    if (!found.card.verified) throw new RpcError('cardNotVerified')
    if (hasEndpoint) requireEndpoint(services, ctx.merchantId)
    const peer = requireNetworkOfCard(services.networks, found.card.maskedPan)
    requireNetwork(peer.gate, ctx.merchantId)
    return storePaymentStart(services, { input, receipt, found, hasEndpoint, peer }, ctx)
  })
}

/** Checked before the card: a caller that lost the reply and pays again must get receiptPaid, not the error of its used one-time token. */
function assertPayable({ settings, clock }: PaymentServices, receipt: ReceiptRow): void {
  const error = unpayableErrors[receipt.state]
  if (error !== null) throw new RpcError(error)
  if (clock.now() >= unpaidEndsAt(settings, receipt)) throw new RpcError('receiptCancelled')
}

const { created, checking, debiting, awaitingMerchant, paid, held, holding, unknown, returning, cancelled } = receiptStates
const unpayableErrors: Readonly<Record<ReceiptState, ErrorName | null>> = Object.freeze({
  [created]: null,
  [checking]: 'receiptInProgress',
  [debiting]: 'receiptInProgress',
  [awaitingMerchant]: 'receiptInProgress',
  [holding]: 'receiptInProgress',
  [unknown]: 'receiptInProgress',
  [paid]: 'receiptPaid',
  [held]: 'receiptPaid',
  [returning]: 'receiptCancelled',
  [cancelled]: 'receiptCancelled',
})

interface PaymentStart {
  readonly input: PaymentInput
  readonly receipt: ReceiptRow
  readonly found: LiveCard
  /** Whether the merchant has an endpoint, which is called first. */
  readonly hasEndpoint: boolean
  readonly peer: NetworkPeer
}

/** Null: the receipt changed meanwhile. */
async function storePaymentStart(
  services: PaymentServices,
  { input, receipt, found, hasEndpoint, peer }: PaymentStart,
  ctx: ReceiptContext,
): Promise<StartedPayment | null> {
  const { card } = found
  const now = services.clock.now()
  const isHold = input.hold ?? receipt.hold
  const oneTime = !card.recurrent
  const requested = {
    ...newOperation(receipt, isHold ? 'hold' : 'authorise', receipt.amountTiyin, now),
    cardId: card.cardId,
    network: peer.name,
  }
  const operation = await services.operationRows.seal(await withTrace(peer, requested))
  const started = await applyTransition(services, {
    cause: 'payment_started',
    from: receipt,
    to: {
      state: hasEndpoint ? checking : isHold ? holding : debiting,
      requestId: operation.requestId,
      payer: input.payer === null ? null : JSON.stringify(input.payer),
      error: null,
      oneTime,
      customer: card.customer,
      cardId: card.cardId,
      maskedPan: card.maskedPan,
      cardExpiry: card.expiry,
      dueAt: now + services.settings.leaseMs,
    },
    newOperations: [operation],
    cardLock: oneTime ? { cardId: card.cardId, move: 'take' } : null,
    outcome: toOperationKind(operation.kind),
    ctx,
    isStart: true,
  })
  if (started === 'cardLocked') throw new RpcError('cardInUse')
  return started === 'conflict' ? null : { found, receipt: started, operation, hasEndpoint, peer }
}

/** Another receipt may have used the one-time card after it was found and before it was locked. A locked card cannot be removed. */
async function assertOneTimeCardIsLive(
  services: PaymentServices,
  { receipt, operation }: StartedPayment,
  token: string,
  ctx: ReceiptContext,
): Promise<void> {
  if (!receipt.oneTime) return
  try {
    await requireLiveCard(services.cards, token, ctx)
  } catch (err) {
    // Anything else, such as a store that cannot be read now, says nothing about the card.
    if (!(err instanceof RpcError)) throw err
    await applyTransition(services, {
      cause: 'card_gone',
      from: receipt,
      to: updateAfterRefusal(services.settings, receipt, 'declined'),
      operations: [withNetworkReply(operation, { kind: 'declined', reason: 'declined', rawCode: 'card_gone' }, services.clock.now())],
      cardLock: releaseCardLock(receipt),
      outcome: 'card_gone',
      ctx,
      reply: err,
    })
    throw err
  }
}

/** Sends the authorization; later calls use the network reference, not the PAN. */
function callAuthorize(
  services: PaymentServices,
  { found, receipt, operation, peer }: StartedPayment,
  ctx: ReceiptContext,
): Promise<AuthorizationOutcome> {
  const { merchantId, expiry } = found.card
  const { requestId, receiptId, amountTiyin, trace } = operation
  const request = { merchantId, expiry, requestId, trace, receiptId, amountTiyin, hold: receipt.state === holding }
  return usePan(services.cards, found, (pan) =>
    callNetwork(services, peer, ctx, (network, signal) => network.authorize({ ...request, pan }, signal)),
  )
}

type AuthorizationOutcome = NetworkReply<NetworkOutcome> | NetworkCallRefusal

/**
 * Stores the network's reply. If the store fails after the call, the receipt worker finds the outcome, so the caller gets paymentUnknown and not an error
 * that implies that nothing happened.
 */
async function recordAuthorization(
  services: PaymentServices,
  payment: StartedPayment,
  reply: AuthorizationOutcome,
  ctx: ReceiptContext,
): Promise<ReceiptRow> {
  const error = errorOfReply(reply)
  const receipt = await storeOutcome(services, payment, { reply, error, ctx }).catch((cause: unknown) => {
    throw new RpcError('paymentUnknown', { cause })
  })
  if (receipt === 'superseded') throw new RpcError('paymentUnknown')
  if (error !== null) throw error
  return receipt
}

function errorOfReply(reply: AuthorizationOutcome): RpcError | null {
  if (reply.kind === 'approved') return null
  if (reply.kind === 'notCalled') return new RpcError('networkUnavailable', { retryAfterMs: reply.retryAfterMs })
  if (reply.kind === 'declined') return new RpcError(errorByDeclineReason[reply.reason])
  return new RpcError('paymentUnknown', 'cause' in reply ? { cause: reply.cause } : {})
}

interface AuthorizationReply {
  readonly reply: AuthorizationOutcome
  readonly error: RpcError | null
  readonly ctx: ReceiptContext
}

/** `superseded`: the lease ended before the reply arrived, and the worker took over. */
function storeOutcome(services: PaymentServices, payment: StartedPayment, outcome: AuthorizationReply): Promise<ReceiptRow | 'superseded'> {
  const store = async (): Promise<ReceiptRow | 'superseded' | null> => {
    const receipt = await tryTransition(services, await authorizationTransition(services, payment, outcome))
    if (receipt !== null) return receipt
    // The card was changed, by reseal or by its merchant, or the receipt itself was.
    const current = await loadReceipt(services, payment.receipt.receiptId, outcome.ctx)
    return current.version === payment.receipt.version ? null : 'superseded'
  }
  return retryOnConflict(store, { giveUp: () => 'superseded' })
}

async function authorizationTransition(
  services: PaymentServices,
  payment: StartedPayment,
  { reply, error, ctx }: AuthorizationReply,
): Promise<ReceiptTransition> {
  const { receipt, operation } = payment
  const { settings, clock } = services
  const now = clock.now()
  const resolved = withNetworkReply(operation, reply, now)
  const operations = [resolved]
  const base = { from: receipt, operations, ctx, reply: error ?? 'receipt' } as const
  if (reply.kind === 'unknown') {
    return { ...base, cause: 'no_reply', to: updateAfterUnknown(settings, now), outcome: 'unknown' }
  }
  const unlocked = { ...base, cardLock: releaseCardLock(receipt) }
  if (reply.kind !== 'approved') {
    const to = updateAfterRefusal(settings, receipt, error?.entry ?? 'declined')
    return { ...unlocked, cause: 'declined', to, outcome: resolved.reason }
  }
  const isAwaitingMerchant = payment.hasEndpoint && receipt.state === debiting
  const to = updateAfterApproval(settings, receipt, { networkRef: reply.networkRef, now, isAwaitingMerchant })
  const card = receipt.oneTime ? await usedOneTimeCard(services, receipt, now) : null
  const approved = { ...unlocked, to, card, outcome: 'approved' }
  if (isAwaitingMerchant) {
    const perform = newOperation(receipt, 'merchantPerform', receipt.amountTiyin, now)
    return { ...approved, cause: 'awaiting_merchant', newOperations: [perform], reply: null }
  }
  return { ...approved, cause: to.state === held ? 'hold_approved' : 'debit_approved' }
}

/** The one-time card, shredded after its payment. Null if it is not live, or its row has a wrong MAC. */
async function usedOneTimeCard({ store, cardRows }: PaymentServices, receipt: ReceiptRow, now: number): Promise<CardRow | null> {
  const { bucket, merchantId, cardId } = receipt
  const card = await store.read(findCard({ bucket, merchantId, cardId }))
  if (card === null || card.state !== 'live') return null
  return (await cardRows.isValid(card)) ? cardRows.seal(shreddedCard(card, 'removed', now)) : null
}
