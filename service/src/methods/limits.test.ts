import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { RpcError } from '@tessera/contract/errors'
import type { Pan } from '@tessera/contract/card'

import { fineFigures, makeFineLimits, type CardPlace } from '../limits/fine.ts'
import { makeIdempotency } from '../idempotency/idempotency.ts'
import { idempotencyFigures } from '../idempotency/figures.ts'

import { compose, drawPan, randomHex } from './compose.fixture.ts'

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
