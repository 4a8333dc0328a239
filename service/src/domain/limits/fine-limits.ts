import { createHash } from 'node:crypto'

import type { Pan } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'
import type { Keyring } from '@tessera/vault/keyring'
import { hashLimitIin, hashLimitSubject } from '@tessera/vault/keyed-hashes'

import { subscriberOf } from './address.ts'
import { noCountSharing, type CountSharing } from './count-sharing.ts'
import { makeDistinctCounts } from './distinct-counts.ts'
import type { MerchantLimits } from '../merchants/settings.ts'
import { makeLimitRefusal, type LimitMode, type LimitObserver } from './limit-mode.ts'
import { makeSlidingCounts } from './sliding-counts.ts'

/**
 * Limits by value, checked after the idempotency key and before the state (docs/reference/wire.md#envelope). They are counted in this process, since
 * creating a card sends nothing to the issuer; what does is counted in the store instead (docs/decisions/0014-limits.md).
 */
export interface FineLimits {
  /** Counts a card that is being created. At a limit it throws `panLimit`, `iinLimit` or `distinctPanLimit`, and counts nothing. */
  countPan(pan: Pan, source: CardSource): Promise<void>
  /** Counts a request with a token of the right shape, whether or not it exists. Throws `tokenLimit`. */
  countToken(token: string, merchantId: string): void
}

/** The merchant and client that a card comes from. */
export interface CardSource {
  readonly merchantId: string
  readonly address: string
  /** Whether the merchant's server authenticated by password. */
  readonly isServer: boolean
  readonly limits: MerchantLimits | null
}

export interface FineLimitSettings {
  /** Distinct PANs from one address to one merchant in an hour. */
  readonly distinctPansHourMax: number
  /** Cards created from one PAN in an hour, at all merchants. */
  readonly panHourMax: number
  /** Calls with one token in a minute that request a code, check one or pay. */
  readonly tokenMinuteMax: number
  /** Cards created in an hour with the same first six, or eight, digits, at all merchants. */
  readonly iinMode: LimitMode
  readonly shortIinHourMax: number
  readonly longIinHourMax: number
}

/** No limits: the default of the test environment, unless limits are simulated. */
export const noFineLimits: FineLimits = Object.freeze({ countPan: () => Promise.resolve(), countToken: () => undefined })

export interface FineLimitOptions {
  readonly keyring: Keyring
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly settings: FineLimitSettings
  /** Called when a limit that may be in shadow mode is reached. */
  readonly onLimitReached?: LimitObserver
  readonly maxSubjects?: number
  /** Default: no other worker counts. */
  readonly sharing?: CountSharing
}

export function makeFineLimits({
  keyring,
  now,
  settings,
  onLimitReached = () => undefined,
  maxSubjects = 50_000,
  sharing = noCountSharing,
}: FineLimitOptions): FineLimits {
  const pans = sharing.sliding('pans', makeSlidingCounts({ now, maxSubjects }))
  const distinctPans = sharing.distinct('pans', makeDistinctCounts({ now, windowMs: hourMs, maxSubjects }))
  const tokens = sharing.sliding('tokens', makeSlidingCounts({ now, maxSubjects }))
  const panWindows = [{ count: settings.panHourMax, ms: hourMs }]
  const tokenWindows = [{ count: settings.tokenMinuteMax, ms: minuteMs }]
  const iins = sharing.sliding('iins', makeSlidingCounts({ now, maxSubjects }))
  const iinWindows = [
    { digits: 6, windows: [{ count: settings.shortIinHourMax, ms: hourMs }] },
    { digits: 8, windows: [{ count: settings.longIinHourMax, ms: hourMs }] },
  ] as const
  const refuseIin = makeLimitRefusal('iinLimit', settings.iinMode, onLimitReached)
  return Object.freeze({ countPan, countToken })

  /** A PAN is identified by its hash under the key of the day. No await between check and count, so that both are atomic. */
  async function countPan(pan: Pan, { merchantId, address, isServer, limits }: CardSource): Promise<void> {
    const dek = await keyring.active('limits')
    const subject = keyOf(hashLimitSubject(dek, 'pan', pan))
    const prefixes =
      settings.iinMode === 'off' ? [] : iinWindows.map(({ digits, windows }) => ({ name: keyOf(hashLimitIin(dek, digits, pan)), windows }))
    const isCounted = !isServer || limits?.serverAddressMinuteMax === undefined
    const source = `${merchantId} ${subscriberOf(address)}`
    const distinctMax = limits?.distinctPansHourMax ?? settings.distinctPansHourMax
    refuseFor('panLimit', pans.waitMs(subject, panWindows))
    if (isCounted) refuseFor('distinctPanLimit', distinctPans.waitMs(source, subject, distinctMax))
    refuseIin(merchantId, Math.max(0, ...prefixes.map(({ name, windows }) => iins.waitMs(name, windows))))
    pans.count(subject, panWindows)
    for (const { name, windows } of prefixes) iins.count(name, windows)
    if (isCounted) distinctPans.count(source, subject)
  }

  /** A token is secret, so its hash is the subject. */
  function countToken(token: string): void {
    const subject = createHash('sha256').update(token).digest('base64')
    refuseFor('tokenLimit', tokens.waitMs(subject, tokenWindows))
    tokens.count(subject, tokenWindows)
  }
}

function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

function refuseFor(entry: 'panLimit' | 'distinctPanLimit' | 'tokenLimit', waitMs: number): void {
  if (waitMs > 0) throw new RpcError(entry, { retryAfterMs: waitMs })
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
