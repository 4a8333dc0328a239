import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import type { Pan } from '@tessera/contract/card'
import { hashLimitSubject } from '@tessera/vault/keyed-hashes'

import type { Network } from '../adapters/network/network.ts'
import { testCards } from '../adapters/sandbox/cards.ts'
import type { Sms } from '../adapters/sms/sms.ts'
import { callGraceMs } from '../clock.ts'

import { createTestApp, type TestApp, type TestAppOptions } from '../testing/test-app.fixture.ts'
import { drawPan } from '../testing/random.fixture.ts'
import { listInbox, setScenarioStep } from '../store/sandbox.ts'
import { findVerification } from '../store/verifications.ts'

const sentByNetwork = '8600069195406311'
const sentByService = '8600495473316478'

/** A test app for the length of one test. */
async function within(options: TestAppOptions, use: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await createTestApp({ after }, options)
  try {
    await use(app)
  } finally {
    await app.close()
  }
}

test('the reply to a code request has the masked phone and the wait, whether network or service sends the code', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    for (const pan of [sentByNetwork, sentByService]) {
      const reply = await merchant.call('cards.get_verify_code', { token: await merchant.createToken(pan) })
      assert.deepEqual(reply, { sent: true, phone: '99890*****66', wait: 60_000 })
    }
    const inbox = await app.store.read(listInbox(10))
    assert.deepEqual(
      inbox.map(({ merchantId, phoneMask, text }) => ({ merchantId, phoneMask, text })),
      [
        {
          merchantId: merchant.merchantId,
          phoneMask: '99890*****66',
          text: 'Tessera: code 666666 for card *6478, valid for 180 s. Do not share it.',
        },
      ],
    )
  }))

test('another code is refused for 60 seconds after the last, and then sent', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    const token = await merchant.createToken(sentByNetwork)
    await merchant.call('cards.get_verify_code', { token })
    app.clock.advance(20_000)
    const soon = await merchant.callRaw('cards.get_verify_code', { token })
    assert.ok('error' in soon)
    assert.deepEqual([soon.error.code, soon.error.reason, soon.error.retry_after], [-31110, 'resend_too_soon', 40_000])
    app.clock.advance(39_999)
    assert.equal(await merchant.expectError('cards.get_verify_code', { token }), 'resend_too_soon')
    app.clock.advance(1)
    await merchant.call('cards.get_verify_code', { token })
  }))

test('changing the wall clock does not shorten the wait', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    const token = await merchant.createToken(sentByNetwork)
    await merchant.call('cards.get_verify_code', { token })
    app.clock.jump(61_000)
    assert.equal(await merchant.expectError('cards.get_verify_code', { token }), 'resend_too_soon')
  }))

test('of many concurrent code requests one succeeds, and one message is sent', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    const token = await merchant.createToken(sentByService)
    const replies = await Promise.all(Array.from({ length: 50 }, () => merchant.callRaw('cards.get_verify_code', { token })))
    assert.equal(replies.filter((reply) => 'sent' in reply).length, 1)
    assert.equal((await app.store.read(listInbox(100))).length, 1)
  }))

test('each scenario card has its own error by default', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    const said: Record<string, [number, string]> = {
      sms_not_connected: [-31301, 'SMS notification is not connected for this card.'],
      card_expired: [-31301, 'The card has expired.'],
      card_blocked: [-31301, 'The card is blocked.'],
      system_error: [-32400, 'System error.'],
      network_timeout: [-31002, 'The card network did not respond.'],
    }
    for (const { number, scenario } of testCards) {
      if (scenario === null) continue
      const token = await merchant.createToken(number)
      const asking = merchant.callRaw('cards.get_verify_code', { token })
      if (scenario.delayMs > 0) {
        await app.clock.untilSleeping(10_000)
        app.clock.advance(9999)
        const first = await Promise.race([asking, merchant.callRaw('cards.check', { token })])
        assert.ok('card' in first, 'it waits ten seconds')
        app.clock.advance(1)
      }
      const reply = await asking
      assert.ok('error' in reply, scenario.name)
      assert.deepEqual([reply.error.code, reply.error.message], said[scenario.name])
      assert.equal(reply.error.reason, scenario.name)
      if (scenario.name === 'system_error') assert.match(JSON.stringify(reply.error.data), /^"[0-9a-f]{24}"$/)
    }
  }))

test('hundreds of waiting requests of the ten-second card block no other requests', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    const tokens = await Promise.all(Array.from({ length: 300 }, () => merchant.createToken('8600134301849596')))
    const waiting = Promise.all(tokens.map((token) => merchant.callRaw('cards.get_verify_code', { token })))
    await app.clock.untilSleeping(10_000)
    for (const token of tokens) await merchant.call('cards.check', { token })
    await merchant.call('cards.get_verify_code', { token: await merchant.createToken(sentByNetwork) })
    app.clock.advance(10_000)
    assert.ok((await waiting).every((reply) => 'error' in reply && reply.error.reason === 'network_timeout'))
  }))

