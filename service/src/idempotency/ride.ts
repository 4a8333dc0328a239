import { RpcError } from '@tessera/contract/errors'
import { openOutcome, sealOutcome } from '@tessera/vault/outcome'

import type { IdempotencyAnswer, IdempotencyClaim, IdempotencyRow } from '../store/store.ts'

import type { IdempotencyParts } from './parts.ts'
import type { Keyed, KeyedCall, KeyedPlace } from './keyed.ts'
import { isKept, readOutcome, writeOutcome, type Outcome } from './outcome.ts'
import type { IdempotentCall } from './rider.ts'

/** One run of a call, on its way to be kept. */
export interface Ride {
  readonly call: IdempotentCall
  /** Keeps an outcome unless a unit has; false when the key was taken by another request. */
  keep(outcome: Outcome<unknown>): Promise<boolean>
}

export function makeRide({ store, clock, figures }: IdempotencyParts, asked: KeyedCall, keyed: Keyed): Ride {
  const [place] = keyed.places
  const { key, identity, dek } = place
  const { method, requestId } = asked
  const ridden = new Set<string>()
  let subject = ''
  return { call: { claim, answer }, keep }

  function claim(named: string): IdempotencyClaim {
    subject = named
    const now = clock.now()
    const times = { claimedAt: now, leaseUntil: now + figures.leaseMs, endsAt: now + figures.keptMs }
    return { ...key, identity, hashKeyId: dek.keyId, ...times, method, subject, requestId }
  }

  function answer(said: object): IdempotencyAnswer | null {
    const outcome = said instanceof RpcError ? { error: said } : { result: said }
    if (!isKept(outcome)) return null
    ridden.add(writeOutcome(outcome))
    return sealAnswer(keyed, place, outcome)
  }

  async function keep(outcome: Outcome<unknown>): Promise<boolean> {
    // What was handed to a unit is there, unless that unit found nothing to do.
    const row = ridden.has(writeOutcome(outcome)) ? await store.findIdempotency(key) : null
    if (row !== null && row.requestId === requestId && row.sealed !== null) return true
    return store.keepIdempotency(claim(subject), sealAnswer(keyed, place, outcome))
  }
}

export function sealAnswer({ owner, digest }: Keyed, { dek, key }: KeyedPlace, outcome: Outcome<unknown>): IdempotencyAnswer {
  // Memory of its own, which can be wiped: a small Buffer would lie in a shared one.
  const plaintext = new TextEncoder().encode(writeOutcome(outcome))
  const sealed = sealOutcome(dek, owner, digest, plaintext)
  plaintext.fill(0)
  return { ...key, sealed }
}

export function openAnswer<T>({ owner, digest }: Keyed, { dek }: KeyedPlace, sealed: NonNullable<IdempotencyRow['sealed']>): Outcome<T> {
  const plaintext = openOutcome(dek, owner, digest, sealed)
  const outcome = readOutcome<T>(new TextDecoder().decode(plaintext))
  plaintext.fill(0)
  return outcome
}
