import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'
import type { Pan } from '@tessera/contract/card'

import { createCard } from '../domain/cards/create.ts'
import { makeFailureBreaker } from '../domain/limits/failure-breaker.ts'
import { makeFineLimits, type CardSource } from '../domain/limits/fine-limits.ts'
import { fineLimitSettings } from '../domain/limits/settings.ts'
import { makeSmsGuard } from '../domain/limits/sms-guard.ts'

import { defaultConfig } from '../testing/default-config.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'
import { drawPan, randomHex } from '../testing/random.fixture.ts'
import { makeTestContext } from '../testing/request-context.fixture.ts'
import { cardsVerify } from './cards.verify.ts'
import { renderingHandle, runOperation } from './operation.ts'

let now = 0
const fineLimitDefaults = fineLimitSettings(defaultConfig)
const app = await createTestApp(
  { after },
  {
    limits: ({ keyring }) => ({ fine: makeFineLimits({ keyring, now: () => now, settings: fineLimitDefaults }) }),
  },
)
const hourMs = 3_600_000

test('the sixth distinct card number in an hour from one address to one merchant is refused, and the five before it are still accepted', async () => {
  const shop = app.merchant()
  const pans = Array.from({ length: 6 }, () => drawPan('860006'))
  for (const pan of pans.slice(0, 5)) await shop.createToken(pan)
  const sixth = await create(shop, pans[5] ?? '')
  assert.deepEqual(sixth, { code: -31700, reason: 'distinct_pan_limit', retryAfter: hourMs })
  assert.equal(await create(shop, pans[0] ?? ''), null)
  assert.equal(await create(app.merchant(), pans[5] ?? ''), null, 'another merchant has its own counter')
  now += hourMs
  assert.equal(await create(shop, pans[5] ?? ''), null, 'retry_after is long enough')
})

test('one card number may create twenty tokens an hour, over all merchants', async () => {
  const pan = drawPan('860006')
  for (let i = 0; i < 20; i++) assert.equal(await create(app.merchant(), pan), null)
  assert.equal((await create(app.merchant(), pan))?.reason, 'pan_limit')
})

test('a token may be used for thirty codes, attempts and payments a minute, and malformed tokens count nowhere', async () => {
  const shop = app.merchant()
  const [token, other] = [await shop.createToken(drawPan('860006')), await shop.createToken(drawPan('860006'))]
  const ask = (params: { token: string }) => shop.expectError('cards.verify', { ...params, code: '000000' })
  for (let i = 0; i < 30; i++) assert.equal(await ask({ token }), 'code_not_requested')
  assert.equal(await ask({ token }), 'token_limit')
  assert.equal(await shop.expectError('cards.get_verify_code', { token }), 'token_limit')
  assert.equal(await shop.expectError('receipts.pay', { id: randomHex(24), token }), 'token_limit')
  assert.equal(await ask({ token: other }), 'code_not_requested')
  for (let i = 0; i < 40; i++) assert.equal(await ask({ token: 'no token' }), 'token_shape')
})

test('a refused card is not stored, and a refused request counts in no limit', async () => {
  const shop = app.merchant()
  for (let i = 0; i < 5; i++) await shop.createToken(drawPan('860006'))
  const pan = drawPan('860006')
  for (let i = 0; i < 30; i++) assert.equal((await create(shop, pan))?.reason, 'distinct_pan_limit')
  assert.equal(await create(app.merchant(), pan), null)
})

test('agreed limits apply to the merchant’s server and its pages', async () => {
  const limits = makeFineLimits({ keyring: app.keyring, now: () => now, settings: { ...fineLimitDefaults, distinctPansHourMax: 1 } })
  const place: CardSource = { merchantId: 'm', address: '192.0.2.7', isServer: true, limits: { serverAddressMinuteMax: 100 } }
  const take = async (overrides: Partial<CardSource>) => {
    await createCard(
      app.cards,
      cardInput((pan) => limits.countPan(pan, { ...place, ...overrides })),
      makeTestContext(app.merchant().merchantId),
    )
  }
  for (let i = 0; i < 9; i++) await take({})
  await take({ isServer: false })
  await assert.rejects(take({ isServer: false }), (err) => err instanceof RpcError && err.entry === 'distinctPanLimit')
  await take({ isServer: false, limits: { distinctPansHourMax: 2 } })
  await assert.rejects(take({ isServer: true, limits: null }), RpcError, 'without an agreement a server is an address like any')
})