test('a card unknown to the sandbox, and a test card with another expiry, are not connected to SMS', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    const unknown = [await merchant.createToken(drawPan('9860')), await merchant.createToken(sentByNetwork, { expire: '0499' })]
    for (const token of unknown) assert.equal(await merchant.expectError('cards.get_verify_code', { token }), 'sms_not_connected')
  }))

test('a scenario card succeeds at every step but its own', () =>
  within({}, async (app) => {
    const merchant = app.merchant()
    for (const { number, scenario } of testCards) {
      for (const step of ['create', 'verify', 'pay']) {
        const token = await merchant.createToken(number)
        if (scenario !== null) await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: scenario.name, step })
        await merchant.call('cards.get_verify_code', { token })
        if (scenario !== null)
          await app.store.write(setScenarioStep, { merchantId: merchant.merchantId, scenario: scenario.name, step: 'get_verify_code' })
      }
    }
  }))

test('a network that does not respond for 12 seconds is a timeout, and its call is aborted', async () => {
  let callSignal: AbortSignal | null = null
  const silent = (sandbox: Network): Network => ({
    ...sandbox,
    startVerification: async (_ask, signal) => {
      callSignal = signal
      return new Promise(() => undefined)
    },
  })
  await within({ network: silent }, async (app) => {
    const merchant = app.merchant()
    const token = await merchant.createToken(sentByNetwork)
    const asking = merchant.expectError('cards.get_verify_code', { token })
    await app.clock.untilSleeping(12_000)
    app.clock.advance(12_000)
    assert.equal(await asking, 'network_timeout')
    assert.equal(callSignal?.aborted, true)
    // The network may have sent its code nevertheless, so that code is still accepted.
    await merchant.call('cards.verify', { token, code: '666666' })
  })
})

test('a network adapter that throws is a system error with the request id of the log', () =>
  within({ network: (sandbox) => ({ ...sandbox, startVerification: () => Promise.reject(new Error('broken pipe')) }) }, async (app) => {
    const merchant = app.merchant()
    const token = await merchant.createToken(sentByNetwork)
    assert.equal(await merchant.expectError('cards.get_verify_code', { token }), 'system_error')
  }))

test('the attempt is stored before the network is called, and the PAN is wiped after the call', async (t) => {
  const seen: (string | null | undefined)[] = []
  const pans: Pan[] = []
  let app: TestApp | null = null
  const watched = (sandbox: Network): Network => ({
    ...sandbox,
    startVerification: async (ask, signal) => {
      pans.push(ask.pan)
      const open = await app?.store.read(findVerification({ bucket, merchantId, cardId }))
      seen.push(open?.outcome, open?.attemptId === ask.requestId ? 'under our request id' : 'under another id')
      return sandbox.startVerification(ask, signal)
    },
  })
  app = await createTestApp(t, { network: watched })
  const merchant = app.merchant()
  const { bucket, merchantId } = merchant
  const token = await merchant.createToken(sentByService)
  const cardId = token.slice(0, 24)
  await merchant.call('cards.get_verify_code', { token })
  assert.deepEqual(seen, ['asked', 'under our request id'])
  assert.equal((await app.store.read(findVerification({ bucket, merchantId, cardId })))?.outcome, 'sent')
  const dek = await app.keyring.active('limits')
  for (const pan of pans) assert.throws(() => hashLimitSubject(dek, 'pan', pan), /wiped/)
  await app.close()
})

test('a message that the gateway rejects is not sent; after a failure or 3 seconds without a response it may be, and is not sent again', async () => {
  const outcomes: [gateway: Sms['send'], stored: string, reason: string | null][] = [
    [async () => ({ outcome: 'rejected' }), 'rejected', 'sms_not_sent'],
    [async () => ({ outcome: 'unknown' }), 'unknown', null],
    [() => Promise.reject(new Error('reset by peer')), 'unknown', null],
    [() => new Promise(() => undefined), 'unknown', null],
  ]
  for (const [index, [send, stored, reason]] of outcomes.entries()) {
    let sends = 0
    const counted: Sms['send'] = (message, signal) => {
      sends += 1
      return send(message, signal)
    }
    await within({ sms: () => ({ send: counted }) }, async (app) => {
      const merchant = app.merchant()
      const { bucket, merchantId } = merchant
      const token = await merchant.createToken(sentByService)
      const asking = merchant.callRaw('cards.get_verify_code', { token })
      if (index === outcomes.length - 1) {
        for (const ms of [3000 - callGraceMs, callGraceMs]) {
          await app.clock.untilSleeping(ms)
          app.clock.advance(ms)
        }
      }
      const reply = await asking
      assert.equal('error' in reply ? reply.error.reason : null, reason)
      if ('error' in reply) assert.deepEqual([reply.error.code, reply.error.retry_after], [-31110, 60_000])
      assert.equal((await app.store.read(findVerification({ bucket, merchantId, cardId: token.slice(0, 24) })))?.outcome, stored)
      assert.equal(sends, 1)
      // The code may have arrived, so it is accepted.
      await merchant.call('cards.verify', { token, code: '666666' })
    })
  }
})

