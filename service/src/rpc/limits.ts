import { RpcError, type ErrorName } from '@tessera/contract/errors'

import type { LimitClass } from '../methods/method.ts'
import { blockOf, subscriberOf } from '../limits/address.ts'
import type { MerchantLimits } from '../limits/merchant-limits.ts'
import { makeSlidingCounts, type SlidingCounts, type Window } from '../limits/sliding-counts.ts'

/** The coarse limits, asked before params are read: so many calls of a class from one address, one block of addresses, one merchant. */
export interface CoarseLimits {
  /** Counts one call. Throws `addressLimit`, `blockLimit` or `merchantLimit` with the wait, and counts nothing then. */
  take(call: LimitedCall): void
}

export interface LimitedCall {
  readonly class: LimitClass
  readonly address: string
  /** Null where a method needs no merchant. */
  readonly merchantId: string | null
  /** `server` showed the password. */
  readonly as: 'server' | 'browser' | 'dashboard'
  readonly limits: MerchantLimits | null
}

/** How many calls of a class one subject may make; an empty list: as many as it likes. */
export interface LimitFigures {
  readonly address: readonly Window[]
  readonly block: readonly Window[]
  readonly merchant: readonly Window[]
}

/** Limits counted in this process alone. `now` is milliseconds of a clock that never jumps. */
export function makeCoarseLimits({ now, figures = productionFigures, subjectsMax = 50_000 }: CoarseLimitsOptions): CoarseLimits {
  const counts = makeSlidingCounts({ now, subjectsMax })
  return Object.freeze({
    take: (call: LimitedCall) => {
      const wanted = figures[call.class]
      if (wanted === null) return
      takeAll(counts, subjectsOf(call, wanted))
    },
  })
}

/** The test environment's: velocity is not limited unless it is being rehearsed (wire §8). */
export const noLimits: CoarseLimits = Object.freeze({ take: () => undefined })

export interface CoarseLimitsOptions {
  readonly now: () => number
  readonly figures?: Readonly<Record<LimitClass, LimitFigures | null>>
  /** How many subjects are remembered; beyond it the one that was first seen is forgotten. */
  readonly subjectsMax?: number
}

interface Subject {
  readonly key: string
  readonly windows: readonly Window[]
  readonly error: ErrorName
}

function subjectsOf(call: LimitedCall, figures: LimitFigures): Subject[] {
  return [...addressesOf(call, figures), ...merchantOf(call, figures)].filter(({ windows }) => windows.length > 0)
}

/** Of its own server, which showed the password, a merchant may have agreed another figure: then its neighbours count nothing there. */
function addressesOf({ class: limitClass, address, as, merchantId, limits }: LimitedCall, figures: LimitFigures): Subject[] {
  const agreed = as === 'server' ? limits?.serverAddressMinuteMax : undefined
  const subscriber = `${limitClass} ${subscriberOf(address)}`
  if (agreed === undefined || figures.address.length === 0)
    return [
      { key: subscriber, windows: figures.address, error: 'addressLimit' },
      { key: `${limitClass} ${blockOf(address)}`, windows: figures.block, error: 'blockLimit' },
    ]
  return [{ key: `${subscriber} ${merchantId} ${agreed}`, windows: [{ count: agreed, ms: minute }], error: 'addressLimit' }]
}

/** Questions and changes without the password count by themselves: anybody knows the public id, and would use up what the merchant's server needs. */
function merchantOf({ class: limitClass, merchantId, as, limits }: LimitedCall, figures: LimitFigures): Subject[] {
  if (merchantId === null || limitClass === 'none') return []
  const whose = as === 'browser' && (limitClass === 'read' || limitClass === 'write') ? 'page' : 'merchant'
  const agreed = limits?.[`${limitClass}MinuteMax`]
  const windows = agreed === undefined ? figures.merchant : [{ count: agreed, ms: minute }]
  // A figure that is changed begins a count of its own.
  return [{ key: `${limitClass} ${whose} ${merchantId} ${agreed ?? ''}`, windows, error: 'merchantLimit' }]
}

function takeAll(counts: SlidingCounts, subjects: readonly Subject[]): void {
  for (const { key, windows, error } of subjects) {
    const waitMs = counts.waitMs(key, windows)
    if (waitMs > 0) throw new RpcError(error, { retryAfterMs: waitMs })
  }
  for (const { key, windows } of subjects) counts.count(key, windows)
}

const minute = 60_000
const hour = 60 * minute

/**
 * Figures of production. cards.create is where stolen numbers are tried: 10 a minute and 60 an hour from one address, ten times that from its
 * block (a university or an operator's NAT is one). A merchant is never locked out by strangers who know its public id: its own figures stand
 * far above what its pages need and only keep one merchant from taking the service away from the others.
 */
export const productionFigures: Readonly<Record<LimitClass, LimitFigures | null>> = Object.freeze({
  create: {
    address: [
      { count: 10, ms: minute },
      { count: 60, ms: hour },
    ],
    block: [
      { count: 100, ms: minute },
      { count: 600, ms: hour },
    ],
    merchant: [{ count: 6000, ms: minute }],
  },
  verify: {
    address: [
      { count: 30, ms: minute },
      { count: 180, ms: hour },
    ],
    block: [
      { count: 300, ms: minute },
      { count: 1800, ms: hour },
    ],
    merchant: [{ count: 12_000, ms: minute }],
  },
  read: { address: [], block: [], merchant: [{ count: 60_000, ms: minute }] },
  write: { address: [], block: [], merchant: [{ count: 12_000, ms: minute }] },
  none: null,
})
