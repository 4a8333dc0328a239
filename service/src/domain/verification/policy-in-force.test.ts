import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, test } from 'node:test'

import type { Network } from '../../adapters/network/network.ts'
import { drawnCodes } from '../../adapters/sms/codes.ts'
import { deleteOldLimits } from '../../store/send-limits.ts'
import { setScenarioStep } from '../../store/sandbox.ts'
import { defaultConfig, hostedOrigin } from '../../testing/default-config.fixture.ts'
import { policiesWith } from '../../testing/policies.fixture.ts'
import { createTestApp, type TestApp, type TestAppOptions } from '../../testing/test-app.fixture.ts'
import type { TestMerchant } from '../../testing/test-merchant.fixture.ts'

import { makeVerificationPolicies } from './policy.ts'

const sentByNetwork = '8600069195406311'
const sentByService = '8600495473316478'
const quarterHourMs = 900_000

/** The policy that the press reported. */
const reported = makeVerificationPolicies({ ...defaultConfig, verificationPolicy: 'cbu-3759-as-reported' })

async function within(options: TestAppOptions, use: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await createTestApp({ after }, options)
  try {
    await use(app)
  } finally {
    await app.close()
  }
}

async function createToken(merchant: TestMerchant, pan: string, customer: string | null = null): Promise<string> {
  const { card } = await merchant.call('cards.create', { card: { number: '', expire: '0399' }, customer }, pan)
  return card.token
}

/** The reason of a reply, with `retry_after` if it has one. */
async function reply(
  merchant: TestMerchant,
  method: 'cards.get_verify_code' | 'cards.verify',
  token: string,
  code = 'ZZZZZZ',
): Promise<string> {
  const raw = method === 'cards.verify' ? await merchant.callRaw(method, { token, code }) : await merchant.callRaw(method, { token })
  if (!('error' in raw)) return 'sent' in raw ? 'sent' : 'verified'
  const { error } = raw
  return [String(error.code), error.reason, ...(error.retry_after === undefined ? [] : [String(error.retry_after)])].join(' ')
}

for (const pan of [sentByNetwork, sentByService]) {
  test(`the third wrong code stops the card at each of its tokens, for a quarter of an hour: ${pan}`, () =>
    within({ verification: { policies: reported } }, async (app) => {
      const merchant = app.merchant()
      const [token, other] = [await createToken(merchant, pan), await createToken(merchant, pan)]
      for (const each of [token, other]) await merchant.call('cards.get_verify_code', { token: each })
      for (const expected of ['-31103 wrong_code', '-31103 wrong_code', '-31102 tries_used_up 900000'])
        assert.equal(await reply(merchant, 'cards.verify', token), expected)
      app.clock.advance(1000)
      for (const each of [token, other]) {
        assert.equal(await reply(merchant, 'cards.verify', each, '666666'), '-31700 verification_stopped 899000')
        assert.equal(await reply(merchant, 'cards.get_verify_code', each), '-31700 verification_stopped 899000')
      }
      app.clock.advance(quarterHourMs - 1001)
      assert.equal(await reply(merchant, 'cards.get_verify_code', other), '-31700 verification_stopped 1')
      app.clock.advance(1)
      assert.equal(await reply(merchant, 'cards.get_verify_code', other), 'sent')
      assert.equal(await reply(merchant, 'cards.verify', other, '666666'), 'verified')
      assert.deepEqual(app.alarms, [])
    }))
}

test('wrong codes are counted over several codes until a right one, so that asking for another code does not begin anew', () =>
  within({ verification: { policies: reported } }, async (app) => {
    const merchant = app.merchant()
    const token = await createToken(merchant, sentByService)
    for (let round = 0; round < 2; round++) {
      await merchant.call('cards.get_verify_code', { token })
      assert.equal(await reply(merchant, 'cards.verify', token), '-31103 wrong_code')
      app.clock.advance(60_000)
    }
    await merchant.call('cards.get_verify_code', { token })
    assert.equal(await reply(merchant, 'cards.verify', token), '-31102 tries_used_up 900000')
  }))

