import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { makeCardResealer } from '../domain/cards/reseal.ts'
import type { CodeCheckResult, Network } from '../adapters/network/network.ts'
import { testCards } from '../adapters/sandbox/cards.ts'

import type { TestMerchant } from '../testing/test-merchant.fixture.ts'
import { createTestApp, type TestApp, type TestAppOptions } from '../testing/test-app.fixture.ts'
import { drawPan } from '../testing/random.fixture.ts'
import { findCard } from '../store/cards.ts'
import { setScenarioStep } from '../store/sandbox.ts'
import { findVerification } from '../store/verifications.ts'

const sentByNetwork = '8600069195406311'
const sentByService = '8600495473316478'
const both = [sentByNetwork, sentByService]
const right = '666666'

async function within(options: TestAppOptions, use: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await createTestApp({ after }, options)
  try {
    await use(app)
  } finally {
    await app.close()
  }
}

/** A token whose SMS code has been requested. */
async function createTokenWithCode(merchant: TestMerchant, pan: string, save = true): Promise<string> {
  const token = await merchant.createToken(pan, { save })
  await merchant.callRaw('cards.get_verify_code', { token })
  return token
}

test('the right code verifies, as a string or number and with surrounding whitespace; afterwards any code gets the same result', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    for (const pan of both) {
      for (const code of [right, 666666, ` ${right} `]) {
        const token = await createTokenWithCode(merchant, pan)
        const { card } = await merchant.call('cards.verify', { token, code })
        assert.deepEqual(card, { ...(await merchant.call('cards.check', { token })).card, verify: true })
        assert.deepEqual(await merchant.call('cards.verify', { token, code: '000000' }), { card })
        assert.equal((await merchant.withProfile('subscribe').call('cards.verify', { token, code: 1 })).card.expire, '03/99')
      }
    }
  }))

test('leading zeros are restored for a code sent as a number, but not as a string', () =>
  within({ codes: { draw: () => '000042' } }, async (app) => {
    const merchant = app.merchant()
    const token = await createTokenWithCode(merchant, sentByService)
    assert.equal(await merchant.expectError('cards.verify', { token, code: '42' }), 'code_malformed')
    await merchant.call('cards.verify', { token, code: 42 })
  }))

test('the fifth wrong code says that no attempt is left, even the right code is refused then, and a new code has five attempts', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    for (const pan of both) {
      const replies: string[] = []
      const token = await createTokenWithCode(merchant, pan)
      for (const code of [...Array<string>(5).fill('000000'), right]) {
        const reply = await merchant.callRaw('cards.verify', { token, code })
        assert.ok('error' in reply)
        replies.push(`${reply.error.code} ${reply.error.reason}`)
      }
      assert.deepEqual(replies, [...Array<string>(4).fill('-31103 wrong_code'), '-31102 tries_used_up', '-31102 tries_used_up'])
      app.clock.advance(60_000)
      await merchant.call('cards.get_verify_code', { token })
      await merchant.call('cards.verify', { token, code: right })
    }
  }))

test('a code that is not six digits is refused as malformed and uses up no attempt', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    for (const pan of both) {
      const token = await createTokenWithCode(merchant, pan)
      for (let round = 0; round < 3; round++) {
        for (const code of ['', '66666', '6666666', '66666６', '0x1234', '66 6666']) {
          const reply = await merchant.callRaw('cards.verify', { token, code })
          assert.ok('error' in reply, code)
          assert.deepEqual([reply.error.code, reply.error.reason], [-31103, 'code_malformed'], code)
        }
      }
      for (let attempt = 0; attempt < 4; attempt++)
        assert.equal(await merchant.expectError('cards.verify', { token, code: '000000' }), 'wrong_code')
      await merchant.call('cards.verify', { token, code: ` ${right} ` })
      // A verified card returns the same result, whatever the code.
      assert.equal((await merchant.call('cards.verify', { token, code: '1' })).card.verify, true)
    }
    const never = await merchant.createToken(both[0] ?? '')
    assert.equal(await merchant.expectError('cards.verify', { token: never, code: '1' }), 'code_not_requested')
  }))

