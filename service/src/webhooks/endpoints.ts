import { bucketOf, issueId } from '@tessera/vault/id'
import type { AuditNote, DeliveryRow, EndpointRow, EventRow, Store } from '../store/store.ts'

import type { AttemptParts } from './deliver.ts'
import type { WebhookFigures } from './figures.ts'
import { drawSecretOf } from './secrets.ts'
import { sendTest, type Tested } from './test-event.ts'

/** Who does it, for the audit, and by which request; the operator unless it is said. */
export type WebhookDoer = Pick<AuditNote, 'actor' | 'requestId'>

/** Where merchants want their events, and what became of these. An endpoint is named by its URL or its id. */
export interface Endpoints {
  /** How many a merchant may have. */
  readonly endpointsMax: number
  /** Tells the secret, once; a sentence when it cannot be. */
  add(
    merchantId: string,
    url: string,
    by?: WebhookDoer,
  ): Promise<{ readonly endpointId: string; readonly url: string; readonly secret: string } | string>
  list(merchantId: string): Promise<EndpointRow[]>
  remove(merchantId: string, named: string | null, by?: WebhookDoer): Promise<EndpointRow | string>
  /** The secret before goes on signing for a day beside the new one. */
  rotateSecret(
    merchantId: string,
    named: string | null,
    by?: WebhookDoer,
  ): Promise<{ readonly url: string; readonly secret: string; readonly bothUntil: number } | string>
  /** Sends one event that says it is a test, at once and once, as every other is sent. It is kept nowhere. */
  test(merchantId: string, named: string, by: WebhookDoer, signal: AbortSignal): Promise<Tested | string>
  events(merchantId: string, from: number, count: number): Promise<ToldEvent[]>
  dead(merchantId: string, count: number): Promise<DeliveryRow[]>
  /** At how many endpoints; at one of them when it is said. */
  replay(merchantId: string, eventId: string, at?: string | null, by?: WebhookDoer): Promise<number>
}

export interface ToldEvent extends EventRow {
  readonly deliveries: readonly DeliveryRow[]
}

export interface EndpointParts extends AttemptParts {
  readonly store: Store
  readonly figures: WebhookFigures
}

export function makeEndpoints(parts: EndpointParts): Endpoints {
  const { store, keyring, environment, clock, guard, figures } = parts
  let testing = 0
  return Object.freeze({ endpointsMax: figures.endpointsMax, add, list, remove, rotateSecret, test, events, dead, replay })

  async function add(merchantId: string, text: string, by = operator): ReturnType<Endpoints['add']> {
    if ((await store.findMerchant(merchantId)) === null) return 'There is no such merchant.'
    const read = guard.readUrl(text)
    if (typeof read === 'string') return read
    const bucket = bucketOf(merchantId)
    const now = clock.now()
    const named = { bucket, merchantId, endpointId: issueId(bucket, now), url: read.href }
    const { sealed, told } = await drawSecretOf(keyring, environment, named)
    const endpoint = { ...named, secret: sealed, secretBefore: null, beforeEndsAt: 0, createdAt: now }
    const isKept = await store.insertEndpoint(endpoint, figures.endpointsMax, noteOf(named, by, 'webhook.added'))
    if (!isKept) return `The merchant has this endpoint already, or ${String(figures.endpointsMax)} others.`
    return { endpointId: named.endpointId, url: named.url, secret: told }
  }

  function list(merchantId: string): Promise<EndpointRow[]> {
    return store.listEndpoints({ bucket: bucketOf(merchantId), merchantId })
  }

  async function remove(merchantId: string, named: string | null, by = operator): Promise<EndpointRow | string> {
    const endpoint = await find(merchantId, named)
    if (typeof endpoint === 'string') return endpoint
    return (await store.removeEndpoint(endpoint, noteOf(endpoint, by, 'webhook.removed'))) ? endpoint : noEndpoint
  }

  async function rotateSecret(merchantId: string, named: string | null, by = operator): ReturnType<Endpoints['rotateSecret']> {
    const endpoint = await find(merchantId, named)
    if (typeof endpoint === 'string') return endpoint
    const { sealed, told } = await drawSecretOf(keyring, environment, endpoint)
    const beforeEndsAt = clock.now() + figures.rotationMs
    const next = { ...endpoint, secret: sealed, secretBefore: endpoint.secret, beforeEndsAt }
    const isChanged = await store.changeSecrets(next, endpoint.secret, noteOf(endpoint, by, 'webhook.secret_rotated'))
    return isChanged ? { url: endpoint.url, secret: told, bothUntil: beforeEndsAt } : 'Somebody else changed it meanwhile; look again.'
  }

  async function test(merchantId: string, named: string, by: WebhookDoer, signal: AbortSignal): ReturnType<Endpoints['test']> {
    const endpoint = await find(merchantId, named)
    if (typeof endpoint === 'string') return endpoint
    if (testing >= figures.testsMax) return 'Other tests are under way: wait until they have ended.'
    testing += 1
    try {
      const tested = await sendTest(parts, endpoint, signal)
      await store.appendAudit({ ...noteOf(endpoint, by, 'webhook.tested'), outcome: tested.outcome })
      return tested
    } finally {
      testing -= 1
    }
  }

  /** The endpoint of this URL or id; the only one when none is named. */
  async function find(merchantId: string, named: string | null): Promise<EndpointRow | string> {
    const endpoints = await list(merchantId)
    const href = named === null ? null : (URL.parse(named)?.href ?? named)
    const [found, another] = endpoints.filter((each) => href === null || each.url === href || each.endpointId === href)
    if (found === undefined) return noEndpoint
    return another === undefined ? found : 'The merchant has several endpoints: say which, with --url.'
  }

  async function events(merchantId: string, from: number, count: number): Promise<ToldEvent[]> {
    const found = await store.listEvents({ bucket: bucketOf(merchantId), merchantId, from, count })
    return Promise.all(found.map(async (event) => ({ ...event, deliveries: await store.listDeliveries(event) })))
  }

  function dead(merchantId: string, count: number): Promise<DeliveryRow[]> {
    return store.listDeadDeliveries({ bucket: bucketOf(merchantId), merchantId, count })
  }

  function replay(merchantId: string, eventId: string, endpointId: string | null = null, by = operator): Promise<number> {
    const bucket = bucketOf(merchantId)
    return store.replayEvent(
      { bucket, merchantId, eventId, endpointId, now: clock.now() },
      noteOf({ merchantId, endpointId: eventId }, by, 'event.replayed'),
    )
  }

  function noteOf(
    { merchantId, endpointId: subject }: Pick<EndpointRow, 'merchantId' | 'endpointId'>,
    by: WebhookDoer,
    action: string,
  ): AuditNote {
    const deed = { at: clock.now(), ...by, action, outcome: 'done' }
    return { ...deed, merchantId, subject, version: 0, mac: new Uint8Array(0) }
  }
}

const operator: WebhookDoer = Object.freeze({ actor: 'operator', requestId: '' })

const noEndpoint = 'The merchant has no such endpoint.'