test('a stop holds for the customer and the phone, not for another customer with another card', () =>
  within({ verification: { policies: reported } }, async (app) => {
    const merchant = app.merchant()
    const token = await createToken(merchant, sentByService, 'Ali')
    const [ofCustomer, ofPhone, ofOther] = [
      await createToken(merchant, sentByNetwork, 'Ali'),
      await createToken(merchant, sentByService, 'Vali'),
      await createToken(merchant, sentByNetwork, 'Vali'),
    ]
    await merchant.call('cards.get_verify_code', { token })
    for (let attempt = 0; attempt < 3; attempt++) await merchant.callRaw('cards.verify', { token, code: 'ZZZZZZ' })
    for (const stopped of [ofCustomer, ofPhone])
      assert.match(await reply(merchant, 'cards.get_verify_code', stopped), /verification_stopped/)
    assert.equal(await reply(merchant, 'cards.get_verify_code', ofOther), 'sent')
    assert.equal(
      await reply(app.merchant(), 'cards.get_verify_code', await createToken(app.merchant(), sentByNetwork)),
      '-31400 card_not_found',
    )
  }))

for (const pan of [sentByNetwork, sentByService]) {
  test(`a stop of the customer alone leaves the card to other customers: ${pan}`, () =>
    within(
      { verification: { policies: policiesWith({ stop: { durationMs: quarterHourMs, per: ['card', 'customer'] } }) } },
      async (app) => {
        const merchant = app.merchant()
        const enter = async (token: string, codes: number) => {
          await merchant.call('cards.get_verify_code', { token })
          for (let attempt = 0; attempt < codes; attempt++) await merchant.callRaw('cards.verify', { token, code: '000000' })
        }
        const other = pan === sentByNetwork ? sentByService : sentByNetwork
        await enter(await createToken(merchant, other, 'Ali'), 4)
        const token = await createToken(merchant, pan, 'Ali')
        await enter(token, 1)
        assert.match(await reply(merchant, 'cards.verify', token, '000000'), /verification_stopped/)
        assert.equal(await reply(merchant, 'cards.get_verify_code', await createToken(merchant, pan, 'Vali')), 'sent')
        assert.deepEqual(app.alarms, [])
      },
    ))
}

test('a stop ends when the database says so, however long the network took to evaluate the code', () => {
  const late: { app?: TestApp } = {}
  const network = (sandbox: Network): Network => ({
    ...sandbox,
    async checkCode(code, signal) {
      late.app?.clock.advance(2000)
      return sandbox.checkCode(code, signal)
    },
  })
  return within(
    { verification: { policies: policiesWith({ stop: { durationMs: quarterHourMs, per: ['card'] } }) }, network },
    async (app) => {
      late.app = app
      const merchant = app.merchant()
      const token = await createToken(merchant, sentByNetwork)
      await merchant.call('cards.get_verify_code', { token })
      for (let attempt = 0; attempt < 5; attempt++) await merchant.callRaw('cards.verify', { token, code: '000000' })
      // The stop is counted from the attempt, before the network was called.
      app.clock.advance(quarterHourMs - 2000)
      assert.equal(await reply(merchant, 'cards.get_verify_code', token), 'sent')
      assert.deepEqual(app.alarms, [])
    },
  )
})

test('a last code whose evaluation got no reply stays a stop, also when somebody deletes its count', () => {
  const network = (sandbox: Network): Network => ({
    ...sandbox,
    checkCode: async (check, signal) =>
      check.code === '111111' ? { kind: 'refused', reason: 'timeout' } : sandbox.checkCode(check, signal),
  })
  return within(
    { verification: { policies: policiesWith({ stop: { durationMs: quarterHourMs, per: ['card'] }, maxAttempts: 1 }) }, network },
    async (app) => {
      const merchant = app.merchant()
      const token = await createToken(merchant, sentByNetwork)
      await merchant.call('cards.get_verify_code', { token })
      assert.match(await reply(merchant, 'cards.verify', token, '111111'), /network_timeout/)
      await app.store.write(deleteOldLimits, { before: Number.MAX_SAFE_INTEGER })
      assert.match(await reply(merchant, 'cards.verify', token, '666666'), /verification_stopped/)
      assert.ok(app.alarms.some((line) => line.startsWith('row_tampered')))
    },
  )
})

test('a stop holds when the key of the day changes meanwhile', () =>
  within({ verification: { policies: reported } }, async (app) => {
    const merchant = app.merchant()
    const token = await createToken(merchant, sentByService)
    await merchant.call('cards.get_verify_code', { token })
    assert.equal(await reply(merchant, 'cards.verify', token), '-31103 wrong_code')
    await app.keyring.rotate('limits')
    assert.equal(await reply(merchant, 'cards.verify', token), '-31103 wrong_code')
    assert.equal(await reply(merchant, 'cards.verify', token), '-31102 tries_used_up 900000')
    await app.keyring.rotate('limits')
    assert.match(await reply(merchant, 'cards.get_verify_code', token), /verification_stopped/)
    assert.deepEqual(app.alarms, [])
  }))

