import type { IncomingMessage, RequestListener } from 'node:http'
import { verifyWebhook, WebhookRefused, type Delivery } from '@tessera/client'

import { findCharge, recordDelivery, type Subscriptions } from './subscriptions.ts'

export interface WebhookHandlerOptions {
  readonly subscriptions: Subscriptions
  /** The endpoint's secrets; two while one is being rotated. */
  readonly secrets: readonly string[]
  /** The current time, Unix milliseconds. */
  readonly now: () => number
}

/**
 * Handles deliveries. Responds with 204 to a verified delivery, also when it is repeated or unknown; with 400 to one that cannot be verified;
 * and with 500 on any other error, after which it is delivered again.
 */
export function createWebhookHandler({ subscriptions, secrets, now }: WebhookHandlerOptions): RequestListener {
  return (request, response) => {
    readBody(request)
      .then((body) => {
        const delivery = verifyWebhook(body, request.headers, { secrets, now: now() })
        if (recordDelivery(subscriptions, delivery.id)) applyEvent(subscriptions, delivery, now())
        // Stored before it is acknowledged: a delivery that was not stored is repeated.
        subscriptions.save()
        response.writeHead(204).end()
      })
      .catch((err: unknown) => {
        response.writeHead(err instanceof WebhookRefused ? 400 : 500).end()
      })
  }
}

/** An event is a hint. It may be late or out of order, and never says more than the service's response to a request. */
function applyEvent(subscriptions: Subscriptions, delivery: Delivery, now: number): void {
  switch (delivery.type) {
    case 'receipt.paid': {
      const charge = findCharge(subscriptions, delivery.data.receipt.id)
      if (charge !== null && charge.state === 'open') Object.assign(charge, { state: 'paid', reason: null })
      return
    }
    case 'receipt.cancelled':
    case 'receipt.failed': {
      // Check now instead of in five minutes.
      const charge = findCharge(subscriptions, delivery.data.receipt.id)
      if (charge !== null && charge.state === 'open') charge.dueAt = Math.min(charge.dueAt, now)
      return
    }
    case 'card.removed':
    case 'card.expired': {
      // Events contain the card's id, which is the first part of its token.
      const { id } = delivery.data.card
      for (const member of subscriptions.members) if (member.token?.startsWith(`${id}_`) === true) member.token = null
      return
    }
    default:
    // A type that is not used here, or of a later version. It is acknowledged, because it would be repeated for days.
  }
}

/** The raw bytes: the signature covers what was sent, not what a parser makes of it. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBodyBytes) throw new WebhookRefused('longer than any delivery')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const maxBodyBytes = 64 * 1024
