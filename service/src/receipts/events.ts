import { currencyUzs } from '@tessera/contract/amount'
import type { EventType, WebhookEvent } from '@tessera/contract/event'
import { issueId } from '@tessera/vault/id'

import type { EventRow, ReceiptRow } from '../store/store.ts'

import { amountOf, readAccountRow, readErrorRow } from './render.ts'

export type ReceiptEventType = Extract<EventType, `receipt.${string}`>

/** What the merchant's webhook is told of a receipt: ids and masks, never a token. `at` is unix milliseconds. */
export function receiptEvent(type: ReceiptEventType, receipt: ReceiptRow, at: number): EventRow {
  const { bucket, merchantId, receiptId: id, state, payTime, cancelTime, cardId, maskedPan, customer } = receipt
  const event: WebhookEvent<ReceiptEventType> = {
    type,
    timestamp: new Date(at).toISOString(),
    data: {
      receipt: {
        ...{ id, state, amount: amountOf(receipt), currency: currencyUzs, pay_time: payTime, cancel_time: cancelTime },
        card: cardId === '' ? null : { id: cardId, number: maskedPan },
        account: Object.fromEntries(readAccountRow(receipt).map(({ name, value }) => [name, value])),
        reason: readErrorRow(receipt)?.reason ?? null,
      },
      customer,
    },
  }
  return { bucket, merchantId, eventId: issueId(bucket, at), type, objectId: id, at, body: JSON.stringify(event) }
}