test('a stop of which the database knows nothing any more goes on, with an alarm', () =>
  within({ verification: { policies: reported } }, async (app) => {
    const merchant = app.merchant()
    const token = await createToken(merchant, sentByService)
    await merchant.call('cards.get_verify_code', { token })
    for (let attempt = 0; attempt < 3; attempt++) await merchant.callRaw('cards.verify', { token, code: 'ZZZZZZ' })
    await app.store.write(deleteOldLimits, { before: Number.MAX_SAFE_INTEGER })
    assert.equal(app.alarms.length, 0)
    assert.equal(await reply(merchant, 'cards.get_verify_code', token), '-31700 verification_stopped 900000')
    assert.ok(app.alarms.some((line) => line.startsWith('row_tampered')))
  }))

for (const pan of [sentByNetwork, sentByService]) {
  test(`a stop that is over stays over when the clock is set back after a right code: ${pan}`, () =>
    within({ verification: { policies: reported } }, async (app) => {
      const merchant = app.merchant()
      const token = await createToken(merchant, pan)
      await merchant.call('cards.get_verify_code', { token })
      for (let attempt = 0; attempt < 3; attempt++) await merchant.callRaw('cards.verify', { token, code: 'ZZZZZZ' })
      app.clock.advance(quarterHourMs)
      assert.equal(await reply(merchant, 'cards.get_verify_code', token), 'sent')
      assert.equal(await reply(merchant, 'cards.verify', token, '666666'), 'verified')
      app.clock.jump(-60_000)
      assert.equal(await reply(merchant, 'cards.get_verify_code', await createToken(merchant, pan)), 'sent')
      assert.deepEqual(app.alarms, [])
    }))
}

test('codes of letters are sent in capitals, read in any case and from a Cyrillic keyboard, and what cannot be one uses up no attempt', () =>
  within({ verification: { policies: reported }, codes: drawnCodes(randomInt) }, async (app) => {
    const merchant = app.merchant()
    for (const write of [(code: string) => code, (code: string) => code.toLowerCase(), toCyrillic]) {
      const token = await createToken(merchant, sentByService)
      await merchant.call('cards.get_verify_code', { token })
      const [message] = await app.listSandboxInbox(1)
      const code =
        /code ([23456789BCDFGHJKMNPQRSTVWXZ]{6}) for card .*, valid for 59 s/.exec(message?.text ?? '')?.[1] ?? assert.fail(message?.text)
      for (const malformed of ['666666!', 'ABCDEF', code.slice(1), `${code}2`])
        assert.equal(await merchant.expectError('cards.verify', { token, code: malformed }), 'code_malformed', malformed)
      assert.equal(await reply(merchant, 'cards.verify', token, write(code)), 'verified', code)
      app.clock.advance(60_000)
    }
  }))

test('the test code is accepted whatever the policy is, as a text and as a number', () =>
  within({ verification: { policies: policiesWith({ length: 10, alphabet: 'ABCDEFGHKM' }) } }, async (app) => {
    const merchant = app.merchant()
    for (const [pan, code] of [
      [sentByNetwork, '666666'],
      [sentByService, 666666],
    ] as const) {
      const token = await createToken(merchant, pan)
      await merchant.call('cards.get_verify_code', { token })
      assert.equal((await merchant.call('cards.verify', { token, code })).card.verify, true)
    }
  }))

test('only the form gets told what the code looks like', () =>
  within({ verification: { policies: reported } }, async (app) => {
    const merchant = app.merchant()
    const sent = { sent: true, phone: '99890*****66', wait: 60_000 }
    const code = { length: 6, alphabet: '23456789BCDFGHJKMNPQRSTVWXZ', fixed: '666666', lifetime: 59_000 }
    for (const [origin, expected] of [
      [hostedOrigin, { ...sent, code }],
      ['https://shop.example', sent],
      [null, sent],
    ] as const) {
      const token = await createToken(merchant, sentByService)
      assert.deepEqual(await merchant.asPage('cards.get_verify_code', { token }, null, origin), expected)
    }
  }))

test('a network has a policy of its own', () =>
  within({ config: { networkVerificationPolicies: { uzcard: { attempts: 2, resendWaitSeconds: 7, length: 8 } } } }, async (app) => {
    const merchant = app.merchant()
    const token = await createToken(merchant, sentByService)
    assert.equal((await merchant.call('cards.get_verify_code', { token })).wait, 7000)
    assert.equal(await reply(merchant, 'cards.verify', token, '00000000'), '-31103 wrong_code')
    assert.equal(await reply(merchant, 'cards.verify', token, '000000'), '-31103 code_malformed')
    assert.equal(await reply(merchant, 'cards.verify', token, '00000000'), '-31102 tries_used_up')
    const foreign = await createToken(merchant, '4444445987459073')
    await merchant.callRaw('cards.get_verify_code', { token: foreign })
    assert.equal(await reply(merchant, 'cards.verify', foreign, '000000'), '-31103 wrong_code', 'a card of another network')
  }))

