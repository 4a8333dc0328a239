import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readPan, type Expiry, type Pan } from '@tessera/contract/card'
import { makeFindRoute } from '@tessera/contract/route'

import { makeHandClock } from '../methods/clock.fixture.ts'

import { steps, testCards, testExpiry, type Step } from './cards.ts'
import { makeSandboxNetwork } from './network.ts'

const merchantId = '65f0c0ffee0000000000cafe'
const signal = new AbortController().signal

function setUp(set: Record<string, Step> = {}) {
  const clock = makeHandClock()
  const store = { findScenarioStep: async (_merchant: string, scenario: string) => set[scenario] ?? null }
  return { clock, network: makeSandboxNetwork({ store, clock }) }
}

function cardOf(number: string, expiry: Expiry = testExpiry): { merchantId: string; pan: Pan; expiry: Expiry } {
  const pan = readPan(Buffer.from(number))
  assert.ok(typeof pan !== 'string')
  return { merchantId, pan, expiry }
}

test('the seven test cards are those that are issued, each a right number with a route', () => {
  const routeOf = makeFindRoute(setUp().network.routes)
  assert.equal(testCards.length, 7)
  for (const { number } of testCards) {
    cardOf(number)
    assert.notEqual(routeOf(Buffer.from(number)), null)
  }
  assert.equal(routeOf(Buffer.from('8600069195406311'))?.type, '22618')
})

test('a scenario strikes at its step, by default at get_verify_code, and at no other', async () => {
  for (const { number, scenario } of testCards) {
    for (const step of [null, ...steps]) {
      const { network, clock } = setUp(scenario === null || step === null ? {} : { [scenario.name]: step })
      const asked: [Step, () => Promise<object | null>][] = [
        ['create', () => network.admit(cardOf(number), signal)],
        ['get_verify_code', () => network.startVerification({ ...cardOf(number), requestId: 'r' }, signal)],
        ['verify', () => network.admitVerification(cardOf(number), signal)],
      ]
      for (const [at, ask] of asked) {
        const strikes = scenario !== null && at === (step ?? 'get_verify_code')
        const asking = ask()
        if (strikes && scenario.delayMs > 0) {
          await clock.untilSleeping(scenario.delayMs)
          clock.advance(scenario.delayMs)
        }
        const said = await asking
        if (strikes) assert.deepEqual(said, { kind: 'refused', reason: scenario.reason })
        else assert.ok(said === null || ('kind' in said && said.kind !== 'refused'), `${number} ${String(step)} ${at}`)
      }
    }
  }
})

test('the ten-second card does not need the PAN while it waits', async () => {
  const { network, clock } = setUp()
  const card = cardOf('8600134301849596')
  const asking = network.startVerification({ ...card, requestId: 'r' }, signal)
  await clock.untilSleeping(10_000)
  card.pan.wipe()
  clock.advance(10_000)
  assert.deepEqual(await asking, { kind: 'refused', reason: 'timeout' })
})

test('one card has its code sent by us, the others by the network', async () => {
  const { network } = setUp({ sms_not_connected: 'pay' })
  const start = (number: string) => network.startVerification({ ...cardOf(number), requestId: 'r1' }, signal)
  const networkSent = { kind: 'networkSent', phoneMask: '99890*****66', networkRef: 'sandbox-r1' }
  assert.deepEqual(await start('8600069195406311'), networkSent)
  assert.deepEqual(await start('8600060921090842'), networkSent)
  assert.deepEqual(await start('8600495473316478'), { kind: 'weSend', phone: '998901234566' })
})

test('a test card of another expiry, and every other card, is unknown', async () => {
  const { network } = setUp()
  // Made of one digit, so that nobody has it: pan-ok
  const strangers = [cardOf('8600069195406311', '0499' as Expiry), cardOf('4444444444444448')]
  for (const card of strangers) {
    assert.equal(await network.admit(card, signal), null)
    assert.deepEqual(await network.startVerification({ ...card, requestId: 'r' }, signal), { kind: 'refused', reason: 'smsNotConnected' })
    const answer = { ...card, requestId: 'r', networkRef: null, code: '666666' }
    assert.deepEqual(await network.finishVerification(answer, signal), { kind: 'unknown' })
  }
})
