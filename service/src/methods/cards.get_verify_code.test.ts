import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { Pan } from '@tessera/contract/card'
import { limitSubject } from '@tessera/vault/subject'

import type { Network } from '../network/network.ts'
import { testCards } from '../sandbox/cards.ts'
import type { Sms } from '../sms/sms.ts'

import { compose, type House, type HouseOptions } from './compose.fixture.ts'
import { drawPan } from './drawn.fixture.ts'

const networkSends = '8600069195406311'
const weSend = '8600495473316478'

/** A house for the length of one test. */
async function within(options: HouseOptions, use: (house: House) => Promise<void>): Promise<void> {
  const house = await compose(options)
  try {
    await use(house)
  } finally {
    await house.close()
  }
}

test('the code is on its way, by whichever side sends it: the masked phone and how long to wait', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    for (const pan of [networkSends, weSend]) {
      const reply = await merchant.expect('cards.get_verify_code', { token: await merchant.token(pan) })
      assert.deepEqual(reply, { sent: true, phone: '99890*****66', wait: 60_000 })
    }
    const inbox = await house.store.listInbox(10)
    assert.deepEqual(
      inbox.map(({ merchantId, phoneMask, text }) => ({ merchantId, phoneMask, text })),
      [
        {
          merchantId: merchant.merchantId,
          phoneMask: '99890*****66',
          text: 'Tessera: code 666666 for card *6478, good for 180 s. Tell it to nobody.',
        },
      ],
    )
  }))

test('another code is too soon for 60 seconds after the last, and then comes', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    const token = await merchant.token(networkSends)
    await merchant.expect('cards.get_verify_code', { token })
    house.clock.advance(20_000)
    const soon = await merchant.call('cards.get_verify_code', { token })
    assert.ok('error' in soon)
    assert.deepEqual([soon.error.code, soon.error.reason, soon.error.retry_after], [-31110, 'resend_too_soon', 40_000])
    house.clock.advance(39_999)
    assert.equal(await merchant.refused('cards.get_verify_code', { token }), 'resend_too_soon')
    house.clock.advance(1)
    await merchant.expect('cards.get_verify_code', { token })
  }))

test('a set wall clock does not shorten the wait', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    const token = await merchant.token(networkSends)
    await merchant.expect('cards.get_verify_code', { token })
    house.clock.jump(61_000)
    assert.equal(await merchant.refused('cards.get_verify_code', { token }), 'resend_too_soon')
  }))

test('of many that ask at once one gets a code, and one message goes out', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    const token = await merchant.token(weSend)
    const replies = await Promise.all(Array.from({ length: 50 }, () => merchant.call('cards.get_verify_code', { token })))
    assert.equal(replies.filter((reply) => 'sent' in reply).length, 1)
    assert.equal((await house.store.listInbox(100)).length, 1)
  }))

test('each scenario card is refused in its own words, where the merchant has set nothing', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    const said: Record<string, [number, string]> = {
      sms_not_connected: [-31301, 'SMS notification is not connected for this card.'],
      card_expired: [-31301, 'The card has expired.'],
      card_blocked: [-31301, 'The card is blocked.'],
      system_error: [-32400, 'System error.'],
      network_timeout: [-31002, 'The card network did not answer.'],
    }
    for (const { number, scenario } of testCards) {
      if (scenario === null) continue
      const token = await merchant.token(number)
      const asking = merchant.call('cards.get_verify_code', { token })
      if (scenario.delayMs > 0) {
        await house.clock.untilSleeping(10_000)
        house.clock.advance(9999)
        const first = await Promise.race([asking, merchant.call('cards.check', { token })])
        assert.ok('card' in first, 'it waits ten seconds')
        house.clock.advance(1)
      }
      const reply = await asking
      assert.ok('error' in reply, scenario.name)
      assert.deepEqual([reply.error.code, reply.error.message], said[scenario.name])
      assert.equal(reply.error.reason, scenario.name)
      if (scenario.name === 'system_error') assert.match(JSON.stringify(reply.error.data), /^"[0-9a-f]{24}"$/)
    }
  }))