test('wrong codes that a network did not evaluate are not counted, and the last one by its own count begins a stop', async () => {
  const replies: Awaited<ReturnType<Network['checkCode']>>[] = [
    { kind: 'expired' },
    { kind: 'refused', reason: 'cardBlocked' },
    { kind: 'incorrect' },
    { kind: 'attemptsUsedUp' },
  ]
  const network = (sandbox: Network): Network => ({ ...sandbox, checkCode: async () => replies.shift() ?? { kind: 'correct' } })
  await within({ verification: { policies: policiesWith({ stop: { durationMs: 600_000, per: ['card'] } }) }, network }, async (app) => {
    const merchant = app.merchant()
    const token = await createToken(merchant, sentByNetwork)
    await merchant.call('cards.get_verify_code', { token })
    for (const expected of ['-31101 code_expired', '-31301 card_blocked', '-31103 wrong_code', '-31102 tries_used_up 600000'])
      assert.equal(await reply(merchant, 'cards.verify', token, '000000'), expected)
    assert.equal(await reply(merchant, 'cards.get_verify_code', token), '-31700 verification_stopped 600000')
    assert.deepEqual(app.alarms, [])
  })
})

for (const pan of [sentByNetwork, sentByService]) {
  test(`a phone that is not the cardholder's gets no code, and none is accepted: ${pan}`, () =>
    within({}, async (app) => {
      const merchant = app.merchant()
      await setStep(app, merchant, 'cards.get_verify_code', 'holder_mismatch')
      const token = await createToken(merchant, pan)
      assert.equal(await reply(merchant, 'cards.get_verify_code', token), '-31301 holder_mismatch')
      assert.equal(await reply(merchant, 'cards.verify', token, '666666'), '-31301 holder_mismatch')
      assert.deepEqual(await app.listSandboxInbox(1), [])
    }))

  test(`no answer about the cardholder is a match, unless the policy wants one: ${pan}`, () =>
    within({ config: { networkVerificationPolicies: { uzcard: { holderUnknown: 'refuse' } } } }, async (app) => {
      const merchant = app.merchant()
      await setStep(app, merchant, 'cards.get_verify_code', 'holder_unknown')
      const token = await createToken(merchant, pan)
      assert.equal(await reply(merchant, 'cards.get_verify_code', token), '-31301 holder_mismatch')
      assert.equal(await reply(merchant, 'cards.verify', token, '666666'), '-31301 holder_mismatch')
      assert.deepEqual(await app.listSandboxInbox(1), [])
      await setStep(app, merchant, 'cards.get_verify_code', 'none')
      app.clock.advance(60_000)
      assert.equal(await reply(merchant, 'cards.get_verify_code', token), 'sent')
    }))
}

test('the outside service that the policy names decides where the network does not', () =>
  within({ config: { holderCheck: 'service', holderUnknown: 'refuse' } }, async (app) => {
    const merchant = app.merchant()
    await setStep(app, merchant, 'cards.get_verify_code', 'holder_unknown')
    for (const [step, expected] of [
      ['none', 'sent'],
      ['holder_mismatch', '-31301 holder_mismatch'],
      ['holder_unknown', '-31301 holder_mismatch'],
      ['rejected', '-31301 holder_mismatch'],
    ] as const) {
      await setStep(app, merchant, 'holder', step)
      const token = await createToken(merchant, sentByService)
      assert.equal(await reply(merchant, 'cards.get_verify_code', token), expected, step)
    }
    // The network names no phone, and confirms none.
    assert.equal(await reply(merchant, 'cards.get_verify_code', await createToken(merchant, sentByNetwork)), '-31301 holder_mismatch')
    assert.equal((await app.listSandboxInbox(9)).length, 1)
  }))

function setStep(app: TestApp, { merchantId }: TestMerchant, scenario: string, step: string): Promise<unknown> {
  return app.store.write(setScenarioStep, { merchantId, scenario, step })
}

function toCyrillic(code: string): string {
  return Array.from(code, (letter) => 'АВЕКМНОРСТУХ'.charAt('ABEKMHOPCTYX'.indexOf(letter)) || letter).join('')
}
