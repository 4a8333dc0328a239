import { verifyWebhook, type Delivery, type WebhookHeaders } from '@tessera/client'

import type { Records } from './records.ts'
import type { ShopPayments } from './payments.ts'

export interface WebhookDependencies {
  readonly records: Records
  readonly payments: ShopPayments
  /** The endpoint's secrets; two while one is being rotated. */
  readonly secrets: readonly string[]
}

/** Handles a delivery. Throws WebhookRefused when it cannot be verified: respond with 400. After any other error respond with 500, and it is repeated. */
export async function handleDelivery(
  body: Buffer,
  headers: WebhookHeaders,
  { records, payments, secrets }: WebhookDependencies,
): Promise<void> {
  const delivery = verifyWebhook(body, headers, { secrets })
  if (records.handledDeliveries.includes(delivery.id)) return
  await applyEvent(delivery, { records, payments })
  records.handledDeliveries.push(delivery.id)
  records.handledDeliveries.splice(0, records.handledDeliveries.length - 1000)
  // Stored before it is acknowledged: a delivery that was not stored is repeated.
  records.save()
}

/** An event is a hint and may be late. The current state is read from the service. */
async function applyEvent(delivery: Delivery, { records, payments }: Pick<WebhookDependencies, 'records' | 'payments'>): Promise<void> {
  if (delivery.type === 'card.removed' || delivery.type === 'card.expired') payments.forgetCardById(delivery.data.card.id)
  if (delivery.type === 'receipt.paid' || delivery.type === 'receipt.cancelled' || delivery.type === 'receipt.failed') {
    const { id } = delivery.data.receipt
    const order = Object.values(records.orders).find(({ receiptId }) => receiptId === id)
    if (order !== undefined) await payments.refresh(order)
  }
}
