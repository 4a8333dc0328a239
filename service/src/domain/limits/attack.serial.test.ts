// time limit: 240 s
import assert from 'node:assert/strict'
import { test } from 'node:test'

import { merchantIds, openTraffic, panWith, phoneOf, type TrafficSource, type TrafficReply, type Traffic } from './traffic.fixture.ts'

const seed = 20261121
const hourMs = 3_600_000
const honestCount = 900
const listerCount = 60
const victimCount = 40

test('attackers among cardholders get no more than their budget, and cardholders are not affected', async (t) => {
  const traffic = await openTraffic({ seed, isLimited: true })
  const town = startTraffic(traffic)
  await traffic.run(hourMs)
  await traffic.close()
  t.diagnostic(`seed ${seed}: ${JSON.stringify({ ...town, victimPhone: traffic.sent.get(victimPhone) })}`)
  assert.deepEqual(overBudget(traffic, town), [])
  assert.ok(town.honestVerified > honestCount * 0.9, 'most honest cardholders were verified')
  assert.ok(town.honestRefused < town.honestCalls / 1000, `${town.honestRefused} of ${town.honestCalls} honest calls were refused`)
  assert.ok(town.attackCalls > 10_000, 'the attackers made many calls')
})

test('the same traffic without limits exceeds every budget', async () => {
  const traffic = await openTraffic({ seed, isLimited: false })
  const town = startTraffic(traffic)
  await traffic.run(hourMs / 30)
  await traffic.close()
  assert.deepEqual(overBudget(traffic, town), ['listed cards', 'evaluated guesses', 'messages to one phone'])
})

test('the breaker admits no more guesses of a botnet than its limit, whatever the number of cards, and closes again', async () => {
  const traffic = await openTraffic({ seed, isLimited: true, wrongCodesHourMax: 50 })
  const town = emptyTown()
  for (let n = 0; n < 60; n++) guess(traffic, town, n)
  await traffic.run(hourMs / 2)
  const evaluatedAtFirst = town.evaluated
  assert.equal(evaluatedAtFirst, 50)
  await traffic.run(2 * hourMs)
  assert.ok(town.evaluated <= 150, `${town.evaluated} guesses in two and a half hours`)
  // The botnet has used up its cards, so honest cardholders are served again in the next hour.
  await traffic.run(24 * hourMs)
  let last: TrafficReply | null = null
  cardholder(traffic, { ...emptyTown() }, { place: at('198.18.9.9', 0), lastFour: '0001', verified: (reply) => (last = reply) })
  await traffic.run(hourMs)
  await traffic.close()
  assert.deepEqual((last as TrafficReply | null)?.reason, null)
})

interface Town {
  honestCalls: number
  honestRefused: number
  honestVerified: number
  attackCalls: number
  /** Cards whose issuer's reply an attacker learned. */
  listed: number
  /** Wrong codes that were evaluated. */
  evaluated: number
}

function emptyTown(): Town {
  return { honestCalls: 0, honestRefused: 0, honestVerified: 0, attackCalls: 0, listed: 0, evaluated: 0 }
}

function startTraffic(traffic: Traffic): Town {
  const town = emptyTown()
  const { random } = traffic
  for (let n = 0; n < honestCount; n++) {
    // One in five shares an address with a family or a small office.
    const home = n % 5 === 0 ? n - (n % 20) : n
    const place = at(`198.${18 + (home >> 14)}.${(home * 7) % 256}.${home % 256}`, home % 3)
    cardholder(traffic, town, { place, lastFour: String(n).padStart(4, '0'), startsInMs: random.below(hourMs - 300_000) })
  }
  for (let n = 0; n < listerCount; n++) list(traffic, town, at(`203.0.${n % 12}.${n}`, n % 3))
  for (let n = 0; n < victimCount; n++) guess(traffic, town, n)
  for (let n = 0; n < 30; n++) bomb(traffic, town, at(`192.0.2.${n}`, n % 3))
  return town
}

function overBudget(traffic: Traffic, { listed, evaluated }: Town): string[] {
  const budgets: [name: string, got: number, most: number][] = [
    ['listed cards', listed, listerCount * 5],
    ['evaluated guesses', evaluated, victimCount * 15],
    ['messages to one phone', traffic.sent.get(victimPhone) ?? 0, 5],
  ]
  return budgets.filter(([, got, most]) => got > most).map(([name]) => name)
}

