import { RpcError } from '@tessera/contract/errors'
import type { EventType } from '@tessera/contract/event'
import { bucketOfId } from '@tessera/vault/id'

import type { Clock } from '../clock.ts'
import type { AttemptRow, DeliveryRow, EndpointRow, ListedDelivery, Store, TimePlace } from '../store/store.ts'
import type { Endpoints } from '../webhooks/webhooks.ts'

import type { CardsOf } from './cards.ts'

export type { AttemptRow, EndpointRow, ListedDelivery }

export type WebhookEndpoints = Endpoints

export interface AskedDeliveries {
  readonly state: DeliveryRow['state'] | null
  readonly type: EventType | null
  readonly endpointId: string | null
  /** `id` is the id of the event and, behind it, of the endpoint. */
  readonly after: TimePlace | null
  readonly count: number
}

export interface DeliveryPage {
  readonly deliveries: readonly ListedDelivery[]
  readonly next: TimePlace | null
}

export interface FoundDelivery {
  readonly delivery: ListedDelivery
  /** Null when it was removed. */
  readonly url: string | null
  readonly body: string
  /** The newest first. */
  readonly attempts: readonly AttemptRow[]
}

/** The merchant's endpoints and deliveries as its people look at them. */
export interface WebhookDesk {
  readonly endpoints: WebhookEndpoints
  readonly now: () => number
  /** How many a merchant may have. */
  readonly endpointsMax: number
  /** By the ids of the endpoints. */
  urls(merchantId: string): Promise<ReadonlyMap<string, string>>
  list(of: CardsOf, asked: AskedDeliveries): Promise<DeliveryPage>
  /** Throws `deliveryNotFound`. */
  get(of: CardsOf, key: { readonly eventId: string; readonly endpointId: string }): Promise<FoundDelivery>
}

export function makeWebhookDesk({ store, clock }: { store: Store; clock: Clock }, endpoints: WebhookEndpoints): WebhookDesk {
  return Object.freeze({ endpoints, now: () => clock.now(), endpointsMax: endpoints.endpointsMax, urls, list, get })

  async function urls(merchantId: string): Promise<ReadonlyMap<string, string>> {
    const found = await endpoints.list(merchantId)
    return new Map(found.map(({ endpointId, url }) => [endpointId, url]))
  }

  /** By state there is an index; type and endpoint are looked for in so many of them, so that a page costs the same whatever is asked. */
  async function list({ bucket, merchantId }: CardsOf, { state, type, endpointId, after, count }: AskedDeliveries): Promise<DeliveryPage> {
    const look = type === null && endpointId === null ? count : lookMax
    const found = await store.listDeliveryPage({ bucket, merchantId, state, after: readAfter(after), count: look + 1 })
    const deliveries: ListedDelivery[] = []
    let seen = 0
    for (const each of found) {
      if (deliveries.length === count || seen === look) break
      seen += 1
      if ((type === null || each.type === type) && (endpointId === null || each.endpointId === endpointId)) deliveries.push(each)
    }
    const last = seen < found.length ? found[seen - 1] : undefined
    return { deliveries, next: last === undefined ? null : { at: last.madeAt, id: `${last.eventId}${last.endpointId}` } }
  }

  async function get({ bucket, merchantId }: CardsOf, { eventId, endpointId }: Parameters<WebhookDesk['get']>[1]): Promise<FoundDelivery> {
    const isOwn = bucketOfId(eventId) === bucket
    const found = isOwn ? await store.findDelivery({ bucket, merchantId, eventId, endpointId }) : null
    if (found === null) throw new RpcError('deliveryNotFound', { data: 'eventId' })
    const [rows, attempts] = await Promise.all([store.listDeliveries({ bucket, eventId }), store.listAttempts({ bucket, eventId })])
    const delivery = rows.find((each) => each.endpointId === endpointId)
    if (delivery === undefined) throw new RpcError('deliveryNotFound', { data: 'endpointId' })
    return {
      delivery: { ...delivery, type: found.event.type },
      url: found.endpoint?.url ?? null,
      body: found.event.body,
      attempts: attempts.filter((each) => each.endpointId === endpointId).toReversed(),
    }
  }
}

function readAfter(after: TimePlace | null): Pick<DeliveryRow, 'madeAt' | 'eventId' | 'endpointId'> | null {
  return after === null ? null : { madeAt: after.at, eventId: after.id.slice(0, idLength), endpointId: after.id.slice(idLength) }
}

const idLength = 24
/** The most that one page looks at. */
const lookMax = 500
