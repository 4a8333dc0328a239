import { currencyUzs } from '@tessera/contract/receipt'
import { RpcError } from '@tessera/contract/errors'
import type { EventType, WebhookEvent } from '@tessera/contract/event'
import { issueId } from '@tessera/vault/id'

import type { AuditEntry } from '../../store/audit.ts'
import type { TransactionExtras } from '../../store/extras.ts'
import type { EventRow } from '../../store/outbox.ts'
import type { ReceiptRow } from '../../store/receipts.ts'
import type { AuditActor, RequestContext } from '../request-context.ts'
import type { CardAction } from '../cards/change-records.ts'

import { effectiveAmount, parseAccount, parsePaymentError } from './render.ts'

export { IdempotencyConflict } from '../idempotency/handle.ts'

/** The context of a request that changes a receipt. The outcome is the changed receipt, or only success. */
export type ReceiptContext = RequestContext<ReceiptRow | 'success'>

/** What is stored together with a change of a receipt. */
export interface TransitionExtras {
  readonly audit: AuditEntry
  readonly events: readonly EventRow[]
  /**
   * At the start of a request: the id of the network operation or the receipt, by which an expired idempotency claim is reconciled. Null elsewhere.
   */
  readonly claimSubject: string | null
  /** At the end of a request: its outcome. Null elsewhere. */
  readonly reply: ReceiptRow | RpcError | 'success' | null
}

/** Adds the idempotency record of the request, if it has a key. `ctx` is null for background jobs. */
export function buildExtras(
  ctx: ReceiptContext | null,
  { audit, events, claimSubject, reply }: TransitionExtras,
): TransactionExtras & { readonly audit: AuditEntry } {
  const idempotency = ctx?.idempotency ?? null
  const claim = idempotency === null || claimSubject === null ? null : idempotency.claim(claimSubject)
  const outcome = idempotency === null || reply === null ? null : idempotency.outcome(reply)
  return { audit, events, idempotency: idempotency === null ? null : { claim, outcome } }
}

/** Notes that the transaction with these extras was committed, so that the outcome of the request needs no look at its record. */
export function confirmExtras(ctx: ReceiptContext | null, { idempotency }: TransactionExtras): void {
  const outcome = idempotency?.outcome ?? null
  if (outcome !== null) ctx?.idempotency?.confirm(outcome)
}

/** A context whose idempotency record stores a mapped outcome. Errors are not mapped. */
export function withOutcomeMapper<T>(ctx: RequestContext<T>, map: (outcome: ReceiptRow | 'success') => T): ReceiptContext {
  const { idempotency } = ctx
  if (idempotency === null) return { ...ctx, idempotency: null }
  const outcome: NonNullable<ReceiptContext['idempotency']>['outcome'] = (result) =>
    idempotency.outcome(result instanceof RpcError ? result : map(result))
  return { ...ctx, idempotency: { ...idempotency, outcome } }
}

/** The audit entry of a change. `receipt` is the changed row; `actor` is null for background jobs. */
export function receiptAuditEntry(actor: AuditActor | null, receipt: ReceiptRow, action: CardAction): AuditEntry {
  const { merchantId, receiptId, version, mac } = receipt
  return {
    ...action,
    actor: actor?.actor ?? 'system',
    requestId: actor?.requestId ?? '',
    address: actor?.address ?? '',
    merchantId,
    subject: receiptId,
    version,
    mac,
  }
}

export type ReceiptEventType = Extract<EventType, `receipt.${string}`>

/** The webhook event of a change, without its MAC: ids and masks, never a token. `at` is unix milliseconds. */
export function buildReceiptEvent(type: ReceiptEventType, receipt: ReceiptRow, at: number): EventRow {
  const { bucket, merchantId, receiptId, state, payTime, cancelTime, cardId, maskedPan, customer } = receipt
  const event: WebhookEvent<ReceiptEventType> = {
    type,
    timestamp: new Date(at).toISOString(),
    data: {
      receipt: {
        id: receiptId,
        state,
        amount: effectiveAmount(receipt),
        currency: currencyUzs,
        pay_time: payTime,
        cancel_time: cancelTime,
        card: cardId === '' ? null : { id: cardId, number: maskedPan },
        account: Object.fromEntries(parseAccount(receipt).map(({ name, value }) => [name, value])),
        reason: parsePaymentError(receipt)?.reason ?? null,
      },
      customer,
    },
  }
  const body = JSON.stringify(event)
  return { bucket, merchantId, eventId: issueId(bucket, at), type, objectId: receiptId, at, body, mac: new Uint8Array(0) }
}
