import { timingSafeEqual } from 'node:crypto'

import { RpcError } from '@tessera/contract/errors'
import { findKept } from './find.ts'
import { keyCall, type KeyedCall } from './keyed.ts'
import { isKept, outcomeOf, tell, type Outcome } from './outcome.ts'
import type { Deed, IdempotencyParts } from './parts.ts'
import { makeRide } from './ride.ts'
import { TwinFound } from './rider.ts'
import { awaitOutcome, type Asked } from './wait.ts'

/** Calls that are made again with the same key, and done once. */
export interface Idempotency {
  /**
   * Does a call, or gives what it came to when it was first made. Throws `idempotencyMismatch` when the key belongs to another request, what the
   * call threw, and what it throws.
   */
  once<T extends object>(asked: KeyedCall, deed: Deed<T>): Promise<T>
  /** Forgets the keys whose time is over; tells how many. To be called now and then. */
  dropPast(stopping?: AbortSignal): Promise<number>
}

export function makeIdempotency(parts: IdempotencyParts): Idempotency {
  return Object.freeze({
    once: <T extends object>(asked: KeyedCall, deed: Deed<T>) => once(parts, asked, deed),
    dropPast: (stopping?: AbortSignal) => parts.store.dropIdempotency(parts.clock.now(), stopping),
  })
}

async function once<T extends object>(parts: IdempotencyParts, asked: KeyedCall, deed: Deed<T>): Promise<T> {
  const keyed = await keyCall(parts, asked)
  try {
    for (let turn = 0; turn < turnsMax; turn++) {
      const kept = await findKept(parts, keyed)
      if (kept !== null && !timingSafeEqual(kept.row.identity, kept.place.identity)) throw new RpcError('idempotencyMismatch')
      const outcome =
        kept === null ? await runFirst(parts, { asked, keyed, deed }) : await awaitOutcome(parts, { asked, keyed, deed }, kept)
      if (outcome !== 'again') return tell(outcome)
    }
    throw new RpcError('overloaded', { retryAfterMs: 1000 })
  } finally {
    keyed.digest.fill(0)
  }
}

/** Runs the deed. What no unit of its own has kept is kept here; `again` when a twin was faster, whose outcome then counts. */
async function runFirst<T extends object>(parts: IdempotencyParts, { asked, keyed, deed }: Asked<T>): Promise<Outcome<T> | 'again'> {
  const ride = makeRide(parts, asked, keyed)
  try {
    const outcome = await outcomeOf(() => deed.run(ride.call))
    return !isKept(outcome) || (await ride.keep(outcome)) ? outcome : 'again'
  } catch (err) {
    if (err instanceof TwinFound) return 'again'
    throw err
  }
}

/** Who loses to a twin reads what it left; more than a few times in a row is something unforeseen. */
const turnsMax = 5