test('a code that was never requested and a code that is 180 seconds old are refused, each with its own reason', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    for (const pan of both) {
      const never = await merchant.createToken(pan)
      const reply = await merchant.callRaw('cards.verify', { token: never, code: right })
      assert.ok('error' in reply)
      assert.deepEqual([reply.error.code, reply.error.reason], [-31101, 'code_not_requested'])

      const [young, old] = [await createTokenWithCode(merchant, pan), await createTokenWithCode(merchant, pan)]
      app.clock.advance(179_999)
      await merchant.call('cards.verify', { token: young, code: right })
      app.clock.advance(1)
      const late = await merchant.callRaw('cards.verify', { token: old, code: right })
      assert.ok('error' in late)
      assert.deepEqual([late.error.code, late.error.reason], [-31101, 'code_expired'])
    }
  }))

test('neither changing the clock nor a reboot extends the lifetime of a code', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    const jumps: [reason: string, move: () => void, back: () => void][] = [
      ['code_expired', () => app.clock.jump(-3_600_000), () => app.clock.jump(3_600_000)],
      ['code_expired', () => app.clock.jump(-6000), () => app.clock.jump(6000)],
      ['code_expired', () => app.clock.jump(600_000), () => app.clock.jump(-600_000)],
      ['card_ended', () => app.clock.jump(86_400_000), () => app.clock.jump(-86_400_000)],
      ['code_expired', rebootSlowly, () => app.clock.jump(-10_000)],
    ]
    for (const [reason, move, back] of jumps) {
      const token = await createTokenWithCode(merchant, sentByService)
      app.clock.advance(170_000)
      move()
      assert.equal(await merchant.expectError('cards.verify', { token, code: right }), reason)
      back()
      // A code that was found to be expired stays expired. If no code was evaluated, its lifetime is unaffected.
      if (reason === 'code_expired') assert.equal(await merchant.expectError('cards.verify', { token, code: right }), reason)
      else await merchant.call('cards.verify', { token, code: right })
    }

    function rebootSlowly() {
      app.clock.reboot()
      app.clock.jump(10_000)
    }
  }))

test('only the newest code is accepted', () => {
  const drawn = ['111111', '222222']
  return within({ codes: { draw: () => drawn.shift() ?? '' } }, async (app) => {
    const merchant = app.merchant()
    const token = await createTokenWithCode(merchant, sentByService)
    app.clock.advance(60_000)
    await merchant.call('cards.get_verify_code', { token })
    assert.equal(await merchant.expectError('cards.verify', { token, code: '111111' }), 'wrong_code')
    await merchant.call('cards.verify', { token, code: '222222' })
  })
})

test('the fixed code is accepted for every test card, also after its code could not be sent', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    for (const { number, scenario } of testCards) {
      const token = await merchant.createToken(number)
      const pending = merchant.callRaw('cards.get_verify_code', { token })
      if ((scenario?.delayMs ?? 0) > 0) {
        await app.clock.untilSleeping(10_000)
        app.clock.advance(10_000)
      }
      assert.equal('error' in (await pending), scenario !== null)
      assert.equal(await merchant.expectError('cards.verify', { token, code: '666667' }), 'wrong_code')
      assert.equal((await merchant.call('cards.verify', { token, code: right })).card.verify, true)
    }
  }))

test('a card unknown to the sandbox is never verified', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    const token = await createTokenWithCode(merchant, drawPan('8600'))
    assert.equal(await merchant.expectError('cards.verify', { token, code: right }), 'code_not_requested')
  }))

