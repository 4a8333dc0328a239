// time limit: 420 s
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import { merchantIds, openTraffic, panWith, partTiyin, type TrafficReply, type Traffic } from './traffic.fixture.ts'
import type { LimitMode } from './limit-mode.ts'

const seed = 20261121
const hourMs = 3_600_000
const honestCount = 300
/** A quarter of the default, with an attack that is a quarter as fast. */
const longIinHourMax = 500

test('of a botnet that creates cards of one prefix, each from a new address, no more than the limit get through, and cardholders are not affected', async (t) => {
  const [on, shadow] = await Promise.all([playTown(t, 'on', listPrefix), playTown(t, 'shadow', listPrefix)])
  assert.ok(on.gained <= longIinHourMax, `${on.gained} cards`)
  assert.ok(on.honestRefused < on.honestCalls / 1000, `${on.honestRefused} of ${on.honestCalls} honest calls were refused`)
  assert.ok(shadow.gained > longIinHourMax * 1.5, `in the shadow ${shadow.gained}: the attack is one`)
  assert.deepEqual([shadow.honestRefused, shadow.reached.has('iin_limit')], [0, true])
})

test('of a botnet that tests cards the failure breaker stops most, and affects no other merchant', async (t) => {
  const [on, shadow] = await Promise.all([playTown(t, 'on', listAlive), playTown(t, 'shadow', listAlive)])
  assert.ok(on.gained <= aliveBudget, `${on.gained} cards`)
  assert.ok(shadow.gained > aliveBudget * 3, `in the shadow ${shadow.gained}: the attack is one`)
  assert.equal(on.honestRefusedElsewhere, 0)
  assert.deepEqual([shadow.honestRefused, shadow.reached.has('failure_limit')], [0, true])
})

test('SMS pumping earns a bounded sum in this country and nothing abroad, and cardholders get their codes', async (t) => {
  const [on, shadow] = await Promise.all([playTown(t, 'on', pump), playTown(t, 'shadow', pump)])
  assert.ok(on.earnedTiyin <= pumpBudgetTiyin, `${on.earnedTiyin} tiyin`)
  assert.equal(on.abroadTiyin, 0)
  assert.ok(on.honestRefused < on.honestCalls / 1000, `${on.honestRefused} of ${on.honestCalls} honest calls were refused`)
  assert.ok(shadow.earnedTiyin > pumpBudgetTiyin * 1.4, `in the shadow ${shadow.earnedTiyin} tiyin: the attack is one`)
  assert.deepEqual([shadow.honestRefused, shadow.reached.has('sms_prefix_limit')], [0, true])
})

interface Town {
  honestCalls: number
  honestRefused: number
  honestRefusedElsewhere: number
  honestVerified: number
  attackCalls: number
  /** What the attack is for: cards made, or issuers' answers. */
  gained: number
}

async function playTown(t: TestContext, breakers: LimitMode, attack: (traffic: Traffic, town: Town) => void) {
  const traffic = await openTraffic({ seed, isLimited: true, longIinHourMax, breakers })
  const town: Town = { honestCalls: 0, honestRefused: 0, honestRefusedElsewhere: 0, honestVerified: 0, attackCalls: 0, gained: 0 }
  for (let n = 0; n < honestCount; n++) cardholder(traffic, town, n)
  attack(traffic, town)
  await traffic.run(hourMs)
  await traffic.close()
  const earnedTiyin = traffic.spentTiyin.get('99897') ?? 0
  const abroadTiyin = traffic.spentTiyin.get('99277') ?? 0
  t.diagnostic(`seed ${seed}, ${breakers}: ${JSON.stringify({ ...town, earnedTiyin, abroadTiyin, reached: traffic.reached.length })}`)
  assert.ok(breakers === 'on' || town.honestVerified > honestCount * 0.9, 'most honest cardholders were verified')
  return { ...town, earnedTiyin, abroadTiyin, reached: new Set(traffic.reached.map(({ reason }) => reason)) }
}

