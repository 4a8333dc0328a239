import { after } from 'node:test'

import { countSmsSegments } from '@tessera/contract/sms-text'

import { makeFailureBreaker } from './failure-breaker.ts'
import { makeFineLimits, type FineLimitSettings } from './fine-limits.ts'
import type { LimitMode, ReachedLimit } from './limit-mode.ts'
import { failureBreakerSettings, fineLimitSettings, smsGuardSettings } from './settings.ts'
import { makeSmsGuard, noSmsGuard } from './sms-guard.ts'
import { operationRegistry } from '../../operations/registry.ts'
import { createApiPipeline, type RequestHandler } from '../../server/pipeline.ts'
import { coarseLimitSettings, makeCoarseLimits, noCoarseLimits } from '../../server/rate-limits/coarse-limits.ts'
import { noPasswordThrottle } from '../../server/auth/password-throttle.ts'
import { makeSeeded, type Seeded } from '../../testing/seeded.fixture.ts'

import { defaultConfig } from '../../testing/default-config.fixture.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'
import { randomHex } from '../../testing/random.fixture.ts'

/** A town of cardholders and attackers before one service, on one timeline; the same for the same seed. */
export interface Traffic {
  readonly random: Seeded
  /** Unix milliseconds of the town's clock. */
  now(): number
  /** Adds somebody who first acts after `inMs`; each act tells in how many ms the next one comes, null: never. */
  join(inMs: number, act: () => Promise<number | null>): void
  /** Lets everybody act in the order of time, for so long. */
  run(forMs: number): Promise<void>
  call(method: string, params: object, from: TrafficSource): Promise<TrafficReply>
  /** Messages that the gateway was paid for, by phone. */
  readonly sent: ReadonlyMap<string, number>
  /** What the gateway took for them, tiyin, by the first five digits of the phone. */
  readonly spentTiyin: ReadonlyMap<string, number>
  /** Every time that a breaker was met. */
  readonly reached: readonly ReachedLimit[]
  close(): Promise<void>
}

export interface TrafficSource {
  readonly address: string
  readonly merchantId: string
}

export interface TrafficReply {
  readonly token: string | null
  readonly reason: string | null
}

export interface TrafficOptions {
  readonly seed: number
  readonly isLimited: boolean
  readonly wrongCodesHourMax?: number
  /** Instead of the default setting. */
  readonly longIinHourMax?: number
  /** The breakers; off unless it says otherwise. */
  readonly breakers?: LimitMode
}

export const merchantIds = Array.from({ length: 3 }, (_, n) => `65f0c0ffee0000000000a00${n}`)

export async function openTraffic(options: TrafficOptions): Promise<Traffic> {
  const { seed, isLimited, wrongCodesHourMax = 1000, longIinHourMax = defaultConfig.longIinHourMax, breakers = 'off' } = options
  const sent = new Map<string, number>()
  const spentTiyin = new Map<string, number>()
  const reached: ReachedLimit[] = []
  const onLimitReached = (limit: ReachedLimit) => void reached.push(limit)
  const settings = isLimited ? { ...fineLimitSettings(defaultConfig), longIinHourMax, iinMode: breakers } : endless
  const app = await createTestApp(
    { after },
    {
      verification: { limits: isLimited, maxWrongCodesPerHour: wrongCodesHourMax },
      limits: ({ keyring, clock }) => ({
        fine: makeFineLimits({ keyring, now: () => clock.now(), settings, onLimitReached }),
        failures: makeFailureBreaker({
          now: () => clock.now(),
          settings: { ...failureBreakerSettings(defaultConfig), mode: breakers },
          onLimitReached: onLimitReached,
        }),
        sms:
          breakers === 'off'
            ? noSmsGuard
            : makeSmsGuard({
                now: () => clock.now(),
                settings: { ...smsGuardSettings(defaultConfig), prefixMode: breakers, costMode: breakers },
                onLimitReached: onLimitReached,
              }),
      }),
      sms: () => ({
        send: async ({ phone, text }) => {
          sent.set(phone, (sent.get(phone) ?? 0) + 1)
          const prefix = phone.slice(0, 5)
          spentTiyin.set(prefix, (spentTiyin.get(prefix) ?? 0) + countSmsSegments(text) * partTiyin)
          return { outcome: 'accepted' }
        },
      }),
      network: (sandbox) => ({
        ...sandbox,
        admit: async () => null,
        precheckCard: async () => null,
        startVerification: async ({ pan }) =>
          pan.masked.at(-4) === '1'
            ? { kind: 'refused', reason: 'smsNotConnected' }
            : { kind: 'sentByService', phone: phoneOf(pan.masked) },
      }),
    },
  )
  const answer = await openDoor(app, isLimited)
  const acts: { at: number; act: () => Promise<number | null> }[] = []
  return {
    random: makeSeeded(seed),
    now: app.clock.now,
    join: (inMs, act) => void acts.push({ at: app.clock.now() + inMs, act }),
    async run(forMs) {
      const endsAt = app.clock.now() + forMs
      for (;;) {
        const next = acts.reduce<(typeof acts)[number] | null>((first, each) => (first === null || each.at < first.at ? each : first), null)
        app.clock.advance(Math.max(0, Math.min(next?.at ?? endsAt, endsAt) - app.clock.now()))
        if (next === null || next.at >= endsAt) return
        const inMs = await next.act()
        if (inMs === null) acts.splice(acts.indexOf(next), 1)
        else next.at = app.clock.now() + inMs
      }
    },
    call: (method, params, from) => call(answer, { method, params, from }),
    sent,
    spentTiyin,
    reached,
    close: () => app.close(),
  }
}