test('a scenario with step verify sends the code and then refuses it without counting an attempt', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    for (const { number, scenario } of testCards) {
      if (scenario === null) continue
      await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: scenario.name, step: 'verify' })
      const token = await merchant.createToken(number)
      await merchant.call('cards.get_verify_code', { token })
      const pending = merchant.expectError('cards.verify', { token, code: right })
      if (scenario.delayMs > 0) {
        await app.clock.untilSleeping(10_000)
        app.clock.advance(10_000)
      }
      assert.equal(await pending, scenario.name)
      assert.equal((await merchant.call('cards.check', { token })).card.verify, false)
      const { bucket, merchantId } = merchant
      assert.equal((await app.store.read(findVerification({ bucket, merchantId, cardId: token.slice(0, 24) })))?.attempts, 0)
    }
  }))

test('of 200 concurrent wrong codes at most five are checked, whether the network or the service sent the code', async () => {
  let evaluated = 0
  const counting = (sandbox: Network): Network => ({
    ...sandbox,
    checkCode: async (check, signal) => {
      evaluated += 1
      return sandbox.checkCode(check, signal)
    },
  })
  await within({ network: counting }, async (app) => {
    const merchant = app.merchant()
    for (const pan of both) {
      const token = await createTokenWithCode(merchant, pan)
      const guesses = Array.from({ length: 200 }, (_, i) => String(i).padStart(6, '0'))
      const reasons = await Promise.all(guesses.map((code) => merchant.expectError('cards.verify', { token, code })))
      assert.equal(reasons.filter((reason) => reason === 'wrong_code').length, 4)
      assert.equal(reasons.filter((reason) => reason === 'tries_used_up').length, 196)
    }
    assert.equal(evaluated, 5)
  })
})

test('the right code, submitted many times concurrently, verifies once and always gets the same result', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    for (const pan of both) {
      const token = await createTokenWithCode(merchant, pan)
      const replies = await Promise.all(Array.from({ length: 5 }, () => merchant.call('cards.verify', { token, code: right })))
      assert.equal(new Set(replies.map((reply) => JSON.stringify(reply))).size, 1)
      const { bucket, merchantId } = merchant
      assert.equal((await app.store.read(findCard({ bucket, merchantId, cardId: token.slice(0, 24) })))?.version, 2)
    }
  }))

test('the right code, submitted more often at once than it has attempts, is never refused as used up', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    const token = await createTokenWithCode(merchant, sentByService)
    app.alarms.length = 0
    const replies = await Promise.all(Array.from({ length: 12 }, () => merchant.call('cards.verify', { token, code: right })))
    assert.ok(replies.every(({ card }) => card.verify))
    const guessed = await createTokenWithCode(merchant, sentByService)
    const reasons = await Promise.all(
      Array.from({ length: 12 }, () => merchant.expectError('cards.verify', { token: guessed, code: '000000' })),
    )
    assert.equal(reasons.filter((reason) => reason === 'wrong_code').length, 4)
    assert.deepEqual(app.alarms, [], 'honest concurrency raises no alarm')
  }))

test('with the caps on, a PAN has 15 attempts a day over all its tokens, codes and merchants', () =>
  within({ verification: { limits: true } }, async (app) => {
    const guess = async (merchant: TestMerchant) => {
      const token = await createTokenWithCode(merchant, sentByService)
      const reasons: string[] = []
      for (let attempt = 0; attempt < 5; attempt++) reasons.push(await merchant.expectError('cards.verify', { token, code: '000000' }))
      app.clock.advance(600_000)
      return reasons
    }
    for (let codes = 0; codes < 3; codes++) assert.deepEqual(new Set(await guess(app.merchant())), new Set(['wrong_code', 'tries_used_up']))
    const merchant = app.merchant()
    const token = await createTokenWithCode(merchant, sentByService)
    const reply = await merchant.callRaw('cards.verify', { token, code: right })
    assert.ok('error' in reply)
    assert.deepEqual([reply.error.code, reply.error.reason], [-31102, 'card_day_tries_used_up'])
    assert.equal(reply.error.retry_after, 86_400_000 - 3 * 600_000)
    const other = await createTokenWithCode(merchant, sentByNetwork)
    await merchant.call('cards.verify', { token: other, code: right })
  }))