test('a retry with the same Idempotency-Key gets the stored outcome, and is counted once', async () => {
  const { idempotency } = app
  const shop = app.merchant()
  const token = await shop.createToken(drawPan('860006'))
  const caller = { merchantId: shop.merchantId, bucket: shop.bucket, kind: 'server' } as const
  const signal = new AbortController().signal
  const params = { token, code: '000000' }
  const request = { caller, signal, profile: 'spec', cardNumber: null, requestId: randomHex(24) } as const
  const key = { ...request, key: 'k', method: 'cards.verify', params } as const
  const bound = { operation: cardsVerify, params, app: app.app.services }
  const ctx = makeTestContext(shop.merchantId)
  for (let i = 0; i < 40; i++) {
    const again = idempotency.once<object>(key, {
      run: async (handle) => {
        const idempotency = renderingHandle(handle, bound, ctx)
        return runOperation(bound, { ...ctx, idempotency })
      },
      reconcile: null,
    })
    await assert.rejects(again, (err) => err instanceof RpcError && err.entry === 'codeNotRequested')
  }
})

function cardInput(checkLimits: (pan: Pan) => Promise<void>) {
  const rest = { expire: '0399', save: false, customer: null, account: null, consent: null, useFormSession: async () => null }
  return { number: Buffer.from(drawPan('860006')), ...rest, checkLimits }
}

async function create(shop: ReturnType<typeof app.merchant>, pan: string) {
  const reply = await shop.callRaw('cards.create', { card: { number: '', expire: '0399' } }, pan)
  if (!('error' in reply)) return null
  return { code: reply.error.code, reason: reply.error.reason, retryAfter: reply.error.retry_after }
}

test('cards of one prefix are limited over all merchants and numbers, others are not, and in shadow mode none', async () => {
  const settings = { ...fineLimitDefaults, distinctPansHourMax: 99, shortIinHourMax: 9, longIinHourMax: 3 }
  const reported: string[] = []
  const onLimitReached = ({ reason, mode }: { reason: string; mode: string }) => void reported.push(`${reason} ${mode}`)
  const [on, shadow] = (['on', 'shadow'] as const).map((iinMode) =>
    makeFineLimits({ keyring: app.keyring, now: () => now, settings: { ...settings, iinMode }, onLimitReached }),
  )
  const take = async (limits: typeof on, prefix: string): Promise<string | null> => {
    const place: CardSource = { merchantId: randomHex(24), address: '192.0.2.7', isServer: false, limits: null }
    const number = Buffer.from(drawPan(prefix))
    try {
      await createCard(
        app.cards,
        { ...cardInput(async (pan) => limits?.countPan(pan, place)), number },
        makeTestContext(app.merchant().merchantId),
      )
      return null
    } catch (err) {
      return err instanceof RpcError ? err.entry : 'unforeseen'
    }
  }
  for (let n = 0; n < 3; n++) assert.equal(await take(on, '86000611'), null)
  assert.equal(await take(on, '86000611'), 'iinLimit', 'the fourth of eight digits')
  for (const prefix of ['86000612', '86000613']) for (let n = 0; n < 3; n++) assert.equal(await take(on, prefix), null)
  assert.equal(await take(on, '86000614'), 'iinLimit', 'the tenth of six digits')
  assert.equal(await take(on, '86003314'), null)
  assert.deepEqual(reported.splice(0), ['iin_limit on', 'iin_limit on'])
  for (let n = 0; n < 5; n++) assert.equal(await take(shadow, '86000611'), null)
  assert.deepEqual(reported, ['iin_limit shadow', 'iin_limit shadow'])
})

