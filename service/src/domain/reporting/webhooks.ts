import { RpcError } from '@tessera/contract/errors'
import type { EventType } from '@tessera/contract/event'
import { bucketOfId } from '@tessera/vault/id'

import type { Clock } from '../../clock.ts'
import {
  deliveriesTable,
  type DeliveryAttemptRow,
  type DeliveryRow,
  findDueDelivery,
  listDeadDeliveries,
  listDeliveries,
  listDeliveriesOfObject,
  listDeliveryAttempts,
  listDeliveryPage,
  type ListedDelivery,
  listOldestWaiting,
} from '../../store/deliveries.ts'
import { type EventRow, outboxTable } from '../../store/outbox.ts'
import type { Store } from '../../store/store.ts'
import type { TimeCursor } from '../../store/transaction.ts'
import { type EndpointRow, webhookEndpointsTable } from '../../store/webhook-endpoints.ts'
import { makeVerifiedRows, type VerifiedRowDependencies } from '../verified-rows.ts'
import type { WebhookEndpointAdministration } from '../webhooks/webhooks.ts'

import type { MerchantCardsKey } from './cards.ts'

export type { DeliveryAttemptRow, EndpointRow }

export type WebhookEndpoints = WebhookEndpointAdministration

export interface DeliveryListQuery {
  readonly state: DeliveryRow['state'] | null
  readonly type: EventType | null
  readonly endpointId: string | null
  /** The card or receipt of the events. */
  readonly objectId: string | null
  /** `id` is the event id followed by the endpoint id. */
  readonly after: TimeCursor | null
  readonly count: number
}

/** A delivery with its verified event and endpoint. */
export interface DeliveryLookup extends DeliveryRow {
  /** Null when it was not written by this service as the event of this delivery. */
  readonly event: EventRow | null
  /** Null when it was removed. */
  readonly endpoint: EndpointRow | 'tampered' | null
}

export interface DeliveryPage {
  readonly deliveries: readonly DeliveryLookup[]
  readonly next: TimeCursor | null
}

export interface DeliveryDetails {
  readonly delivery: DeliveryLookup
  /** Newest first. */
  readonly attempts: readonly DeliveryAttemptRow[]
}

export interface EndpointHealth {
  /** Of the newest deliveries of the merchant those to this endpoint that were attempted, and how many of them were delivered. */
  attempted: number
  delivered: number
  lastFailedAt: number | null
  oldestWaitingAt: number | null
}

export interface WebhookReportDependencies extends VerifiedRowDependencies {
  readonly store: Store
  readonly clock: Clock
}

/** The merchant's endpoints and deliveries, as shown to its users. Nothing of a tampered event or endpoint is shown. */
export interface WebhookReports {
  readonly endpoints: WebhookEndpoints
  readonly now: () => number
  /** Maximum number of endpoints per merchant. */
  readonly endpointsMax: number
  /** How the deliveries to each endpoint go, by its id. */
  health(of: MerchantCardsKey): Promise<ReadonlyMap<string, EndpointHealth>>
  list(of: MerchantCardsKey, query: DeliveryListQuery): Promise<DeliveryPage>
  /** Throws `deliveryNotFound`. */
  get(of: MerchantCardsKey, key: { readonly eventId: string; readonly endpointId: string }): Promise<DeliveryDetails>
}

