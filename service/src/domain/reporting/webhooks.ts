import { RpcError } from '@tessera/contract/errors'
import type { EventType } from '@tessera/contract/event'
import { bucketOfId } from '@tessera/vault/id'

import type { Clock } from '../../clock.ts'
import {
  type DeliveryAttemptRow,
  type DeliveryRow,
  findDueDelivery,
  listDeliveries,
  listDeliveryAttempts,
  listDeliveryPage,
  type ListedDelivery,
} from '../../store/deliveries.ts'
import type { Store } from '../../store/store.ts'
import type { TimeCursor } from '../../store/transaction.ts'
import type { EndpointRow } from '../../store/webhook-endpoints.ts'
import type { WebhookEndpointAdministration } from '../webhooks/webhooks.ts'

import type { MerchantCardsKey } from './cards.ts'

export type { DeliveryAttemptRow, EndpointRow, ListedDelivery }

export type WebhookEndpoints = WebhookEndpointAdministration

export interface DeliveryListQuery {
  readonly state: DeliveryRow['state'] | null
  readonly type: EventType | null
  readonly endpointId: string | null
  /** `id` is the event id followed by the endpoint id. */
  readonly after: TimeCursor | null
  readonly count: number
}

export interface DeliveryPage {
  readonly deliveries: readonly ListedDelivery[]
  readonly next: TimeCursor | null
}

export interface DeliveryDetails {
  readonly delivery: ListedDelivery
  /** Null when the endpoint was removed. */
  readonly url: string | null
  readonly body: string
  /** Newest first. */
  readonly attempts: readonly DeliveryAttemptRow[]
}

/** The merchant's endpoints and deliveries, as shown to its users. */
export interface WebhookReports {
  readonly endpoints: WebhookEndpoints
  readonly now: () => number
  /** Maximum number of endpoints per merchant. */
  readonly endpointsMax: number
  /** Keyed by endpoint id. */
  urls(merchantId: string): Promise<ReadonlyMap<string, string>>
  list(of: MerchantCardsKey, query: DeliveryListQuery): Promise<DeliveryPage>
  /** Throws `deliveryNotFound`. */
  get(of: MerchantCardsKey, key: { readonly eventId: string; readonly endpointId: string }): Promise<DeliveryDetails>
}

export function makeWebhookReports({ store, clock }: { store: Store; clock: Clock }, endpoints: WebhookEndpoints): WebhookReports {
  return Object.freeze({ endpoints, now: () => clock.now(), endpointsMax: endpoints.endpointsMax, urls, list, get })

  async function urls(merchantId: string): Promise<ReadonlyMap<string, string>> {
    const found = await endpoints.list(merchantId)
    return new Map(found.map(({ endpointId, url }) => [endpointId, url]))
  }

  /** State has an index. Type and endpoint are filtered over a bounded number of rows, so that every page costs the same. */
  async function list(
    { bucket, merchantId }: MerchantCardsKey,
    { state, type, endpointId, after, count }: DeliveryListQuery,
  ): Promise<DeliveryPage> {
    const look = type === null && endpointId === null ? count : lookMax
    const found = await store.read(listDeliveryPage({ bucket, merchantId, state, after: readAfter(after), count: look + 1 }))
    const deliveries: ListedDelivery[] = []
    let seen = 0
    for (const each of found) {
      if (deliveries.length === count || seen === look) break
      seen += 1
      if ((type === null || each.type === type) && (endpointId === null || each.endpointId === endpointId)) deliveries.push(each)
    }
    const last = seen < found.length ? found[seen - 1] : undefined
    return { deliveries, next: last === undefined ? null : { at: last.createdAt, id: `${last.eventId}${last.endpointId}` } }
  }

  async function get(
    { bucket, merchantId }: MerchantCardsKey,
    { eventId, endpointId }: Parameters<WebhookReports['get']>[1],
  ): Promise<DeliveryDetails> {
    const isOwn = bucketOfId(eventId) === bucket
    const found = isOwn ? await store.read(findDueDelivery({ bucket, merchantId, eventId, endpointId })) : null
    if (found === null) throw new RpcError('deliveryNotFound', { data: 'eventId' })
    const [rows, attempts] = await Promise.all([
      store.read(listDeliveries({ bucket, eventId })),
      store.read(listDeliveryAttempts({ bucket, eventId })),
    ])
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

function readAfter(after: TimeCursor | null): Pick<DeliveryRow, 'createdAt' | 'eventId' | 'endpointId'> | null {
  return after === null ? null : { createdAt: after.at, eventId: after.id.slice(0, idLength), endpointId: after.id.slice(idLength) }
}

const idLength = 24
/** Maximum number of rows read for one page. */
const lookMax = 500
