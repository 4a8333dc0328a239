import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'
import type { Pan } from '@tessera/contract/card'

import { makeFailureBreaker } from '../limits/failures.ts'
import { fineFigures, makeFineLimits, type CardPlace } from '../limits/fine.ts'
import { makeSmsGuard } from '../limits/sms-guard.ts'
import { makeIdempotency } from '../idempotency/idempotency.ts'
import { idempotencyFigures } from '../idempotency/figures.ts'

import { compose } from './compose.fixture.ts'
import { drawPan, randomHex } from './drawn.fixture.ts'

let now = 0
const house = await compose({ limits: ({ keyring }) => makeFineLimits({ keyring, now: () => now, figures: fineFigures }) })
after(() => house.close())
const hourMs = 3_600_000

test('the sixth different card number of an hour from one address to one merchant is refused, and those before it are still taken', async () => {
  const shop = house.caller()
  const pans = Array.from({ length: 6 }, () => drawPan('860006'))
  for (const pan of pans.slice(0, 5)) await shop.token(pan)
  const sixth = await create(shop, pans[5] ?? '')
  assert.deepEqual(sixth, { code: -31700, reason: 'distinct_pan_limit', retryAfter: hourMs })
  assert.equal(await create(shop, pans[0] ?? ''), null)
  assert.equal(await create(house.caller(), pans[5] ?? ''), null, 'another merchant counts for itself')
  now += hourMs
  assert.equal(await create(shop, pans[5] ?? ''), null, 'the wait that was told is enough')
})

test('one card number makes twenty tokens an hour, over all merchants', async () => {
  const pan = drawPan('860006')
  for (let i = 0; i < 20; i++) assert.equal(await create(house.caller(), pan), null)
  assert.equal((await create(house.caller(), pan))?.reason, 'pan_limit')
})

test('a token takes thirty codes, tries and payments a minute, and what is no token counts nowhere', async () => {
  const shop = house.caller()
  const [token, other] = [await shop.token(drawPan('860006')), await shop.token(drawPan('860006'))]
  const ask = (params: { token: string }) => shop.refused('cards.verify', { ...params, code: '000000' })
  for (let i = 0; i < 30; i++) assert.equal(await ask({ token }), 'code_not_requested')
  assert.equal(await ask({ token }), 'token_limit')
  assert.equal(await shop.refused('cards.get_verify_code', { token }), 'token_limit')
  assert.equal(await shop.refused('receipts.pay', { id: randomHex(24), token }), 'token_limit')
  assert.equal(await ask({ token: other }), 'code_not_requested')
  for (let i = 0; i < 40; i++) assert.equal(await ask({ token: 'no token' }), 'token_shape')
})

test('a refused card is not in the store, and what is refused counts in no limit', async () => {
  const shop = house.caller()
  for (let i = 0; i < 5; i++) await shop.token(drawPan('860006'))
  const pan = drawPan('860006')
  for (let i = 0; i < 30; i++) assert.equal((await create(shop, pan))?.reason, 'distinct_pan_limit')
  assert.equal(await create(house.caller(), pan), null)
})

test('what was agreed with a merchant counts for its server and its pages', async () => {
  const limits = makeFineLimits({ keyring: house.keyring, now: () => now, figures: { ...fineFigures, distinctPansHourMax: 1 } })
  const place: CardPlace = { merchantId: 'm', address: '192.0.2.7', isServer: true, limits: { serverAddressMinuteMax: 100 } }
  const take = async (parts: Partial<CardPlace>) => {
    await house.cards.create(
      asked((pan) => limits.takePan(pan, { ...place, ...parts })),
      asker(),
    )
  }
  for (let i = 0; i < 9; i++) await take({})
  await take({ isServer: false })
  await assert.rejects(take({ isServer: false }), (err) => err instanceof RpcError && err.entry === 'distinctPanLimit')
  await take({ isServer: false, limits: { distinctPansHourMax: 2 } })
  await assert.rejects(take({ isServer: true, limits: null }), RpcError, 'without an agreement a server is an address like any')
})

test('a call that is asked again under its key is answered from what is kept, and counted once', async () => {
  const { store, keyring, clock, environment, grid } = house
  const idempotency = makeIdempotency({ store, keyring, clock, environment, figures: idempotencyFigures })
  const shop = house.caller()
  const token = await shop.token(drawPan('860006'))
  const caller = { merchantId: shop.merchantId, bucket: shop.bucket, as: 'server' } as const
  const signal = new AbortController().signal
  const params = { token, code: '000000' }
  const asked = { caller, signal, profile: 'spec', cardNumber: null, requestId: randomHex(24) } as const
  const key = { ...asked, key: 'k', method: 'cards.verify', params } as const
  const call = { ...asked, language: 'en', address: '192.0.2.7', origin: null } as const
  for (let i = 0; i < 40; i++) {
    const again = idempotency.once<object>(key, {
      run: (kept) => grid['cards.verify'].run(params, { ...call, idempotency: kept }),
      settle: null,
    })
    await assert.rejects(again, (err) => err instanceof RpcError && err.entry === 'codeNotRequested')
  }
})

function asked(count: (pan: Pan) => Promise<void>) {
  const rest = { expire: '0399', save: false, customer: null, account: null, consent: null, admit: async () => null }
  return { number: Buffer.from(drawPan('860006')), ...rest, count }
}