test('the ten-second card holds nothing that others need: they are answered while hundreds of it wait', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    const tokens = await Promise.all(Array.from({ length: 300 }, () => merchant.token('8600134301849596')))
    const waiting = Promise.all(tokens.map((token) => merchant.call('cards.get_verify_code', { token })))
    await house.clock.untilSleeping(10_000)
    for (const token of tokens) await merchant.expect('cards.check', { token })
    await merchant.expect('cards.get_verify_code', { token: await merchant.token(networkSends) })
    house.clock.advance(10_000)
    assert.ok((await waiting).every((reply) => 'error' in reply && reply.error.reason === 'network_timeout'))
  }))

test('a card that the sandbox does not know, and a test card of another expiry, are not connected', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    const unknown = [await merchant.token(drawPan('9860')), await merchant.token(networkSends, { expire: '0499' })]
    for (const token of unknown) assert.equal(await merchant.refused('cards.get_verify_code', { token }), 'sms_not_connected')
  }))

test('at another step than its own a scenario card behaves well', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    for (const { number, scenario } of testCards) {
      for (const step of ['create', 'verify', 'pay']) {
        const token = await merchant.token(number)
        if (scenario !== null) await house.store.setScenarioStep(merchant.merchantId, scenario.name, step)
        await merchant.expect('cards.get_verify_code', { token })
        if (scenario !== null) await house.store.setScenarioStep(merchant.merchantId, scenario.name, 'get_verify_code')
      }
    }
  }))

test('a network that does not answer for 12 seconds is given up, and told so', async () => {
  let told: AbortSignal | null = null
  const silent = (sandbox: Network): Network => ({
    ...sandbox,
    startVerification: async (_ask, signal) => {
      told = signal
      return new Promise(() => undefined)
    },
  })
  await within({ network: silent }, async (house) => {
    const merchant = house.caller()
    const token = await merchant.token(networkSends)
    const asking = merchant.refused('cards.get_verify_code', { token })
    await house.clock.untilSleeping(12_000)
    house.clock.advance(12_000)
    assert.equal(await asking, 'network_timeout')
    assert.equal(told?.aborted, true)
    // It may have sent its code all the same: that one is still asked about.
    await merchant.expect('cards.verify', { token, code: '666666' })
  })
})

test('a network that throws is a system error whose id the log has', () =>
  within({ network: (sandbox) => ({ ...sandbox, startVerification: () => Promise.reject(new Error('broken pipe')) }) }, async (house) => {
    const merchant = house.caller()
    const token = await merchant.token(networkSends)
    assert.equal(await merchant.refused('cards.get_verify_code', { token }), 'system_error')
  }))

test('the attempt is durable before the network is asked, the PAN is wiped when it has answered', async () => {
  const seen: (string | null | undefined)[] = []
  const pans: Pan[] = []
  let house: House | null = null
  const watched = (sandbox: Network): Network => ({
    ...sandbox,
    startVerification: async (ask, signal) => {
      pans.push(ask.pan)
      const open = await house?.store.findVerification({ bucket, merchantId, cardId })
      seen.push(open?.outcome, open?.attemptId === ask.requestId ? 'its id is our request id' : 'another id')
      return sandbox.startVerification(ask, signal)
    },
  })
  house = await compose({ network: watched })
  const merchant = house.caller()
  const { bucket, merchantId } = merchant
  const token = await merchant.token(weSend)
  const cardId = token.slice(0, 24)
  await merchant.expect('cards.get_verify_code', { token })
  assert.deepEqual(seen, ['asked', 'its id is our request id'])
  assert.equal((await house.store.findVerification({ bucket, merchantId, cardId }))?.outcome, 'sent')
  const dek = await house.keyring.active('limits')
  for (const pan of pans) assert.throws(() => limitSubject(dek, 'pan', pan), /wiped/)
  await house.close()
})

