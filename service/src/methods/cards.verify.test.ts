import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeReseal } from '../cards/reseal.ts'
import type { FinishedVerification, Network } from '../network/network.ts'
import { testCards } from '../sandbox/cards.ts'

import type { Caller } from './caller.fixture.ts'
import { compose, type House, type HouseOptions } from './compose.fixture.ts'
import { drawPan } from './drawn.fixture.ts'

const networkSends = '8600069195406311'
const weSend = '8600495473316478'
const both = [networkSends, weSend]
const right = '666666'

async function within(options: HouseOptions, use: (house: House) => Promise<void>): Promise<void> {
  const house = await compose(options)
  try {
    await use(house)
  } finally {
    await house.close()
  }
}

/** A token whose code has been asked for. */
async function asked(merchant: Caller, pan: string, save = true): Promise<string> {
  const token = await merchant.token(pan, { save })
  await merchant.call('cards.get_verify_code', { token })
  return token
}

test('the right code verifies, as text or number, with blanks around; and then any code is answered the same way', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    for (const pan of both) {
      for (const code of [right, 666666, ` ${right} `]) {
        const token = await asked(merchant, pan)
        const { card } = await merchant.expect('cards.verify', { token, code })
        assert.deepEqual(card, { ...(await merchant.expect('cards.check', { token })).card, verify: true })
        assert.deepEqual(await merchant.expect('cards.verify', { token, code: '000000' }), { card })
        assert.equal((await merchant.in('subscribe').expect('cards.verify', { token, code: 1 })).card.expire, '03/99')
      }
    }
  }))

test('a number that lost its leading zeros gets them back, and a text does not', () =>
  within({ codes: { draw: () => '000042' } }, async (house) => {
    const merchant = house.caller()
    const token = await asked(merchant, weSend)
    assert.equal(await merchant.refused('cards.verify', { token, code: '42' }), 'wrong_code')
    await merchant.expect('cards.verify', { token, code: 42 })
  }))

test('five tries are wrong and the sixth is too many, even with the right code; a new code takes five again', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    for (const pan of both) {
      const token = await asked(merchant, pan)
      for (let tries = 0; tries < 5; tries++) {
        const reply = await merchant.call('cards.verify', { token, code: '000000' })
        assert.ok('error' in reply)
        assert.deepEqual([reply.error.code, reply.error.reason], [-31103, 'wrong_code'])
      }
      const reply = await merchant.call('cards.verify', { token, code: right })
      assert.ok('error' in reply)
      assert.deepEqual([reply.error.code, reply.error.reason], [-31102, 'tries_used_up'])
      house.clock.advance(60_000)
      await merchant.expect('cards.get_verify_code', { token })
      await merchant.expect('cards.verify', { token, code: right })
    }
  }))

test('a text that is no six digits is a wrong try like any other', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    for (const pan of both) {
      const token = await asked(merchant, pan)
      for (const code of ['', '66666', '6666666', '66666６', '0x1234']) {
        assert.equal(await merchant.refused('cards.verify', { token, code }), 'wrong_code', code)
      }
      assert.equal(await merchant.refused('cards.verify', { token, code: right }), 'tries_used_up')
    }
  }))

test('a code that was never asked for, or is 180 seconds old, is too old', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    for (const pan of both) {
      const never = await merchant.token(pan)
      const reply = await merchant.call('cards.verify', { token: never, code: right })
      assert.ok('error' in reply)
      assert.deepEqual([reply.error.code, reply.error.reason], [-31101, 'code_not_requested'])

      const [young, old] = [await asked(merchant, pan), await asked(merchant, pan)]
      house.clock.advance(179_999)
      await merchant.expect('cards.verify', { token: young, code: right })
      house.clock.advance(1)
      const late = await merchant.call('cards.verify', { token: old, code: right })
      assert.ok('error' in late)
      assert.deepEqual([late.error.code, late.error.reason], [-31101, 'code_too_old'])
    }
  }))