function asker() {
  const { merchantId, bucket } = house.caller()
  return { merchantId, bucket, requestId: randomHex(24), signal: new AbortController().signal, rider: null }
}

async function create(shop: ReturnType<typeof house.caller>, pan: string) {
  const reply = await shop.call('cards.create', { card: { number: '', expire: '0399' } }, pan)
  if (!('error' in reply)) return null
  return { code: reply.error.code, reason: reply.error.reason, retryAfter: reply.error.retry_after }
}

test('cards of one prefix are limited over all merchants and numbers, others are not, and in the shadow none', async () => {
  const figures = { ...fineFigures, distinctPansHourMax: 99, shortIinHourMax: 9, longIinHourMax: 3 }
  const told: string[] = []
  const tell = ({ reason, mode }: { reason: string; mode: string }) => void told.push(`${reason} ${mode}`)
  const [on, shadow] = (['on', 'shadow'] as const).map((iinMode) =>
    makeFineLimits({ keyring: house.keyring, now: () => now, figures: { ...figures, iinMode }, tell }),
  )
  const take = async (limits: typeof on, prefix: string): Promise<string | null> => {
    const place: CardPlace = { merchantId: randomHex(24), address: '192.0.2.7', isServer: false, limits: null }
    const number = Buffer.from(drawPan(prefix))
    try {
      await house.cards.create({ ...asked(async (pan) => limits?.takePan(pan, place)), number }, asker())
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
  assert.deepEqual(told.splice(0), ['iin_limit on', 'iin_limit on'])
  for (let n = 0; n < 5; n++) assert.equal(await take(shadow, '86000611'), null)
  assert.deepEqual(told, ['iin_limit shadow', 'iin_limit shadow'])
})

test('a message that the guard refuses is not sent, and says why', async () => {
  const sent: string[] = []
  const conversion = { spanMs: hourMs, youngMs: 0, leastCount: 3, badPercentMax: 50, pauseMs: hourMs }
  const guarded = await compose({
    smsGuard: ({ clock }) =>
      makeSmsGuard({
        now: () => clock.now(),
        figures: { countries: ['998'], prefixMode: 'on', conversion, costMode: 'on', partTiyin: 1, dayTiyinMax: 6 },
        tell: () => undefined,
      }),
    network: (sandbox) => ({
      ...sandbox,
      startVerification: async ({ pan }) => ({ kind: 'weSend', phone: pan.masked.startsWith('860033') ? '79261234567' : '998901234567' }),
    }),
    sms: () => ({ send: async ({ phone }) => (sent.push(phone), 'accepted') }),
  })
  const shop = guarded.caller()
  const ask = async (prefix: string) => shop.call('cards.get_verify_code', { token: await shop.token(drawPan(prefix)) })
  const reasonOf = (reply: object) => ('error' in reply ? (reply.error as { reason: string }).reason : null)
  assert.equal(reasonOf(await ask('860033')), 'sms_country_not_served')
  assert.deepEqual(sent, [])
  // Two that are typed, and three that are not: three of five.
  for (let n = 0; n < 2; n++) await shop.verified(drawPan('860006'))
  for (let n = 0; n < 3; n++) assert.equal(reasonOf(await ask('860006')), null)
  assert.equal(reasonOf(await ask('860006')), 'sms_prefix_limit')
  const { receipt } = await shop.expect('receipts.create', { amount: 100_000, account: { order: 'a' } })
  await shop.expect('receipts.send', { id: receipt._id, phone: '998901234567' })
  assert.equal(await shop.refused('receipts.send', { id: receipt._id, phone: '998901234567' }), 'sms_cost_limit')
  assert.equal(await shop.refused('receipts.send', { id: receipt._id, phone: '79261234567' }), 'sms_country_not_served')
  assert.equal(sent.length, 6)
  await guarded.close()
})

test('the breaker of failures watches making, asking and typing, and no payment', async () => {
  const ratio = { spanMs: hourMs, youngMs: 0, leastCount: 5, badPercentMax: 30, pauseMs: hourMs }
  const watched = await compose({
    network: (sandbox) => ({
      ...sandbox,
      admitVerification: async () => null,
      startVerification: async () => ({ kind: 'weSend', phone: '998901234567' }),
    }),
    failures: ({ clock }) =>
      makeFailureBreaker({
        now: () => clock.now(),
        figures: { mode: 'on', merchant: ratio, global: { ...ratio, leastCount: 999 } },
        tell: () => undefined,
      }),
  })
  const shop = watched.caller()
  const token = await shop.verified(drawPan('860006'))
  const other = await shop.token(drawPan('860006'))
  await shop.call('cards.get_verify_code', { token: other })
  for (let n = 0; n < 3; n++) assert.equal(await shop.refused('cards.verify', { token: other, code: '000000' }), 'wrong_code')
  assert.equal(await shop.refused('cards.verify', { token: other, code: '666666' }), 'failure_limit')
  assert.equal(await shop.refused('cards.get_verify_code', { token: other }), 'failure_limit')
  assert.deepEqual(await create(shop, drawPan('860006')), { code: -31700, reason: 'failure_limit', retryAfter: hourMs })
  assert.equal(await create(watched.caller(), drawPan('860006')), null, 'its neighbour goes on')
  const { receipt } = await shop.expect('receipts.create', { amount: 100_000, account: { order: 'a' } })
  assert.equal(await shop.refused('receipts.pay', { id: receipt._id, token }), 'sms_not_connected', 'what the network says')
  await watched.close()
})