test('the result of a network’s own code check is mapped to the errors of the API', async () => {
  const results: [result: CodeCheckResult, reason: string][] = [
    [{ kind: 'incorrect' }, 'wrong_code'],
    [{ kind: 'expired' }, 'code_expired'],
    [{ kind: 'attemptsUsedUp' }, 'tries_used_up'],
    [{ kind: 'unknown' }, 'code_not_requested'],
    [{ kind: 'refused', reason: 'cardBlocked' }, 'card_blocked'],
    [{ kind: 'refused', reason: 'systemError' }, 'system_error'],
    [{ kind: 'refused', reason: 'timeout' }, 'network_timeout'],
  ]
  let networkResult: CodeCheckResult = { kind: 'unknown' }
  await within({ network: (sandbox) => ({ ...sandbox, checkCode: async () => networkResult }) }, async (app) => {
    for (const [result, reason] of results) {
      const merchant = app.merchant()
      const token = await createTokenWithCode(merchant, sentByNetwork)
      networkResult = result
      assert.equal(await merchant.expectError('cards.verify', { token, code: right }), reason)
      assert.equal((await merchant.call('cards.check', { token })).card.verify, false)
    }
  })
})

test('a card resealed during the code check of the network is still verified', async () => {
  let meanwhile = async () => {}
  const slow = (sandbox: Network): Network => ({
    ...sandbox,
    precheckCard: async () => (await meanwhile(), null),
    checkCode: async (check, signal) => {
      const finished = await sandbox.checkCode(check, signal)
      await meanwhile()
      return finished
    },
  })
  await within({ network: slow }, async (app) => {
    const { store, keyring, clock, environment } = app
    const reseal = makeCardResealer({ store, keyring, clock, environment, alarm: () => assert.fail() })
    const merchant = app.merchant()
    for (const pan of both) {
      const token = await createTokenWithCode(merchant, pan)
      let turns = 1
      meanwhile = async () => {
        if (turns-- <= 0) return
        await keyring.rotate('card', merchant.merchantId)
        assert.ok((await reseal.runOnce()) > 0)
      }
      assert.equal((await merchant.call('cards.verify', { token, code: right })).card.verify, true)
      assert.equal((await merchant.call('cards.check', { token })).card.verify, true)
    }
  })
})

test('a card removed during the code check is not verified', async () => {
  let remove = async () => {}
  const slow = (sandbox: Network): Network => ({
    ...sandbox,
    checkCode: async (check, signal) => {
      await remove()
      return sandbox.checkCode(check, signal)
    },
  })
  await within({ network: slow }, async (app) => {
    const merchant = app.merchant()
    const token = await createTokenWithCode(merchant, sentByNetwork)
    remove = async () => {
      await merchant.call('cards.remove', { token })
    }
    assert.equal(await merchant.expectError('cards.verify', { token, code: right }), 'card_deleted')
  })
})

test('a verified card expires after 24 hours without save, and 30 days after its expiry with save', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    const [once, saved] = [
      await createTokenWithCode(merchant, sentByService, false),
      await createTokenWithCode(merchant, sentByService, true),
    ]
    for (const token of [once, saved]) await merchant.call('cards.verify', { token, code: right })
    app.clock.advance(24 * 3_600_000 - 1)
    await merchant.call('cards.check', { token: once })
    app.clock.advance(1)
    assert.equal(await merchant.expectError('cards.check', { token: once }), 'card_ended')
    const past = Date.UTC(2099, 3, 1) - 5 * 3_600_000 + 30 * 86_400_000
    app.clock.advance(past - 1 - app.clock.now())
    await merchant.call('cards.check', { token: saved })
    app.clock.advance(1)
    assert.equal(await merchant.expectError('cards.check', { token: saved }), 'card_ended')
  }))
