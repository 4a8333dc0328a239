import type { IncomingMessage, RequestListener } from 'node:http'
import { verifyWebhook, WebhookRefused, type Delivery } from '@tessera/client'

import { findCharge, noteDelivery, type Book } from './book.ts'

export interface Receiving {
  readonly book: Book
  /** The endpoint's secrets; two while one is being rotated. */
  readonly secrets: readonly string[]
  /** Unix milliseconds. */
  readonly now: () => number
}

/**
 * Takes deliveries: 204 for what is right, also when it came before or says nothing new; 400 for what is not to be believed. Whatever else
 * goes wrong is a 500, and the delivery comes again.
 */
export function receiveDeliveries({ book, secrets, now }: Receiving): RequestListener {
  return (request, response) => {
    readBody(request)
      .then((body) => {
        const delivery = verifyWebhook(body, request.headers, { secrets, now: now() })
        if (noteDelivery(book, delivery.id)) take(book, delivery, now())
        // Kept before it is acknowledged: what was not kept comes again.
        book.save()
        response.writeHead(204).end()
      })
      .catch((err: unknown) => {
        response.writeHead(err instanceof WebhookRefused ? 400 : 500).end()
      })
  }
}

/** An event is a hint: it never says more than what the service answers when it is asked, and may come late or in a bunch. */
function take(book: Book, delivery: Delivery, now: number): void {
  switch (delivery.type) {
    case 'receipt.paid': {
      const charge = findCharge(book, delivery.data.receipt.id)
      if (charge !== null && charge.state === 'open') Object.assign(charge, { state: 'paid', reason: null })
      return
    }
    case 'receipt.cancelled':
    case 'receipt.failed': {
      // Look now instead of in five minutes.
      const charge = findCharge(book, delivery.data.receipt.id)
      if (charge !== null && charge.state === 'open') charge.dueAt = Math.min(charge.dueAt, now)
      return
    }
    case 'card.removed':
    case 'card.expired': {
      // The card goes by its id, which is the first half of its token.
      const { id } = delivery.data.card
      for (const member of book.members) if (member.token?.startsWith(`${id}_`) === true) member.token = null
      return
    }
    default:
    // Not ours, or of a later version: acknowledged, or it would come again for days.
  }
}

/** The raw bytes: what was signed is what was sent, not what a parser makes of it. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > bodyBytesMax) throw new WebhookRefused('longer than any delivery')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const bodyBytesMax = 64 * 1024