test('a message that the SMS guard refuses is not sent, and the error says why', async (t) => {
  const sent: string[] = []
  const conversion = { windowMs: hourMs, minAgeMs: 0, minCount: 3, maxFailurePercent: 50, openForMs: hourMs }
  const guarded = await createTestApp(t, {
    limits: ({ clock }) => ({
      sms: makeSmsGuard({
        now: () => clock.now(),
        settings: { countries: ['998'], prefixMode: 'on', conversion, costMode: 'on', segmentTiyin: 1, maxDailyTiyin: 6 },
        onLimitReached: () => undefined,
      }),
    }),
    network: (sandbox) => ({
      ...sandbox,
      startVerification: async ({ pan }) => ({
        kind: 'sentByService',
        phone: pan.masked.startsWith('860033') ? '79261234567' : '998901234567',
      }),
    }),
    sms: () => ({ send: async ({ phone }) => (sent.push(phone), { outcome: 'accepted' }) }),
  })
  const shop = guarded.merchant()
  const ask = async (prefix: string) => shop.callRaw('cards.get_verify_code', { token: await shop.createToken(drawPan(prefix)) })
  const reasonOf = (reply: object) => ('error' in reply ? (reply.error as { reason: string }).reason : null)
  assert.equal(reasonOf(await ask('860033')), 'sms_country_not_served')
  assert.deepEqual(sent, [])
  // Two that are typed, and three that are not: three of five.
  for (let n = 0; n < 2; n++) await shop.createVerifiedToken(drawPan('860006'))
  for (let n = 0; n < 3; n++) assert.equal(reasonOf(await ask('860006')), null)
  assert.equal(reasonOf(await ask('860006')), 'sms_prefix_limit')
  const { receipt } = await shop.call('receipts.create', { amount: 100_000, account: { order: 'a' } })
  await shop.call('receipts.send', { id: receipt._id, phone: '998901234567' })
  assert.equal(await shop.expectError('receipts.send', { id: receipt._id, phone: '998901234567' }), 'sms_cost_limit')
  assert.equal(await shop.expectError('receipts.send', { id: receipt._id, phone: '79261234567' }), 'sms_country_not_served')
  assert.equal(sent.length, 6)
})

test('the failure breaker watches cards.create, cards.get_verify_code and cards.verify, and no payment', async (t) => {
  const ratio = { windowMs: hourMs, minAgeMs: 0, minCount: 5, maxFailurePercent: 30, openForMs: hourMs }
  const watched = await createTestApp(t, {
    network: (sandbox) => ({
      ...sandbox,
      precheckCard: async () => null,
      startVerification: async () => ({ kind: 'sentByService', phone: '998901234567' }),
    }),
    limits: ({ clock }) => ({
      failures: makeFailureBreaker({
        now: () => clock.now(),
        settings: { mode: 'on', merchant: ratio, global: { ...ratio, minCount: 999 } },
        onLimitReached: () => undefined,
      }),
    }),
  })
  const shop = watched.merchant()
  const token = await shop.createVerifiedToken(drawPan('860006'))
  const other = await shop.createToken(drawPan('860006'))
  await shop.callRaw('cards.get_verify_code', { token: other })
  for (let n = 0; n < 3; n++) assert.equal(await shop.expectError('cards.verify', { token: other, code: '000000' }), 'wrong_code')
  assert.equal(await shop.expectError('cards.verify', { token: other, code: '666666' }), 'failure_limit')
  assert.equal(await shop.expectError('cards.get_verify_code', { token: other }), 'failure_limit')
  assert.deepEqual(await create(shop, drawPan('860006')), { code: -31700, reason: 'failure_limit', retryAfter: hourMs })
  assert.equal(await create(watched.merchant(), drawPan('860006')), null, 'another merchant is not affected')
  const { receipt } = await shop.call('receipts.create', { amount: 100_000, account: { order: 'a' } })
  assert.equal(await shop.expectError('receipts.pay', { id: receipt._id, token }), 'sms_not_connected', 'what the network says')
})
