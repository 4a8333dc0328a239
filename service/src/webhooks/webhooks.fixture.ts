import { randomInt } from 'node:crypto'

import { Webhook } from 'standardwebhooks'

import { makeMerchantMac } from '../merchants/mac.ts'
import { compose, type House } from '../methods/compose.fixture.ts'
import type { Store } from '../store/store.ts'
import type { Opened } from '../store/suite/opened.fixture.ts'
import { makeMerchant, makeNote, makeCard, merchantId } from '../store/suite/samples.fixture.ts'

import { makeEndpoints, type Endpoints } from './endpoints.ts'
import { webhookFigures, type WebhookFigures } from './figures.ts'
import { makeGuard } from '../outbound/guard.ts'
import { makePost } from './post.ts'
import { startReceiver, type Heard, type Receiver } from './receiver.fixture.ts'
import { resolveBySystem } from '../outbound/resolve.ts'
import { makeWebhooks, type Webhooks } from './webhooks.ts'

/** A house whose merchant has an endpoint on this machine, with the clock in the test's hand. */
export interface Post {
  readonly house: House
  readonly endpoints: Endpoints
  readonly receiver: Receiver
  /** Of the endpoint. */
  readonly secret: string
  readonly failures: unknown[]
  /** Another that delivers from the same store. */
  deliverer(over?: Partial<WebhookFigures>, store?: Store): Webhooks
  /** The clock goes on by so much, and what is due by then is delivered. */
  goOn(webhooks: Webhooks, ms: number): Promise<void>
}

export async function withPost({ store }: Opened, test: (post: Post) => Promise<void>, resolve = resolveBySystem): Promise<void> {
  const house = await compose({ store })
  const { clock, keyring, environment } = house
  await store.insertMerchant(await makeMerchantMac(keyring, environment).seal(makeMerchant()), makeNote(makeCard(1)))
  const receiver = await startReceiver()
  const guard = makeGuard({ resolve, loopback: true })
  const failures: unknown[] = []
  const failed = (err: unknown): void => void failures.push(err)
  const post = makePost({ guard, clock, timeoutMs: webhookFigures.timeoutMs })
  const endpoints = makeEndpoints({ store, keyring, environment, clock, guard, post, failed, figures: webhookFigures })
  const added = await endpoints.add(merchantId, receiver.url)
  if (typeof added === 'string') throw new Error(added)
  const deliverers: Webhooks[] = []
  try {
    await test({
      ...{ house, endpoints, receiver, secret: added.secret, failures },
      deliverer(over = {}, of = store) {
        const figures = { ...webhookFigures, ...over }
        const post = makePost({ guard, clock, timeoutMs: figures.timeoutMs })
        const random = (): number => randomInt(1000) / 1000
        const webhooks = makeWebhooks({ store: of, keyring, environment, clock, guard, post, random, figures, failed })
        deliverers.push(webhooks)
        return webhooks
      },
      async goOn(webhooks, ms) {
        clock.advance(ms)
        await webhooks.runOnce()
        await webhooks.idle()
      },
    })
  } finally {
    for (const webhooks of deliverers) await webhooks.stop()
    await receiver.close()
    await house.close()
  }
}

/** Whether the library of Standard Webhooks makes the same signature with a secret. */
export function isSignedWith(secret: string, { headers, body, id }: Heard): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  return String(headers['webhook-signature'])
    .split(' ')
    .includes(new Webhook(secret).sign(id, at, body))
}

/** What a delivery told: the type of its event, and of which card. */
export function toldBy({ body }: Heard): { type: string; cardId: string } {
  const { type, data: told } = JSON.parse(body) as { type: string; data: { card: { id: string } } }
  return { type, cardId: told.card.id }
}