/** Creates a card, requests a code and submits it, sometimes with a wrong one first. */
function cardholder(traffic: Traffic, town: Town, n: number): void {
  const { random } = traffic
  const merchant = n % 3
  const place = { address: `198.${18 + (n >> 14)}.${(n * 7) % 256}.${n % 256}`, merchantId: merchantIds[merchant] ?? '' }
  let token: string | null = null
  const call = async (method: string, params: object): Promise<TrafficReply> => {
    const reply = await traffic.call(method, params, place)
    town.honestCalls++
    if (reply.reason === null || reply.reason === 'wrong_code') return reply
    town.honestRefused++
    if (merchant !== attackedMerchant) town.honestRefusedElsewhere++
    return reply
  }
  const steps = [
    async () => {
      const number = panWith(String(n).padStart(4, '0'), random)
      token = (await call('cards.create', { card: { number, expire: '0399' } })).token
      return token === null ? null : 5000 + random.below(30_000)
    },
    async () => ((await call('cards.get_verify_code', { token })).reason === null ? 10_000 + random.below(50_000) : null),
    async () => (random.chance(0.07) ? (await call('cards.verify', { token, code: '123456' }), 8000) : 0),
    async () => {
      if ((await call('cards.verify', { token, code: '666666' })).reason === null) town.honestVerified++
      return null
    },
  ]
  traffic.join(random.below(hourMs - 300_000), async () => (await steps.shift()?.()) ?? null)
}

/** Ever new addresses, of ever new blocks: nothing that is counted by address sees them. */
function makeBotnet(): (merchant: number) => { address: string; merchantId: string } {
  let calls = 0
  return (merchant) => {
    calls++
    return { address: `${100 + (calls >> 16)}.${(calls >> 8) & 255}.${calls & 255}.7`, merchantId: merchantIds[merchant] ?? '' }
  }
}

/** Number after number under eight digits that the attacker knows to be issued. */
function listPrefix(traffic: Traffic, town: Town): void {
  const [bot, { random }] = [makeBotnet(), traffic]
  traffic.join(0, async () => {
    town.attackCalls++
    const number = panWith(String(5000 + random.below(5000)), random, '86003377')
    const { token } = await traffic.call('cards.create', { card: { number, expire: '0399' } }, bot(town.attackCalls % 3))
    if (token !== null) town.gained++
    return 4000
  })
}

/** Asks of random numbers of a whole bank whether their issuer knows a phone; most have none. */
function listAlive(traffic: Traffic, town: Town): void {
  const [bot, { random }] = [makeBotnet(), traffic]
  traffic.join(0, async () => {
    town.attackCalls++
    const lastFour = random.chance(0.9) ? 1000 + random.below(1000) : 5000 + random.below(5000)
    const place = bot(attackedMerchant)
    const { token } = await traffic.call(
      'cards.create',
      { card: { number: panWith(String(lastFour), random, '8600'), expire: '0399' } },
      place,
    )
    if (token === null) return 1000
    const { reason } = await traffic.call('cards.get_verify_code', { token }, place)
    if (reason === null || reason === 'sms_not_connected') town.gained++
    return 1000
  })
}

/** Owns numbers that earn with each message: some here, some abroad. Nobody types a code. */
function pump(traffic: Traffic, town: Town): void {
  const [bot, { random }] = [makeBotnet(), traffic]
  traffic.join(0, async () => {
    town.attackCalls++
    const place = bot(town.attackCalls % 3)
    const lastFour = (random.chance(0.7) ? 3000 : 2000) + random.below(1000)
    const { token } = await traffic.call(
      'cards.create',
      { card: { number: panWith(String(lastFour), random, '8600'), expire: '0399' } },
      place,
    )
    if (token !== null) await traffic.call('cards.get_verify_code', { token }, place)
    return 2000
  })
}

const attackedMerchant = 0
/** Four rounds of what it takes to open and the pause behind it, of which half are answers of issuers. */
const aliveBudget = 4 * 200
/** Four rounds as well, of what is sent until it is judged: a hundred at least, or those of two minutes and a slice. */
const pumpBudgetTiyin = 4 * 200 * partTiyin
