import type { RpcError } from '@tessera/contract/errors'

import type { CardRiders, IdempotencyAnswer, IdempotencyClaim } from '../store/store.ts'

/**
 * The idempotency key of a call, as the nouns know it: something to put into the units of the store. `T` is what a deed comes to; the method
 * knows how it is told on the wire.
 */
export interface Rider<T> {
  /** For the commit of the intention. `subject` is the id by which it is found out what became of it, should nobody answer. */
  readonly claim: (subject: string) => IdempotencyClaim
  /** For the commit of the outcome. Null for what is not kept: a fault of ours, or an outcome that is none yet. */
  readonly answer: (outcome: T | RpcError) => IdempotencyAnswer | null
}

/** What a method may do with the key of its call; results are as they go over the wire. */
export type IdempotentCall = Rider<object>

/** Rides with the intention, before the outside is asked. */
export function rideIntention(rider: Rider<never> | null, subject: string): CardRiders | null {
  return rider === null ? null : { claim: rider.claim(subject), answer: null, events: [] }
}

/** Rides with the outcome of what was claimed before. */
export function rideOutcome<T>(rider: Rider<T> | null, outcome: T | RpcError): CardRiders | null {
  return rider === null ? null : { claim: null, answer: rider.answer(outcome), events: [] }
}

/** Rides where intention and outcome are one unit. */
export function rideBoth<T>(rider: Rider<T> | null, subject: string, outcome: T): CardRiders | null {
  return rider === null ? null : { claim: rider.claim(subject), answer: rider.answer(outcome), events: [] }
}

/** Passes on what a unit answered. Throws `TwinFound` when it did nothing. */
export function expectFirst<A>(answer: A): Exclude<A, 'twin'> {
  if (answer === 'twin') throw new TwinFound()
  return answer as Exclude<A, 'twin'>
}

/** The same key is claimed by another request: nothing was done, and its outcome is this one's. */
export class TwinFound extends Error {
  override readonly name = 'TwinFound'
}
