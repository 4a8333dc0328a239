import { RpcError, type ErrorName } from '@tessera/contract/errors'

import type { LimitClass } from '@tessera/contract/operations'
import type { Config } from '../../ops/config/config.ts'
import { blockOf, subscriberOf } from '../../domain/limits/address.ts'
import type { MerchantLimits } from '../../domain/merchants/settings.ts'
import type { CallerIdentity } from '../../domain/request-context.ts'
import { noCountSharing, type CountSharing } from '../../domain/limits/count-sharing.ts'
import { makeSlidingCounts, type SlidingCounts, type Window } from '../../domain/limits/sliding-counts.ts'

/** The coarse limits, checked before params: requests of a class from one address, one block of addresses, and of one merchant. */
export interface CoarseLimits {
  /** Counts one request. At a limit it throws `addressLimit`, `blockLimit` or `merchantLimit` with the wait, and counts nothing. */
  check(call: RateLimitedCall): void
}

export interface RateLimitedCall {
  readonly class: LimitClass
  readonly address: string
  /** Null where the operation needs no merchant. */
  readonly merchantId: string | null
  /** `server` authenticated with its password. */
  readonly callerKind: CallerIdentity['kind']
  readonly limits: MerchantLimits | null
}

/** How many requests of a class one subject may make; an empty list: no limit. */
export interface CoarseLimitWindows {
  readonly address: readonly Window[]
  readonly block: readonly Window[]
  readonly merchant: readonly Window[]
}

/** Limits that are counted in this process. `now` is milliseconds of a monotonic clock. */
export function makeCoarseLimits({ now, settings, maxSubjects = 50_000, sharing = noCountSharing }: CoarseLimitsOptions): CoarseLimits {
  const counts = sharing.sliding('coarse', makeSlidingCounts({ now, maxSubjects }))
  return Object.freeze({
    check: (call: RateLimitedCall) => {
      const limitWindows = settings[call.class]
      if (limitWindows === null) return
      checkAndCount(counts, subjectsOf(call, limitWindows))
    },
  })
}

/** For the test environment, where velocity is limited only while a merchant simulates limits (docs/reference/wire.md#test-environment). */
export const noCoarseLimits: CoarseLimits = Object.freeze({ check: () => undefined })

export interface CoarseLimitsOptions {
  readonly now: () => number
  readonly settings: Readonly<Record<LimitClass, CoarseLimitWindows | null>>
  /** Beyond this many subjects the one seen first is dropped. */
  readonly maxSubjects?: number
  /** Default: no other worker counts. */
  readonly sharing?: CountSharing
}

interface Subject {
  readonly key: string
  readonly windows: readonly Window[]
  readonly error: ErrorName
}

function subjectsOf(call: RateLimitedCall, settings: CoarseLimitWindows): Subject[] {
  return [...addressesOf(call, settings), ...merchantOf(call, settings)].filter(({ windows }) => windows.length > 0)
}

/** A merchant may have a limit of its own for the addresses of its server, which authenticates by password; then the block is not counted. */
function addressesOf(
  { class: limitClass, address, callerKind, merchantId, limits }: RateLimitedCall,
  settings: CoarseLimitWindows,
): Subject[] {
  const agreed = callerKind === 'server' ? limits?.serverAddressMinuteMax : undefined
  const subscriber = `${limitClass} ${subscriberOf(address)}`
  if (agreed === undefined || settings.address.length === 0)
    return [
      { key: subscriber, windows: settings.address, error: 'addressLimit' },
      { key: `${limitClass} ${blockOf(address)}`, windows: settings.block, error: 'blockLimit' },
    ]
  return [{ key: `${subscriber} ${merchantId} ${agreed}`, windows: [{ count: agreed, ms: minute }], error: 'addressLimit' }]
}

/** Reads and writes without the password are counted separately: the merchant id is public, so strangers could otherwise use up the limit of the merchant's server. */
function merchantOf({ class: limitClass, merchantId, callerKind, limits }: RateLimitedCall, settings: CoarseLimitWindows): Subject[] {
  if (merchantId === null || limitClass === 'none' || limitClass === 'discover') return []
  const scope = callerKind === 'browser' && (limitClass === 'read' || limitClass === 'write') ? 'page' : 'merchant'
  const agreed = limits?.[`${limitClass}MinuteMax`]
  const windows = agreed === undefined ? settings.merchant : [{ count: agreed, ms: minute }]
  // A limit that is changed starts a new count.
  return [{ key: `${limitClass} ${scope} ${merchantId} ${agreed ?? ''}`, windows, error: 'merchantLimit' }]
}

function checkAndCount(counts: SlidingCounts, subjects: readonly Subject[]): void {
  for (const { key, windows, error } of subjects) {
    const waitMs = counts.waitMs(key, windows)
    if (waitMs > 0) throw new RpcError(error, { retryAfterMs: waitMs })
  }
  for (const { key, windows } of subjects) counts.count(key, windows)
}

/**
 * Limits of calls by the class of their operation. Stolen numbers are tested with cards.create, so it has the strictest limits per address and
 * block (a university or an operator's NAT is one block). The limits of a merchant are far above what its pages need: strangers who know its
 * public id cannot lock it out, and one merchant cannot exhaust the service for the others.
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
    discover: { address: [{ count: config.discoverAddressMinuteMax, ms: minute }], block: [], merchant: [] },
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