export function makeWebhookReports(deps: WebhookReportDependencies, endpoints: WebhookEndpoints): WebhookReports {
  const { store, clock, alarm } = deps
  const eventRows = makeVerifiedRows(deps, outboxTable)
  const endpointRows = makeVerifiedRows(deps, webhookEndpointsTable)
  return Object.freeze({ endpoints, now: () => clock.now(), endpointsMax: endpoints.endpointsMax, health, list, get })

  /** From a bounded number of rows of indexes, so that it costs the same however many deliveries there are. */
  async function health({ bucket, merchantId }: MerchantCardsKey): ReturnType<WebhookReports['health']> {
    const query = { bucket, merchantId, count: lookMax }
    const [newest, dead, waiting] = await Promise.all([
      store.read(listDeliveryPage({ ...query, state: null, after: null })),
      store.read(listDeadDeliveries(query)),
      store.read(listOldestWaiting(query)),
    ])
    const found = new Map<string, EndpointHealth>()
    const of = (endpointId: string): EndpointHealth => {
      const known = found.get(endpointId) ?? { attempted: 0, delivered: 0, lastFailedAt: null, oldestWaitingAt: null }
      found.set(endpointId, known)
      return known
    }
    for (const { endpointId, state, totalAttempts } of newest) {
      if (totalAttempts > 0) of(endpointId).attempted += 1
      if (state === 'delivered') of(endpointId).delivered += 1
    }
    for (const { endpointId, finishedAt } of dead) of(endpointId).lastFailedAt ??= finishedAt
    for (const { endpointId, createdAt } of waiting) of(endpointId).oldestWaitingAt ??= createdAt
    return found
  }

  /** State has an index. Type and endpoint are filtered over a bounded number of rows, so that every page costs the same. */
  async function list(
    { bucket, merchantId }: MerchantCardsKey,
    { state, type, endpointId, objectId, after, count }: DeliveryListQuery,
  ): Promise<DeliveryPage> {
    if (objectId !== null) {
      const found = await store.read(listDeliveriesOfObject({ bucket, merchantId, objectId, count: ofObjectMax }))
      const wanted = found.filter((each) => isWanted(each, { state, type, endpointId }))
      return { deliveries: await Promise.all(wanted.map(lookUp)), next: null }
    }
    const look = type === null && endpointId === null ? count : lookMax
    const found = await store.read(listDeliveryPage({ bucket, merchantId, state, after: readAfter(after), count: look + 1 }))
    const deliveries: ListedDelivery[] = []
    let seen = 0
    for (const each of found) {
      if (deliveries.length === count || seen === look) break
      seen += 1
      if (isWanted(each, { state: null, type, endpointId })) deliveries.push(each)
    }
    const last = seen < found.length ? found[seen - 1] : undefined
    return {
      deliveries: await Promise.all(deliveries.map(lookUp)),
      next: last === undefined ? null : { at: last.createdAt, id: `${last.eventId}${last.endpointId}` },
    }
  }

  async function get(
    { bucket, merchantId }: MerchantCardsKey,
    { eventId, endpointId }: Parameters<WebhookReports['get']>[1],
  ): Promise<DeliveryDetails> {
    const isOwn = bucketOfId(eventId) === bucket
    if (!isOwn) throw new RpcError('deliveryNotFound', { data: 'eventId' })
    const [rows, attempts] = await Promise.all([
      store.read(listDeliveries({ bucket, eventId })),
      store.read(listDeliveryAttempts({ bucket, eventId })),
    ])
    const delivery = rows.find((each) => each.endpointId === endpointId)
    if (delivery?.merchantId !== merchantId) throw new RpcError('deliveryNotFound', { data: 'endpointId' })
    return {
      delivery: await lookUp(delivery),
      attempts: attempts.filter((each) => each.endpointId === endpointId).toReversed(),
    }
  }

  /** Verifies the event and the endpoint, as before a delivery is sent. */
  async function lookUp(delivery: DeliveryRow): Promise<DeliveryLookup> {
    const found = await store.read(findDueDelivery(delivery))
    if (found === null) return { ...delivery, event: null, endpoint: null }
    const [isEventValid, isEndpointValid] = await Promise.all([
      eventRows.isValid(found.event),
      found.endpoint === null || endpointRows.isValid(found.endpoint),
    ])
    const isOwnEvent = found.event.objectId === delivery.objectId
    if (isEventValid && !isOwnEvent)
      alarm('row_tampered', { merchantId: delivery.merchantId, cardId: '', requestId: '', table: deliveriesTable.name })
    return {
      ...delivery,
      event: isEventValid && isOwnEvent ? found.event : null,
      endpoint: isEndpointValid ? found.endpoint : 'tampered',
    }
  }
}

function readAfter(after: TimeCursor | null): Pick<DeliveryRow, 'createdAt' | 'eventId' | 'endpointId'> | null {
  return after === null ? null : { createdAt: after.at, eventId: after.id.slice(0, idLength), endpointId: after.id.slice(idLength) }
}

function isWanted(
  delivery: ListedDelivery,
  { state, type, endpointId }: Pick<DeliveryListQuery, 'state' | 'type' | 'endpointId'>,
): boolean {
  return (
    (state === null || delivery.state === state) &&
    (type === null || delivery.type === type) &&
    (endpointId === null || delivery.endpointId === endpointId)
  )
}

const idLength = 24
/** So many deliveries of one card or receipt are listed. */
const ofObjectMax = 100
/** Maximum number of rows read for one page. */
const lookMax = 500