test('a clock that is set, forward or back, does not lengthen a code’s life, and a reboot does not either', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    const jumps: [said: string, move: () => void, back: () => void][] = [
      ['code_too_old', () => house.clock.jump(-3_600_000), () => house.clock.jump(3_600_000)],
      ['code_too_old', () => house.clock.jump(-6000), () => house.clock.jump(6000)],
      ['code_too_old', () => house.clock.jump(600_000), () => house.clock.jump(-600_000)],
      ['card_ended', () => house.clock.jump(86_400_000), () => house.clock.jump(-86_400_000)],
      ['code_too_old', rebootSlowly, () => house.clock.jump(-10_000)],
    ]
    for (const [said, move, back] of jumps) {
      const token = await asked(merchant, weSend)
      house.clock.advance(170_000)
      move()
      assert.equal(await merchant.refused('cards.verify', { token, code: right }), said)
      back()
      // Once found too old a code stays so; where nothing was evaluated, its true life goes on.
      if (said === 'code_too_old') assert.equal(await merchant.refused('cards.verify', { token, code: right }), said)
      else await merchant.expect('cards.verify', { token, code: right })
    }

    function rebootSlowly() {
      house.clock.reboot()
      house.clock.jump(10_000)
    }
  }))

test('only the newest code is good', () => {
  const drawn = ['111111', '222222']
  return within({ codes: { draw: () => drawn.shift() ?? '' } }, async (house) => {
    const merchant = house.caller()
    const token = await asked(merchant, weSend)
    house.clock.advance(60_000)
    await merchant.expect('cards.get_verify_code', { token })
    assert.equal(await merchant.refused('cards.verify', { token, code: '111111' }), 'wrong_code')
    await merchant.expect('cards.verify', { token, code: '222222' })
  })
})

test('the fixed code is taken for every test card, also after its code could not be sent', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    for (const { number, scenario } of testCards) {
      const token = await merchant.token(number)
      const asking = merchant.call('cards.get_verify_code', { token })
      if ((scenario?.delayMs ?? 0) > 0) {
        await house.clock.untilSleeping(10_000)
        house.clock.advance(10_000)
      }
      assert.equal('error' in (await asking), scenario !== null)
      assert.equal(await merchant.refused('cards.verify', { token, code: '666667' }), 'wrong_code')
      assert.equal((await merchant.expect('cards.verify', { token, code: right })).card.verify, true)
    }
  }))

test('a card that the sandbox does not know is never verified', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    const token = await asked(merchant, drawPan('8600'))
    assert.equal(await merchant.refused('cards.verify', { token, code: right }), 'code_not_requested')
  }))

test('a scenario whose step is verify lets the code be sent and refuses it then, without counting a try', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    for (const { number, scenario } of testCards) {
      if (scenario === null) continue
      await house.store.setScenarioStep(merchant.merchantId, scenario.name, 'verify')
      const token = await merchant.token(number)
      await merchant.expect('cards.get_verify_code', { token })
      const answering = merchant.refused('cards.verify', { token, code: right })
      if (scenario.delayMs > 0) {
        await house.clock.untilSleeping(10_000)
        house.clock.advance(10_000)
      }
      assert.equal(await answering, scenario.name)
      assert.equal((await merchant.expect('cards.check', { token })).card.verify, false)
      const { bucket, merchantId } = merchant
      assert.equal((await house.store.findVerification({ bucket, merchantId, cardId: token.slice(0, 24) }))?.tries, 0)
    }
  }))

test('of 200 wrong codes at once at most five are evaluated, whoever sent the code', async () => {
  let evaluated = 0
  const counting = (sandbox: Network): Network => ({
    ...sandbox,
    finishVerification: async (answer, signal) => {
      evaluated += 1
      return sandbox.finishVerification(answer, signal)
    },
  })
  await within({ network: counting }, async (house) => {
    const merchant = house.caller()
    for (const pan of both) {
      const token = await asked(merchant, pan)
      const guesses = Array.from({ length: 200 }, (_, i) => String(i).padStart(6, '0'))
      const reasons = await Promise.all(guesses.map((code) => merchant.refused('cards.verify', { token, code })))
      assert.equal(reasons.filter((reason) => reason === 'wrong_code').length, 5)
      assert.equal(reasons.filter((reason) => reason === 'tries_used_up').length, 195)
    }
    assert.equal(evaluated, 5)
  })
})

test('the right code, submitted many times at once, verifies once and is answered alike', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    for (const pan of both) {
      const token = await asked(merchant, pan)
      const replies = await Promise.all(Array.from({ length: 5 }, () => merchant.expect('cards.verify', { token, code: right })))
      assert.equal(new Set(replies.map((reply) => JSON.stringify(reply))).size, 1)
      const { bucket, merchantId } = merchant
      assert.equal((await house.store.findCard({ bucket, merchantId, cardId: token.slice(0, 24) }))?.version, 2)
    }
  }))