test('a gateway that refuses is not sent; one that fails, or is silent for 3 seconds, may have sent it and is not asked again', async () => {
  const outcomes: [gateway: Sms['send'], kept: string, reason: string | null][] = [
    [async () => 'rejected', 'rejected', 'sms_not_sent'],
    [async () => 'unknown', 'unknown', null],
    [() => Promise.reject(new Error('reset by peer')), 'unknown', null],
    [() => new Promise(() => undefined), 'unknown', null],
  ]
  for (const [index, [send, kept, reason]] of outcomes.entries()) {
    let sends = 0
    const counted: Sms['send'] = (message, signal) => {
      sends += 1
      return send(message, signal)
    }
    await within({ sms: () => ({ send: counted }) }, async (house) => {
      const merchant = house.caller()
      const { bucket, merchantId } = merchant
      const token = await merchant.token(weSend)
      const asking = merchant.call('cards.get_verify_code', { token })
      if (index === outcomes.length - 1) {
        await house.clock.untilSleeping(3000)
        house.clock.advance(3000)
      }
      const reply = await asking
      assert.equal('error' in reply ? reply.error.reason : null, reason)
      if ('error' in reply) assert.deepEqual([reply.error.code, reply.error.retry_after], [-31110, 60_000])
      assert.equal((await house.store.findVerification({ bucket, merchantId, cardId: token.slice(0, 24) }))?.outcome, kept)
      assert.equal(sends, 1)
      // The code may have arrived: it is taken.
      await merchant.expect('cards.verify', { token, code: '666666' })
    })
  }
})

test('with the caps on, one PAN gets one code a minute, three in ten minutes and five a day, over all its tokens', () =>
  within({ verification: { limits: true } }, async (house) => {
    const [one, other] = [house.caller(), house.caller()]
    const askNew = async (merchant = one) => merchant.call('cards.get_verify_code', { token: await merchant.token(networkSends) })
    assert.ok('sent' in (await askNew()))
    const soon = await askNew(other)
    assert.ok('error' in soon)
    assert.deepEqual([soon.error.code, soon.error.reason, soon.error.retry_after], [-31110, 'send_limit_card', 60_000])
    const passed = [60, 60, 60, 480, 600, 600, 600, 86_400 - 2460].map((seconds) => seconds * 1000)
    const outcomes: string[] = []
    for (const ms of passed) {
      house.clock.advance(ms)
      const reply = await askNew(other)
      outcomes.push('sent' in reply ? 'sent' : 'error' in reply ? reply.error.reason : '')
    }
    const limit = 'send_limit_card'
    assert.deepEqual(outcomes, ['sent', 'sent', limit, 'sent', 'sent', limit, limit, 'sent'])
    assert.ok('sent' in (await one.call('cards.get_verify_code', { token: await one.token(weSend) })), 'another card is not touched')
  }))

test('with the caps on, one phone gets one message a minute over all its cards', async () => {
  const onePhone = (sandbox: Network): Network => ({
    ...sandbox,
    startVerification: async () => ({ kind: 'weSend', phone: '998901234567' }),
  })
  await within({ verification: { limits: true }, network: onePhone }, async (house) => {
    const merchant = house.caller()
    const [first, second] = [await merchant.token(drawPan('8600')), await merchant.token(drawPan('9860'))]
    await merchant.expect('cards.get_verify_code', { token: first })
    const reply = await merchant.call('cards.get_verify_code', { token: second })
    assert.ok('error' in reply)
    assert.deepEqual([reply.error.code, reply.error.reason, reply.error.retry_after], [-31110, 'send_limit_phone', 60_000])
    assert.equal((await house.store.listInbox(10)).length, 1)
  })
})

test('a card that is removed while the network thinks is answered as deleted, and no code of it is good', async () => {
  let remove = async () => {}
  const slow = (sandbox: Network): Network => ({
    ...sandbox,
    startVerification: async (ask, signal) => {
      await remove()
      return sandbox.startVerification(ask, signal)
    },
  })
  await within({ network: slow }, async (house) => {
    const merchant = house.caller()
    const token = await merchant.token(networkSends)
    remove = async () => {
      await merchant.expect('cards.remove', { token })
    }
    assert.equal(await merchant.refused('cards.get_verify_code', { token }), 'card_deleted')
    assert.equal(await merchant.refused('cards.verify', { token, code: '666666' }), 'card_deleted')
  })
})
