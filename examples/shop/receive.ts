import { verifyWebhook, type Delivery, type WebhookHeaders } from '@tessera/client'

import type { Records } from './records.ts'
import type { Till } from './till.ts'

export interface Receiving {
  readonly records: Records
  readonly till: Till
  /** The endpoint's secrets; two while one is being rotated. */
  readonly secrets: readonly string[]
}

/** Takes a delivery. Throws WebhookRefused for what is not to be believed: answer 400. Anything else that throws is a 500, and it comes again. */
export async function receive(body: Buffer, headers: WebhookHeaders, { records, till, secrets }: Receiving): Promise<void> {
  const delivery = verifyWebhook(body, headers, { secrets })
  if (records.seen.includes(delivery.id)) return
  await take(delivery, { records, till })
  records.seen.push(delivery.id)
  records.seen.splice(0, records.seen.length - 1000)
  // Kept before it is acknowledged: what was not kept comes again.
  records.save()
}

/** An event is a hint and may be late: what is true the service says when it is asked. */
async function take(delivery: Delivery, { records, till }: Pick<Receiving, 'records' | 'till'>): Promise<void> {
  if (delivery.type === 'card.removed' || delivery.type === 'card.expired') till.forgetCardById(delivery.data.card.id)
  if (delivery.type === 'receipt.paid' || delivery.type === 'receipt.cancelled' || delivery.type === 'receipt.failed') {
    const { id } = delivery.data.receipt
    const order = Object.values(records.orders).find(({ receiptId }) => receiptId === id)
    if (order !== undefined) await till.settle(order)
  }
}