/** The phone that the issuer knows of a card: the town's cards say it by their last four digits. Those with a 3 are of another operator, those with a 2 abroad. */
export function phoneOf(pan: string): string {
  const prefix = { '3': '99897123', '2': '99277123' }[pan.at(-4) ?? ''] ?? '99890123'
  return `${prefix}${pan.slice(-4)}`
}

/** A number with these last digits and a right check digit (ISO/IEC 7812-1 Annex B). */
export function panWith(lastFour: string, random: Seeded, prefix = '860006'): string {
  const middle = Array.from({ length: 11 - prefix.length }, () => String(random.below(10))).join('')
  const candidates = Array.from({ length: 10 }, (_, digit) => `${prefix}${middle}${digit}${lastFour}`)
  return candidates.find((pan) => luhnSum(pan) % 10 === 0) ?? ''
}

function luhnSum(pan: string): number {
  const digits = Array.from(pan, Number).reverse()
  return digits.reduce((sum, digit, i) => sum + (i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2), 0)
}

async function openDoor({ app, clock, merchants, idempotency }: TestApp, isLimited: boolean): Promise<RequestHandler> {
  for (const id of merchantIds) await merchants.ensureMerchant({ id, name: 'Shop', password: randomHex(36) })
  return createApiPipeline({
    operations: operationRegistry,
    services: app.services,
    credentials: merchants,
    origins: { isAnyAllowed: true, formOrigin: null },
    passwords: noPasswordThrottle,
    limits: isLimited ? makeCoarseLimits({ now: () => clock.now(), settings: coarseLimitSettings(defaultConfig) }) : noCoarseLimits,
    idempotency,
    cardRoutes: [],
    observer: { completed: () => undefined, failed: () => undefined },
    translateError: () => null,
    issueRequestId: () => randomHex(24),
    now: () => 0,
    sleep: clock.sleep,
    stopping: new AbortController().signal,
    signal: new AbortController().signal,
  })
}

async function call(
  answer: RequestHandler,
  { method, params, from }: { method: string; params: object; from: TrafficSource },
): Promise<TrafficReply> {
  const body = Buffer.from(JSON.stringify({ id: 1, method, params }))
  const { text } = await answer({
    refusal: null,
    segment: method,
    hasQuery: false,
    xAuth: from.merchantId,
    origin: null,
    isFromBrowser: false,
    idempotencyKey: null,
    acceptLanguage: undefined,
    address: from.address,
    body,
  })
  const reply = JSON.parse(text) as { result?: { card?: { token: string } }; error?: { reason: string } }
  return { token: reply.result?.card?.token ?? null, reason: reply.error?.reason ?? null }
}

const endless: FineLimitSettings = {
  distinctPansHourMax: 1e9,
  panHourMax: 1e9,
  tokenMinuteMax: 1e9,
  iinMode: 'off',
  shortIinHourMax: 1e9,
  longIinHourMax: 1e9,
}
/** What a part of a message costs. */
export const partTiyin = defaultConfig.smsPartTiyin
