import type { DeliveriesClaim, DeliveryRow, EndpointRow, Store } from '../store.ts'
import { makeEvent, makeReceipt, makeRiders } from './money.fixture.ts'
import { bucket, bytesOf, makeCard, makeQuietNote, merchantId, T0 } from './samples.fixture.ts'

export function makeEndpoint(name: string, over: Partial<EndpointRow> = {}): EndpointRow {
  return {
    bucket,
    merchantId,
    endpointId: name,
    url: `https://shop.example/${name}`,
    secret: bytesOf(`secret ${name}`, 78),
    secretBefore: null,
    beforeEndsAt: 0,
    createdAt: T0,
    ...over,
  }
}

export async function keepEndpoint(store: Store, name: string): Promise<EndpointRow> {
  const endpoint = makeEndpoint(name)
  await store.insertEndpoint(endpoint, 5, endpointNote)
  return endpoint
}

/** Keeps a receipt with events of one object: `o 1`, `o 2` … at T0. Returns their ids. */
export async function tell(store: Store, number: number, objectId: string, count: number): Promise<string[]> {
  const receipt = makeReceipt(number)
  const events = Array.from({ length: count }, (_, n) => makeEvent(objectId, String(n + 1)))
  await store.insertReceipt(receipt, makeRiders(receipt, { events }))
  return events.map(({ eventId }) => eventId)
}

export function makeDeliveriesClaim(claimId: string, now: number, over: Partial<DeliveriesClaim> = {}): DeliveriesClaim {
  return { now, leaseUntil: now + 30_000, claimId, count: 100, busy: [], ...over }
}

/** Settles a claimed delivery: delivered, given up, or to be tried again at a moment. */
export function settle(store: Store, delivery: DeliveryRow, claimId: string, now: number, end: DeliveryEnd): Promise<boolean> {
  const { endpointId, eventId, attempts } = delivery
  const attempt = { bucket, endpointId, eventId, number: attempts, at: now, tookMs: 3, outcome: 'said', status: 200 }
  const state = typeof end === 'number' ? 'waiting' : end
  return store.settleDelivery({ claimId, attempt, now, state, dueAt: typeof end === 'number' ? end : null })
}

type DeliveryEnd = 'delivered' | 'dead' | number

export const endpointNote = makeQuietNote(makeCard(1), 'webhook.changed')
