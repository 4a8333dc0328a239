import { after } from 'node:test'

import { randomInt } from 'node:crypto'

import { SettingProblem } from '@tessera/contract/setting-problems'
import { makeRowAuthenticator } from '@tessera/vault/rowmac'
import { Webhook } from 'standardwebhooks'

import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'
import { insertMerchant, merchantsTable } from '../../store/merchants.ts'
import type { Store } from '../../store/store.ts'
import type { StoreUnderTest } from '../../store/suite/opened.fixture.ts'
import { makeMerchant, makeAuditEntry, makeCard, sampleMerchantId } from '../../store/suite/samples.fixture.ts'

import { makeWebhookEndpointAdministration, type WebhookEndpointAdministration } from './endpoints.ts'
import { webhookSettings, type WebhookSettings } from './settings.ts'
import { makeAddressGuard, resolveBySystem } from '../../adapters/http/address-guard.ts'
import { makeWebhookPost } from './webhook-post.ts'
import { startReceiver, type Heard, type Receiver } from './receiver.fixture.ts'
import { makeWebhookDeliverer, type WebhookDeliverer, type WebhookEndpointObserver } from './webhooks.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'

/** A test app whose merchant has an endpoint on this machine, with a clock that the test controls. */
export interface Post {
  readonly app: TestApp
  readonly endpoints: WebhookEndpointAdministration
  readonly receiver: Receiver
  /** The endpoint's signing secret. */
  readonly secret: string
  readonly failures: unknown[]
  /** What was said of endpoints that do not answer: `<merchant> <outcome or recovered>`. */
  readonly told: string[]
  /** Creates another deliverer on the same store. */
  deliverer(over?: Partial<WebhookSettings>, store?: Store): WebhookDeliverer
  /** Advances the clock and delivers everything due by then. */
  goOn(webhooks: WebhookDeliverer, ms: number): Promise<void>
}

export async function withPost({ store }: StoreUnderTest, test: (post: Post) => Promise<void>, resolve = resolveBySystem): Promise<void> {
  const app = await createTestApp({ after }, { store })
  const { clock, keyring, environment } = app
  await store.write(insertMerchant, {
    merchant: await makeRowAuthenticator(keyring, environment, merchantsTable).seal(makeMerchant()),
    audit: makeAuditEntry(makeCard(1)),
  })
  const receiver = await startReceiver()
  const guard = makeAddressGuard({ resolve, allowLoopback: true })
  const failures: unknown[] = []
  const alarm = (event: string): void => void app.alarms.push(event)
  const failed = (err: unknown): void => void failures.push(err)
  const post = makeWebhookPost({ guard, clock, timeoutMs: webhookSettings.timeoutMs })
  const endpoints = makeWebhookEndpointAdministration({
    store,
    keyring,
    environment,
    clock,
    alarm,
    guard,
    post,
    failed,
    settings: webhookSettings,
  })
  const added = await endpoints.add(sampleMerchantId, receiver.url, operatorActor)
  if (added instanceof SettingProblem) throw new Error(added.code)
  const deliverers: WebhookDeliverer[] = []
  const told: string[] = []
  const endpointObserver: WebhookEndpointObserver = {
    down: ({ merchantId }, outcome) => void told.push(`${merchantId} ${outcome}`),
    recovered: ({ merchantId }) => void told.push(`${merchantId} recovered`),
  }
  try {
    await test({
      app,
      endpoints,
      receiver,
      secret: added.secret,
      failures,
      told,
      deliverer(over = {}, of = store) {
        const settings = { ...webhookSettings, ...over }
        const post = makeWebhookPost({ guard, clock, timeoutMs: settings.timeoutMs })
        const random = (): number => randomInt(1000) / 1000
        const webhooks = makeWebhookDeliverer({
          store: of,
          keyring,
          environment,
          clock,
          alarm,
          guard,
          post,
          random,
          settings,
          failed,
          endpointObserver,
        })
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
    await app.close()
  }
}

/** Whether the Standard Webhooks library produces the same signature with a secret. */
export function isSignedWith(secret: string, { headers, body, id }: Heard): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000)
  return String(headers['webhook-signature'])
    .split(' ')
    .includes(new Webhook(secret).sign(id, at, body))
}

/** The event type and card id of a delivery. */
export function parseEvent({ body }: Heard): { type: string; cardId: string } {
  const { type, data } = JSON.parse(body) as { type: string; data: { card: { id: string } } }
  return { type, cardId: data.card.id }
}

/** A card is verified and removed again: two events of one object. Returns its token. */
export async function cardOfItsLife(app: Post['app']): Promise<string> {
  const caller = app.merchant('spec', sampleMerchantId)
  const token = await caller.createVerifiedToken(pan)
  await caller.call('cards.remove', { token })
  return token
}

/** A sandbox card whose operations all succeed. */
const pan = '8600069195406311'
