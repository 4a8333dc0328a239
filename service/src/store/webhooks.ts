import type { EventType } from '@tessera/contract/event'

import type { AuditNote } from './audit.ts'
import type { EventRow } from './riders.ts'

/** The questions about events on their way to merchants; `Store` includes them. */
export interface WebhookStore {
  /** Keeps an endpoint; false when the merchant has this URL already, or as many as it may have. */
  insertEndpoint(endpoint: EndpointRow, endpointsMax: number, audit: AuditNote): Promise<boolean>
  /** A merchant's endpoints, oldest first. */
  listEndpoints(of: EndpointsAsked): Promise<EndpointRow[]>
  /** Puts other secrets in place; false when the endpoint is gone, or its secret is no longer `before`. */
  changeSecrets(next: EndpointRow, before: Uint8Array, audit: AuditNote): Promise<boolean>
  /** What waits for it is not delivered any more. False when it is gone already. */
  removeEndpoint(key: EndpointKey, audit: AuditNote): Promise<boolean>

  /**
   * Takes deliveries that are due, longest due first, until `leaseUntil`: nobody else gets them before. Of each object of an endpoint only
   * the oldest event that waits.
   */
  claimDeliveries(claim: DeliveriesClaim): Promise<DeliveryRow[]>
  /** What has to be sent; null when the event is gone. */
  findDelivery(key: DeliveryKey): Promise<ToDeliver | null>
  /** Keeps an attempt and what comes after it; false when the claim is no longer ours, and then nothing is kept. */
  settleDelivery(settled: SettledDelivery): Promise<boolean>
  /** Events of a merchant that happened from `from` on, newest first. */
  listEvents(ask: EventsAsked): Promise<EventRow[]>
  listDeliveries(of: { readonly bucket: number; readonly eventId: string }): Promise<DeliveryRow[]>
  /** Every attempt to deliver an event, oldest first. */
  listAttempts(of: { readonly bucket: number; readonly eventId: string }): Promise<AttemptRow[]>
  /** What was given up, newest first. */
  listDeadDeliveries(of: EndpointsAsked & { readonly count: number }): Promise<DeliveryRow[]>
  /** Of a merchant, those of the newest events first, by (madeAt, eventId, endpointId), from behind `after`. */
  listDeliveryPage(ask: DeliveryPageAsked): Promise<ListedDelivery[]>
  /** Makes an event due again at the merchant's endpoints of now, or at one of them, with every try before it; tells at how many. */
  replayEvent(replay: Replay, audit: AuditNote): Promise<number>
  /** Drops events that happened before a moment, with their deliveries and attempts, unless they still wait; tells how many. */
  dropEvents(before: number, stopping?: AbortSignal): Promise<number>
}

export interface EndpointsAsked {
  readonly bucket: number
  readonly merchantId: string
}

export interface EndpointKey extends EndpointsAsked {
  readonly endpointId: string
}

export interface EndpointRow extends EndpointKey {
  readonly url: string
  /** Sealed; what is signed with. */
  readonly secret: Uint8Array
  /** Sealed; signed with as well until `beforeEndsAt`, during a rotation. */
  readonly secretBefore: Uint8Array | null
  /** 0 without one. */
  readonly beforeEndsAt: number
  readonly createdAt: number
}

export interface DeliveryKey extends EndpointKey {
  readonly eventId: string
}

/** One event on its way to one endpoint. */
export interface DeliveryRow extends DeliveryKey {
  readonly objectId: string
  readonly position: number
  readonly state: 'waiting' | 'delivered' | 'dead'
  /** Begun since it was made or last replayed. */
  readonly tries: number
  /** Begun ever. */
  readonly attempts: number
  /** When it may be tried next, or the end of a claim's lease; null: never. */
  readonly dueAt: number | null
  readonly madeAt: number
  /** 0 while it waits. */
  readonly settledAt: number
}

/** A delivery of a list, with what its event told. */
export interface ListedDelivery extends DeliveryRow {
  readonly type: EventType
}

export interface DeliveryPageAsked extends EndpointsAsked {
  readonly after: Pick<DeliveryRow, 'madeAt' | 'eventId' | 'endpointId'> | null
  /** Null: in whatever state. */
  readonly state: DeliveryRow['state'] | null
  readonly count: number
}

export interface ToDeliver {
  readonly event: EventRow
  /** Null when it was removed. */
  readonly endpoint: EndpointRow | null
}

export interface DeliveriesClaim {
  readonly now: number
  readonly leaseUntil: number
  /** Ours alone: what is settled has to be claimed by it still. */
  readonly claimId: string
  readonly count: number
  /** Endpoints that have enough to do; at most `busyMax` of them are heard. */
  readonly busy: readonly string[]
}

/** How many endpoints a claim can leave out. */
export const busyMax = 8

/** One attempt, as it is kept: a word and the HTTP status (0 without one), never what the endpoint said. */
export interface AttemptRow extends Omit<DeliveryKey, 'merchantId'> {
  readonly number: number
  readonly at: number
  readonly tookMs: number
  readonly outcome: string
  readonly status: number
}

export interface SettledDelivery {
  readonly claimId: string
  readonly attempt: AttemptRow
  readonly now: number
  /** When it is tried again; null: it is `delivered` or `dead`. */
  readonly state: DeliveryRow['state']
  readonly dueAt: number | null
}

export interface EventsAsked extends EndpointsAsked {
  readonly from: number
  readonly count: number
}

export interface Replay extends EndpointsAsked {
  readonly eventId: string
  /** Null: at each of the merchant's endpoints. */
  readonly endpointId: string | null
  readonly now: number
}
