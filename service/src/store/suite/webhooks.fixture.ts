import { claimDeliveries, type DeliveryClaim } from '../delivery-claims.ts'
import { type DeliveryRow, recordDeliveryAttempt } from '../deliveries.ts'
import { insertReceipt } from '../receipts.ts'
import type { Store } from '../store.ts'
import { type EndpointRow, insertEndpoint } from '../webhook-endpoints.ts'
import { makeEvent, makeReceipt, makeReceiptExtras } from './money.fixture.ts'
import { bucket, bytesOf, makeCard, makeAuditEntryWithoutVersion, sampleMerchantId, T0 } from './samples.fixture.ts'

export function makeEndpoint(name: string, over: Partial<EndpointRow> = {}): EndpointRow {
  return {
    bucket,
    merchantId: sampleMerchantId,
    endpointId: name,
    url: `https://shop.example/${name}`,
    secret: bytesOf(`secret ${name}`, 78),
    previousSecret: null,
    previousSecretEndsAt: 0,
    createdAt: T0,
    version: 1,
    types: '',
    disabledAt: 0,
    mac: bytesOf(`endpoint ${name}`, 48),
    ...over,
  }
}

export async function insertSampleEndpoint(store: Store, name: string): Promise<EndpointRow> {
  const endpoint = makeEndpoint(name)
  await store.write(insertEndpoint, { endpoint, maxEndpoints: 5, audit: endpointAuditEntry })
  return endpoint
}

/** Inserts a receipt with `count` events of one object at T0. Returns the event ids. */
export async function insertSampleEvents(store: Store, number: number, objectId: string, count: number): Promise<string[]> {
  const receipt = makeReceipt(number)
  const events = Array.from({ length: count }, (_, n) => makeEvent(objectId, String(n + 1)))
  await store.write(insertReceipt, { receipt, ...makeReceiptExtras(receipt, { events }) })
  return events.map(({ eventId }) => eventId)
}

/** A claim for the endpoint `one`. */
export function makeDeliveriesClaim(claimId: string, now: number, over: Partial<DeliveryClaim> = {}): DeliveryClaim {
  return { endpoint: { bucket, endpointId: 'one' }, now, leaseUntil: now + 30_000, claimId, count: 16, ...over }
}

/** Claims all that can be claimed for endpoints of the sample merchant. */
export async function claimAll(store: Store, claimId: string, now: number, endpointIds = ['one', 'two']): Promise<DeliveryRow[]> {
  const all: DeliveryRow[] = []
  for (const endpointId of endpointIds) {
    for (let isMore = true; isMore;) {
      const claim = makeDeliveriesClaim(claimId, now, { endpoint: { bucket, endpointId } })
      const { claimed, hasMore } = await store.write(claimDeliveries, claim)
      all.push(...claimed)
      isMore = hasMore && claimed.length > 0
    }
  }
  return all
}

/** Records the outcome of a claimed delivery: delivered, dead, or the time of the next attempt. False when the claim is over. */
export async function recordAttempt(
  store: Store,
  delivery: DeliveryRow,
  claimId: string,
  now: number,
  end: DeliveryOutcome,
): Promise<boolean> {
  const { endpointId, eventId, totalAttempts } = delivery
  const attempt = {
    bucket,
    endpointId,
    eventId,
    number: totalAttempts,
    at: now,
    tookMs: 3,
    outcome: 'delivered',
    status: 200,
    replyHeaders: '',
    replyBody: '',
  }
  const state = typeof end === 'number' ? 'waiting' : end
  return (await store.write(recordDeliveryAttempt, { claimId, attempt, now, state, dueAt: typeof end === 'number' ? end : null })) !== null
}

type DeliveryOutcome = 'delivered' | 'dead' | number

export const endpointAuditEntry = makeAuditEntryWithoutVersion(makeCard(1), 'webhook.changed')