test('with the caps on, one PAN gets one code a minute, three in ten minutes and five a day, over all its tokens', () =>
  within({ verification: { limits: true } }, async (app) => {
    const [one, other] = [app.merchant(), app.merchant()]
    const askNew = async (merchant = one) => merchant.callRaw('cards.get_verify_code', { token: await merchant.createToken(sentByNetwork) })
    assert.ok('sent' in (await askNew()))
    const soon = await askNew(other)
    assert.ok('error' in soon)
    assert.deepEqual([soon.error.code, soon.error.reason, soon.error.retry_after], [-31110, 'send_limit_card', 60_000])
    const passed = [60, 60, 60, 480, 600, 600, 600, 86_400 - 2460].map((seconds) => seconds * 1000)
    const outcomes: string[] = []
    for (const ms of passed) {
      app.clock.advance(ms)
      const reply = await askNew(other)
      outcomes.push('sent' in reply ? 'sent' : 'error' in reply ? reply.error.reason : '')
    }
    const limit = 'send_limit_card'
    assert.deepEqual(outcomes, ['sent', 'sent', limit, 'sent', 'sent', limit, limit, 'sent'])
    assert.ok(
      'sent' in (await one.callRaw('cards.get_verify_code', { token: await one.createToken(sentByService) })),
      'another card is not touched',
    )
  }))

test('with the caps on, one phone gets one message a minute over all its cards', async () => {
  const onePhone = (sandbox: Network): Network => ({
    ...sandbox,
    startVerification: async () => ({ kind: 'sentByService', phone: '998901234567' }),
  })
  await within({ verification: { limits: true }, network: onePhone }, async (app) => {
    const merchant = app.merchant()
    const [first, second] = [await merchant.createToken(drawPan('8600')), await merchant.createToken(drawPan('9860'))]
    await merchant.call('cards.get_verify_code', { token: first })
    const reply = await merchant.callRaw('cards.get_verify_code', { token: second })
    assert.ok('error' in reply)
    assert.deepEqual([reply.error.code, reply.error.reason, reply.error.retry_after], [-31110, 'send_limit_phone', 60_000])
    assert.equal((await app.store.read(listInbox(10))).length, 1)
  })
})

test('a card removed during the network call gets the error "deleted", and no code of it is accepted', async () => {
  let remove = async () => {}
  const slow = (sandbox: Network): Network => ({
    ...sandbox,
    startVerification: async (ask, signal) => {
      await remove()
      return sandbox.startVerification(ask, signal)
    },
  })
  await within({ network: slow }, async (app) => {
    const merchant = app.merchant()
    const token = await merchant.createToken(sentByNetwork)
    remove = async () => {
      await merchant.call('cards.remove', { token })
    }
    assert.equal(await merchant.expectError('cards.get_verify_code', { token }), 'card_deleted')
    assert.equal(await merchant.expectError('cards.verify', { token, code: '666666' }), 'card_deleted')
  })
})

test('a code that the form asks for in a page of a shop is bound to the shop and the form, and to the form alone otherwise', async (t) => {
  const texts: string[] = []
  const formOrigin = 'https://form.example.uz'
  const app = await createTestApp(t, {
    config: { formOrigin },
    verification: { formHost: 'form.example.uz' },
    sms: () => ({ send: async ({ text }) => (texts.push(text), { outcome: 'accepted' }) }),
  })
  const merchant = app.merchant()
  const form = await app.formDocuments.issue(merchant.merchantId, 'https://shop.example')
  const ofAnother = await app.formDocuments.issue(app.merchant().merchantId, 'https://evil.example')
  const lineOf = async (of: { readonly form?: string; readonly origin: string | null }): Promise<string | undefined> => {
    const token = await merchant.createToken('8600495473316478')
    const params = { token, ...(of.form === undefined ? {} : { form: of.form }) }
    const reply = await merchant.asPage('cards.get_verify_code', params, null, of.origin)
    assert.ok('sent' in reply, JSON.stringify(reply))
    return texts
      .at(-1)
      ?.split('\n\n')[1]
      ?.replace(/#[0-9]+/, '#')
  }
  assert.equal(await lineOf({ form, origin: formOrigin }), '@shop.example # @form.example.uz')
  const own = await app.formDocuments.issue(merchant.merchantId, formOrigin)
  for (const of of [
    { form: own, origin: formOrigin },
    { origin: formOrigin },
    { form: ofAnother, origin: formOrigin },
    { form: 'x', origin: formOrigin },
  ])
    assert.equal(await lineOf(of), '@form.example.uz #')
  // A page that calls by itself cannot name another.
  assert.equal(await lineOf({ form, origin: 'https://shop.example' }), '@form.example.uz #')
})
