import { RpcError } from '@tessera/contract/errors'

import type { IdempotencyRow } from '../store/store.ts'

import type { Kept } from './find.ts'
import type { Keyed, KeyedCall } from './keyed.ts'
import { isKept, outcomeOf, type Outcome } from './outcome.ts'
import type { Deed, IdempotencyParts } from './parts.ts'
import { openAnswer, sealAnswer } from './ride.ts'

/** What all steps of one call know. */
export interface Asked<T> {
  readonly asked: KeyedCall
  readonly keyed: Keyed
  readonly deed: Deed<T>
}

/**
 * What a claimed key came to. While its first request is under way it is waited for, as long as its lease; then the claim is settled by what
 * happened, and never run again. `again`: the row is another one meanwhile.
 */
export async function awaitOutcome<T>(
  parts: IdempotencyParts,
  asking: Asked<T>,
  { row: first, place }: Kept,
): Promise<Outcome<T> | 'again'> {
  const { store, clock } = parts
  let row: IdempotencyRow | null = first
  for (let look = 0, waitMs = firstWaitMs; look < looksMax; look++, waitMs = Math.min(waitMs * 2, longestWaitMs)) {
    if (row === null || Buffer.compare(row.identity, first.identity) !== 0) return 'again'
    if (row.sealed !== null) return openAnswer(asking.keyed, place, row.sealed)
    const leftMs = row.leaseUntil - clock.now()
    const settled = await settle(asking, row, leftMs <= 0)
    if (settled !== null && !isKept(settled)) return settled
    if (leftMs <= 0) return settled === null ? notKnown() : await keepSettled(parts, asking, { row, place }, settled)
    if (settled === null) await sleep(parts, Math.min(waitMs, leftMs), asking.asked.signal)
    row = await store.findIdempotency(place.key)
    // It is known what happened: the answer has come with it, or nobody is left to give one.
    if (settled !== null && row?.sealed === null) return settled
  }
  return notKnown()
}

function settle<T>({ deed }: Asked<T>, { subject, method }: IdempotencyRow, isExpired: boolean): Promise<Outcome<T> | null> {
  const { settle: find } = deed
  if (find === null) throw new Error(`${method} claims and answers in one unit, and here is a claim without an answer`)
  return outcomeOrNull(() => find({ subject, isExpired }))
}

async function outcomeOrNull<T>(find: () => Promise<T | null>): Promise<Outcome<T> | null> {
  const outcome = await outcomeOf(find)
  if ('error' in outcome) return outcome
  return outcome.result === null ? null : { result: outcome.result }
}

async function keepSettled<T>(
  { store, clock }: IdempotencyParts,
  { keyed }: Asked<T>,
  { row, place }: Kept,
  settled: Outcome<T>,
): Promise<Outcome<T> | 'again'> {
  const { sealed: _none, ...claim } = row
  const isOurs = await store.keepIdempotency({ ...claim, claimedAt: clock.now() }, sealAnswer(keyed, place, settled))
  return isOurs ? settled : 'again'
}

async function sleep({ clock }: IdempotencyParts, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch (cause) {
    if (!signal.aborted) throw cause
    throw new RpcError('outcomeUnknown')
  }
}

function notKnown<T>(): Outcome<T> {
  return { error: new RpcError('outcomeUnknown') }
}

const firstWaitMs = 5
const longestWaitMs = 200
/** More than any lease; a clock that is set back does not make it longer. */
const looksMax = 1000