test('with the caps on, a PAN takes 15 tries a day over all its tokens, codes and merchants', () =>
  within({ verification: { limits: true } }, async (house) => {
    const guess = async (merchant: Caller) => {
      const token = await asked(merchant, weSend)
      const reasons: string[] = []
      for (let tries = 0; tries < 5; tries++) reasons.push(await merchant.refused('cards.verify', { token, code: '000000' }))
      house.clock.advance(600_000)
      return reasons
    }
    for (let codes = 0; codes < 3; codes++) assert.deepEqual(new Set(await guess(house.caller())), new Set(['wrong_code']))
    const merchant = house.caller()
    const token = await asked(merchant, weSend)
    const reply = await merchant.call('cards.verify', { token, code: right })
    assert.ok('error' in reply)
    assert.deepEqual([reply.error.code, reply.error.reason], [-31102, 'card_day_tries_used_up'])
    assert.equal(reply.error.retry_after, 86_400_000 - 3 * 600_000)
    const other = await asked(merchant, networkSends)
    await merchant.expect('cards.verify', { token: other, code: right })
  }))

test('what a network says of its own code is told in our words', async () => {
  const sayings: [said: FinishedVerification, reason: string][] = [
    [{ kind: 'wrong' }, 'wrong_code'],
    [{ kind: 'tooOld' }, 'code_too_old'],
    [{ kind: 'triesUsedUp' }, 'tries_used_up'],
    [{ kind: 'unknown' }, 'code_not_requested'],
    [{ kind: 'refused', reason: 'cardBlocked' }, 'card_blocked'],
    [{ kind: 'refused', reason: 'systemError' }, 'system_error'],
    [{ kind: 'refused', reason: 'timeout' }, 'network_timeout'],
  ]
  let saying: FinishedVerification = { kind: 'unknown' }
  await within({ network: (sandbox) => ({ ...sandbox, finishVerification: async () => saying }) }, async (house) => {
    for (const [said, reason] of sayings) {
      const merchant = house.caller()
      const token = await asked(merchant, networkSends)
      saying = said
      assert.equal(await merchant.refused('cards.verify', { token, code: right }), reason)
      assert.equal((await merchant.expect('cards.check', { token })).card.verify, false)
    }
  })
})

test('a card that is resealed while its code is on the way to the network is verified all the same', async () => {
  let meanwhile = async () => {}
  const slow = (sandbox: Network): Network => ({
    ...sandbox,
    admitVerification: async () => (await meanwhile(), null),
    finishVerification: async (answer, signal) => {
      const finished = await sandbox.finishVerification(answer, signal)
      await meanwhile()
      return finished
    },
  })
  await within({ network: slow }, async (house) => {
    const { store, keyring, clock, environment } = house
    const reseal = makeReseal({ store, keyring, clock, environment, alarm: () => assert.fail() })
    const merchant = house.caller()
    for (const pan of both) {
      const token = await asked(merchant, pan)
      let turns = 1
      meanwhile = async () => {
        if (turns-- <= 0) return
        await keyring.rotate('card', merchant.merchantId)
        assert.ok((await reseal.runOnce()) > 0)
      }
      assert.equal((await merchant.expect('cards.verify', { token, code: right })).card.verify, true)
      assert.equal((await merchant.expect('cards.check', { token })).card.verify, true)
    }
  })
})

test('a card that is removed while its code is being checked is not verified', async () => {
  let remove = async () => {}
  const slow = (sandbox: Network): Network => ({
    ...sandbox,
    finishVerification: async (answer, signal) => {
      await remove()
      return sandbox.finishVerification(answer, signal)
    },
  })
  await within({ network: slow }, async (house) => {
    const merchant = house.caller()
    const token = await asked(merchant, networkSends)
    remove = async () => {
      await merchant.expect('cards.remove', { token })
    }
    assert.equal(await merchant.refused('cards.verify', { token, code: right }), 'card_deleted')
  })
})

test('a verified card lives 24 hours without save, and 30 days past its expiry with it', () =>
  within({}, async (house) => {
    const merchant = house.caller()
    const [once, kept] = [await asked(merchant, weSend, false), await asked(merchant, weSend, true)]
    for (const token of [once, kept]) await merchant.expect('cards.verify', { token, code: right })
    house.clock.advance(24 * 3_600_000 - 1)
    await merchant.expect('cards.check', { token: once })
    house.clock.advance(1)
    assert.equal(await merchant.refused('cards.check', { token: once }), 'card_ended')
    const past = Date.UTC(2099, 3, 1) - 5 * 3_600_000 + 30 * 86_400_000
    house.clock.advance(past - 1 - house.clock.now())
    await merchant.expect('cards.check', { token: kept })
    house.clock.advance(1)
    assert.equal(await merchant.refused('cards.check', { token: kept }), 'card_ended')
  }))