interface Cardholder {
  readonly place: TrafficSource
  readonly lastFour: string
  readonly startsInMs?: number
  readonly verified?: (reply: TrafficReply) => void
}

/** Creates a card, requests a code and submits it, sometimes with a wrong one first. */
function cardholder(traffic: Traffic, town: Town, { place, lastFour, startsInMs = 0, verified }: Cardholder): void {
  const { random } = traffic
  let token: string | null = null
  const call = async (method: string, params: object) => {
    const reply = await traffic.call(method, params, place)
    town.honestCalls++
    if (reply.reason !== null && reply.reason !== 'wrong_code') town.honestRefused++
    return reply
  }
  const steps = [
    async () => {
      token = (await call('cards.create', { card: { number: panWith(lastFour, random), expire: '0399' } })).token
      return token === null ? null : 5000 + random.below(30_000)
    },
    async () => ((await call('cards.get_verify_code', { token })).reason === null ? 10_000 + random.below(50_000) : null),
    async () => (random.chance(0.07) ? (await call('cards.verify', { token, code: '123456' }), 8000) : 0),
    async () => {
      const reply = await call('cards.verify', { token, code: '666666' })
      if (reply.reason === null) town.honestVerified++
      verified?.(reply)
      return null
    },
  ]
  traffic.join(startsInMs, async () => (await steps.shift()?.()) ?? null)
}

/** Tests one card number after another with the issuer, every twelve seconds. */
function list(traffic: Traffic, town: Town, place: TrafficSource): void {
  const { random } = traffic
  traffic.join(random.below(12_000), async () => {
    town.attackCalls++
    const number = panWith(String(5000 + random.below(5000)), random)
    const { token } = await traffic.call('cards.create', { card: { number, expire: '0399' } }, place)
    if (token === null) return 12_000
    const { reason } = await traffic.call('cards.get_verify_code', { token }, place)
    // An error about the phone's limit also reveals that the card has a phone.
    if (reason === null || reason === 'send_limit_phone') town.listed++
    return 12_000
  })
}

/** Guesses the codes of a known card number, with a new token and a new address for each code. */
function guess(traffic: Traffic, town: Town, n: number): void {
  const { random } = traffic
  const number = panWith(String(4100 + n), random)
  let codes = 0
  let attempts = 0
  let refused = 0
  let token: string | null = null
  traffic.join(random.below(60_000), async () => {
    const place = at(`100.${64 + codes}.${n}.7`, n % 3)
    town.attackCalls++
    if (token === null || attempts === 5) {
      codes = (codes + 1) % 60
      attempts = 0
      token = (await traffic.call('cards.create', { card: { number, expire: '0399' } }, place)).token
      if (token !== null && (await traffic.call('cards.get_verify_code', { token }, place)).reason !== null) token = null
      refused = token === null ? refused + 1 : 0
      // A card gets five codes a day at most; after them there is nothing to guess.
      if (refused > 60) return null
      return token === null ? 20_000 : 1000
    }
    attempts++
    const { reason } = await traffic.call('cards.verify', { token, code: String(random.below(600_000)).padStart(6, '0') }, place)
    // At most five are sent for a code; the last of them is evaluated, and its reply says that no attempt is left.
    if (reason === 'wrong_code' || reason === 'tries_used_up') town.evaluated++
    return 1000
  })
}

/** Has messages sent to one phone through many cards that the issuer links to it. */
function bomb(traffic: Traffic, town: Town, place: TrafficSource): void {
  traffic.join(traffic.random.below(60_000), async () => {
    town.attackCalls++
    const { token } = await traffic.call('cards.create', { card: { number: panWith('4000', traffic.random), expire: '0399' } }, place)
    if (token !== null) await traffic.call('cards.get_verify_code', { token }, place)
    return 30_000
  })
}

function at(address: string, merchant: number): TrafficSource {
  return { address, merchantId: merchantIds[merchant] ?? '' }
}

const victimPhone = phoneOf('4000')
