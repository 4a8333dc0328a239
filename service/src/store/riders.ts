import type { EventType } from '@tessera/contract/event'
import type { AuditNote } from './audit.ts'

/**
 * What goes into the same transaction as an effect. Every money unit takes them, so that effect, idempotency, audit and events are kept
 * together or not at all (security.md §3, rule 3).
 */
export interface Riders {
  readonly audit: AuditNote
  /** Claims the key with the intention; when the key is taken, the whole unit does nothing and answers `twin`. */
  readonly claim: IdempotencyClaim | null
  /** Answers the claim; together with `claim` in one unit, the row is answered from the start. */
  readonly answer: IdempotencyAnswer | null
  readonly events: readonly EventRow[]
}

/** The riders of a question that takes its audit notes by itself. */
export type CardRiders = Omit<Riders, 'audit'>

/** Of a code that is tried: `answer` and `events` ride with the right one. */
export interface CodeRiders extends CardRiders {
  /** Rides with the wrong one. */
  readonly answerWrong: IdempotencyAnswer | null
}

/** What a unit may answer besides, when riders were given. */
export type Twin<R extends CardRiders | null> = R extends CardRiders ? 'twin' : never

export interface IdempotencyKey {
  readonly bucket: number
  readonly merchantId: string
  readonly callerClass: 'server' | 'browser'
  /** Keyed hash of the header's value. */
  readonly keyHash: Uint8Array
}

export interface IdempotencyClaim extends IdempotencyKey {
  /** Keyed hash of profile, method and canonical params. */
  readonly identity: Uint8Array
  readonly hashKeyId: string
  readonly claimedAt: number
  /** Until then a twin waits; afterwards the claim is settled by what happened, never run again. */
  readonly leaseUntil: number
  /** When the row may be dropped. */
  readonly endsAt: number
  readonly method: string
  /** Id of the receipt, card or attempt that settles an expired claim. */
  readonly subject: string
  /** Our id of the request that claims. `keepIdempotency` of the same request answers its own claim, and no other's. */
  readonly requestId?: string
}

export interface IdempotencyAnswer extends IdempotencyKey {
  /** The outcome, sealed under the request itself. */
  readonly sealed: Uint8Array
}

export interface IdempotencyRow extends IdempotencyClaim {
  readonly sealed: Uint8Array | null
}

/** An event in the outbox, kept with its effect and delivered afterwards. Those of one object keep the order in which they were written. */
export interface EventRow {
  readonly bucket: number
  readonly merchantId: string
  readonly eventId: string
  readonly type: EventType
  /** Card or receipt id: events of one object are delivered in order. */
  readonly objectId: string
  readonly at: number
  /** JSON: the body as it will be delivered. */
  readonly body: string
}
