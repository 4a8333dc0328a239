import { createHash } from 'node:crypto'

import type { Pan } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'
import type { Keyring } from '@tessera/vault/keyring'
import { limitIin, limitSubject } from '@tessera/vault/subject'

import { subscriberOf } from './address.ts'
import { makeDistinctCounts } from './distinct-counts.ts'
import type { MerchantLimits } from './merchant-limits.ts'
import { makeRefuse, type LimitMode, type TellLimit } from './refusing.ts'
import { makeSlidingCounts } from './sliding-counts.ts'

/**
 * The limits of values, asked after the idempotency key and before the state of things (wire §3). They are counted in this process: a card that
 * is made asks nobody, so what leads to the issuer is counted in the store instead (docs/decisions/0014-limits.md).
 */
export interface FineLimits {
  /** Counts a card that is being made. Throws `panLimit`, `iinLimit` or `distinctPanLimit`, and counts nothing then. */
  takePan(pan: Pan, place: CardPlace): Promise<void>
  /** Counts a call with a token of the right shape, whoever's it is. Throws `tokenLimit`. */
  takeToken(token: string, merchantId: string): void
}

/** From where a card comes. */
export interface CardPlace {
  readonly merchantId: string
  readonly address: string
  /** Whether the merchant's server showed the password. */
  readonly isServer: boolean
  readonly limits: MerchantLimits | null
}

export interface FineFigures {
  /** Different PANs from one address to one merchant in an hour. */
  readonly distinctPansHourMax: number
  /** Cards made of one PAN in an hour, at all merchants. */
  readonly panHourMax: number
  /** Calls with one token in a minute that ask for a code, try one or pay. */
  readonly tokenMinuteMax: number
  /** Cards made in an hour whose first six, or eight, digits are the same, at all merchants. */
  readonly iinMode: LimitMode
  readonly shortIinHourMax: number
  readonly longIinHourMax: number
}

export const fineFigures: FineFigures = Object.freeze({
  ...{ distinctPansHourMax: 5, panHourMax: 20, tokenMinuteMax: 30 },
  ...{ iinMode: 'shadow', shortIinHourMax: 20_000, longIinHourMax: 2000 },
})

/** The test environment's, unless limits are being rehearsed. */
export const noFineLimits: FineLimits = Object.freeze({ takePan: () => Promise.resolve(), takeToken: () => undefined })

export interface FineParts {
  readonly keyring: Keyring
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number
  readonly figures: FineFigures
  /** Told when a limit that may be in the shadow is reached. */
  readonly tell?: TellLimit
  readonly subjectsMax?: number
}

export function makeFineLimits({ keyring, now, figures, tell = () => undefined, subjectsMax = 50_000 }: FineParts): FineLimits {
  const pans = makeSlidingCounts({ now, subjectsMax })
  const places = makeDistinctCounts({ now, spanMs: hourMs, subjectsMax })
  const tokens = makeSlidingCounts({ now, subjectsMax })
  const panWindows = [{ count: figures.panHourMax, ms: hourMs }]
  const tokenWindows = [{ count: figures.tokenMinuteMax, ms: minuteMs }]
  const iins = makeSlidingCounts({ now, subjectsMax })
  const iinWindows = [
    { digits: 6, windows: [{ count: figures.shortIinHourMax, ms: hourMs }] },
    { digits: 8, windows: [{ count: figures.longIinHourMax, ms: hourMs }] },
  ] as const
  const refuseIin = makeRefuse('iinLimit', figures.iinMode, tell)
  return Object.freeze({ takePan, takeToken })

  /** A PAN is known here by what the key of the day makes of it. Nothing waits between asking and counting. */
  async function takePan(pan: Pan, { merchantId, address, isServer, limits }: CardPlace): Promise<void> {
    const dek = await keyring.active('limits')
    const subject = nameOf(limitSubject(dek, 'pan', pan))
    const prefixes =
      figures.iinMode === 'off' ? [] : iinWindows.map(({ digits, windows }) => ({ name: nameOf(limitIin(dek, digits, pan)), windows }))
    const isCounted = !isServer || limits?.serverAddressMinuteMax === undefined
    const place = `${merchantId} ${subscriberOf(address)}`
    const distinctMax = limits?.distinctPansHourMax ?? figures.distinctPansHourMax
    refuseFor('panLimit', pans.waitMs(subject, panWindows))
    if (isCounted) refuseFor('distinctPanLimit', places.waitMs(place, subject, distinctMax))
    refuseIin(merchantId, Math.max(0, ...prefixes.map(({ name, windows }) => iins.waitMs(name, windows))))
    pans.count(subject, panWindows)
    for (const { name, windows } of prefixes) iins.count(name, windows)
    if (isCounted) places.count(place, subject)
  }

  /** A token is a secret: what is remembered is its hash, as in the store. */
  function takeToken(token: string): void {
    const subject = createHash('sha256').update(token).digest('base64')
    refuseFor('tokenLimit', tokens.waitMs(subject, tokenWindows))
    tokens.count(subject, tokenWindows)
  }
}

function nameOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

function refuseFor(entry: 'panLimit' | 'distinctPanLimit' | 'tokenLimit', waitMs: number): void {
  if (waitMs > 0) throw new RpcError(entry, { retryAfterMs: waitMs })
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
