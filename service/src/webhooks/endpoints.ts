import { bucketOf, issueId } from '@tessera/vault/id'
import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../clock.ts'
import type { AuditNote, DeliveryRow, EndpointRow, EventRow, Store } from '../store/store.ts'

import type { WebhookFigures } from './figures.ts'
import type { Guard } from '../outbound/guard.ts'
import { drawSecretOf } from './secrets.ts'

/** Where merchants want their events, and what became of these. For the operator. */
export interface Endpoints {
  /** Tells the secret, once; a sentence when it cannot be. */
  add(merchantId: string, url: string): Promise<{ readonly endpointId: string; readonly url: string; readonly secret: string } | string>
  list(merchantId: string): Promise<EndpointRow[]>
  remove(merchantId: string, url: string | null): Promise<EndpointRow | string>
  /** The secret before goes on signing for a day beside the new one. */
  rotateSecret(
    merchantId: string,
    url: string | null,
  ): Promise<{ readonly url: string; readonly secret: string; readonly bothUntil: number } | string>
  events(merchantId: string, from: number, count: number): Promise<ToldEvent[]>
  dead(merchantId: string, count: number): Promise<DeliveryRow[]>
  /** At how many endpoints. */
  replay(merchantId: string, eventId: string): Promise<number>
}

export interface ToldEvent extends EventRow {
  readonly deliveries: readonly DeliveryRow[]
}

export interface EndpointParts {
  readonly store: Store
  readonly keyring: Keyring
  readonly environment: string
  readonly clock: Clock
  readonly guard: Guard
  readonly figures: WebhookFigures
}

export function makeEndpoints({ store, keyring, environment, clock, guard, figures }: EndpointParts): Endpoints {
  return Object.freeze({ add, list, remove, rotateSecret, events, dead, replay })

  async function add(merchantId: string, text: string): ReturnType<Endpoints['add']> {
    if ((await store.findMerchant(merchantId)) === null) return 'There is no such merchant.'
    const read = guard.readUrl(text)
    if (typeof read === 'string') return read
    const bucket = bucketOf(merchantId)
    const now = clock.now()
    const named = { bucket, merchantId, endpointId: issueId(bucket, now), url: read.href }
    const { sealed, told } = await drawSecretOf(keyring, environment, named)
    const endpoint = { ...named, secret: sealed, secretBefore: null, beforeEndsAt: 0, createdAt: now }
    const isKept = await store.insertEndpoint(endpoint, figures.endpointsMax, noteOf(named, 'webhook.added'))
    if (!isKept) return `The merchant has this endpoint already, or ${String(figures.endpointsMax)} others.`
    return { endpointId: named.endpointId, url: named.url, secret: told }
  }

  function list(merchantId: string): Promise<EndpointRow[]> {
    return store.listEndpoints({ bucket: bucketOf(merchantId), merchantId })
  }

  async function remove(merchantId: string, url: string | null): Promise<EndpointRow | string> {
    const endpoint = await find(merchantId, url)
    if (typeof endpoint === 'string') return endpoint
    return (await store.removeEndpoint(endpoint, noteOf(endpoint, 'webhook.removed'))) ? endpoint : noEndpoint
  }

  async function rotateSecret(merchantId: string, url: string | null): ReturnType<Endpoints['rotateSecret']> {
    const endpoint = await find(merchantId, url)
    if (typeof endpoint === 'string') return endpoint
    const { sealed, told } = await drawSecretOf(keyring, environment, endpoint)
    const beforeEndsAt = clock.now() + figures.rotationMs
    const next = { ...endpoint, secret: sealed, secretBefore: endpoint.secret, beforeEndsAt }
    const isChanged = await store.changeSecrets(next, endpoint.secret, noteOf(endpoint, 'webhook.secret_rotated'))
    return isChanged ? { url: endpoint.url, secret: told, bothUntil: beforeEndsAt } : 'Somebody else changed it meanwhile; look again.'
  }

  /** The endpoint of this URL; the only one when none is named. */
  async function find(merchantId: string, url: string | null): Promise<EndpointRow | string> {
    const endpoints = await list(merchantId)
    const href = url === null ? null : (URL.parse(url)?.href ?? url)
    const [found, another] = endpoints.filter((each) => href === null || each.url === href)
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

  function replay(merchantId: string, eventId: string): Promise<number> {
    const bucket = bucketOf(merchantId)
    return store.replayEvent(
      { bucket, merchantId, eventId, now: clock.now() },
      noteOf({ merchantId, endpointId: eventId }, 'event.replayed'),
    )
  }

  function noteOf({ merchantId, endpointId: subject }: Pick<EndpointRow, 'merchantId' | 'endpointId'>, action: string): AuditNote {
    const deed = { at: clock.now(), actor: 'operator', action, outcome: 'done' }
    return { ...deed, merchantId, subject, version: 0, mac: new Uint8Array(0), requestId: '' }
  }
}

const noEndpoint = 'The merchant has no such endpoint.'
