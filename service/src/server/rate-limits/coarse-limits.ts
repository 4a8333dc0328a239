import { RpcError, type ErrorName } from '@tessera/contract/errors'

import type { LimitClass } from '@tessera/contract/operations'
import type { Config } from '../../ops/config/config.ts'
import { blockOf, subscriberOf } from '../../domain/limits/address.ts'
import type { MerchantLimits } from '../../domain/limits/merchant-limits.ts'
import { makeSlidingCounts, type SlidingCounts, type Window } from '../../domain/limits/sliding-counts.ts'

/** The coarse limits, checked before params: requests of a class from one address, one block of addresses, and of one merchant. */
export interface CoarseLimits {
  /** Counts one request. Throws `addressLimit`, `blockLimit` or `merchantLimit` with the wait, and counts nothing then. */
  take(call: RateLimitedCall): void
}

export interface RateLimitedCall {
  readonly class: LimitClass
  readonly address: string
  /** Null where the operation needs no merchant. */
  readonly merchantId: string | null
  /** `server` showed the password. */
  readonly as: 'server' | 'browser' | 'dashboard'
  readonly limits: MerchantLimits | null
}

/** How many requests of a class one subject may make; an empty list: no limit. */
export interface CoarseLimitWindows {
  readonly address: readonly Window[]
  readonly block: readonly Window[]
  readonly merchant: readonly Window[]
}

/** Limits that are counted in this process. `now` is milliseconds of a monotonic clock. */
export function makeCoarseLimits({ now, settings, subjectsMax = 50_000 }: CoarseLimitsOptions): CoarseLimits {
  const counts = makeSlidingCounts({ now, subjectsMax })
  return Object.freeze({
    take: (call: RateLimitedCall) => {
      const wanted = settings[call.class]
      if (wanted === null) return
      takeAll(counts, subjectsOf(call, wanted))
    },
  })
}

/** The test environment's: velocity is not limited unless it is being rehearsed (docs/reference/wire.md#test-environment). */
export const noCoarseLimits: CoarseLimits = Object.freeze({ take: () => undefined })

export interface CoarseLimitsOptions {
  readonly now: () => number
  readonly settings: Readonly<Record<LimitClass, CoarseLimitWindows | null>>
  /** With more subjects the one first seen is forgotten. */
  readonly subjectsMax?: number
}

interface Subject {
  readonly key: string
  readonly windows: readonly Window[]
  readonly error: ErrorName
}

function subjectsOf(call: RateLimitedCall, settings: CoarseLimitWindows): Subject[] {
  return [...addressesOf(call, settings), ...merchantOf(call, settings)].filter(({ windows }) => windows.length > 0)
}

/** A merchant may have an agreed limit for its own server, which showed the password; then the address's block is not counted. */
function addressesOf({ class: limitClass, address, as, merchantId, limits }: RateLimitedCall, settings: CoarseLimitWindows): Subject[] {
  const agreed = as === 'server' ? limits?.serverAddressMinuteMax : undefined
  const subscriber = `${limitClass} ${subscriberOf(address)}`
  if (agreed === undefined || settings.address.length === 0)
    return [
      { key: subscriber, windows: settings.address, error: 'addressLimit' },
      { key: `${limitClass} ${blockOf(address)}`, windows: settings.block, error: 'blockLimit' },
    ]
  return [{ key: `${subscriber} ${merchantId} ${agreed}`, windows: [{ count: agreed, ms: minute }], error: 'addressLimit' }]
}

/** Reads and writes without the password are counted apart: anybody knows the public id, and could use up what the merchant's server needs. */
function merchantOf({ class: limitClass, merchantId, as, limits }: RateLimitedCall, settings: CoarseLimitWindows): Subject[] {
  if (merchantId === null || limitClass === 'none') return []
  const whose = as === 'browser' && (limitClass === 'read' || limitClass === 'write') ? 'page' : 'merchant'
  const agreed = limits?.[`${limitClass}MinuteMax`]
  const windows = agreed === undefined ? settings.merchant : [{ count: agreed, ms: minute }]
  // A limit that is changed starts a new count.
  return [{ key: `${limitClass} ${whose} ${merchantId} ${agreed ?? ''}`, windows, error: 'merchantLimit' }]
}

function takeAll(counts: SlidingCounts, subjects: readonly Subject[]): void {
  for (const { key, windows, error } of subjects) {
    const waitMs = counts.waitMs(key, windows)
    if (waitMs > 0) throw new RpcError(error, { retryAfterMs: waitMs })
  }
  for (const { key, windows } of subjects) counts.count(key, windows)
}

/**
 * Limits of calls by the class of their operation. cards.create is where stolen numbers are tried, so it has the strictest limits per address and
 * block (a university or an operator's NAT is one block). A merchant's own limits stand far above what its pages need: strangers who know its
 * public id can never lock it out, and one merchant cannot take the service away from the others.
 */
export function coarseLimitSettings(config: Config): Readonly<Record<LimitClass, CoarseLimitWindows | null>> {
  return {
    create: {
      address: minuteAndHour(config.createAddressMinuteMax, config.createAddressHourMax),
      block: minuteAndHour(config.createBlockMinuteMax, config.createBlockHourMax),
      merchant: [{ count: config.createMerchantMinuteMax, ms: minute }],
    },
    verify: {
      address: minuteAndHour(config.verifyAddressMinuteMax, config.verifyAddressHourMax),
      block: minuteAndHour(config.verifyBlockMinuteMax, config.verifyBlockHourMax),
      merchant: [{ count: config.verifyMerchantMinuteMax, ms: minute }],
    },
    read: { address: [], block: [], merchant: [{ count: config.readMerchantMinuteMax, ms: minute }] },
    write: { address: [], block: [], merchant: [{ count: config.writeMerchantMinuteMax, ms: minute }] },
    none: null,
  }
}

function minuteAndHour(minuteMax: number, hourMax: number): readonly Window[] {
  return [
    { count: minuteMax, ms: minute },
    { count: hourMax, ms: hour },
  ]
}

const minute = 60_000
const hour = 60 * minute
