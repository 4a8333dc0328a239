import assert from 'node:assert/strict'
import { test } from 'node:test'

import { compose, type House } from '../methods/compose.fixture.ts'
import { drawPan } from '../methods/drawn.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'

import { makeCardMac } from './mac.ts'
import { KeyHoldsCards, makeReseal } from './reseal.ts'

const pan = '8600069195406311'

async function within(use: (house: House) => Promise<void>): Promise<void> {
  const house = await compose()
  try {
    await use(house)
  } finally {
    await house.close()
  }
}

function resealOf({ store, keyring, clock, environment, alarms }: House) {
  const alarm = (event: string, { cardId }: { cardId: string }) => void alarms.push(`${event} ${cardId}`)
  return makeReseal({ store, keyring, clock, environment, alarm })
}

test('old cards move under the new key without their tokens, open as before, and then the old key may go', () =>
  within(async (house) => {
    const merchant = house.caller()
    const tokens = await Promise.all(Array.from({ length: 230 }, () => merchant.token(pan)))
    const other = await house.caller().token(pan)
    const reseal = resealOf(house)
    assert.equal(await reseal.runOnce(), 0)

    const old = (await house.keyring.active('card', merchant.merchantId)).keyId
    const { keyId } = await house.keyring.rotate('card', merchant.merchantId)
    await assert.rejects(reseal.destroy(old), KeyHoldsCards)
    let resealed = 0
    for (let round = 0; round < 10; round++) resealed += await reseal.runOnce()
    assert.equal(resealed, 230)
    const counts = (await reseal.status()).filter(({ owner }) => owner === merchant.merchantId)
    assert.deepEqual(
      counts.map((key) => [key.keyId, key.cards]),
      [
        [old, 0],
        [keyId, 230],
      ],
    )
    house.clock.advance(130_000)
    await reseal.destroy(old)
    assert.ok(!(await reseal.status()).some((key) => key.keyId === old))
    const [token = ''] = tokens
    await merchant.expect('cards.get_verify_code', { token })
    await merchant.expect('cards.verify', { token, code: '666666' })
    assert.ok(other !== '')
  }))

test('a key whose 90 days are over is replaced and its cards move, though nobody makes a new card', () =>
  within(async (house) => {
    const merchant = house.caller()
    const token = await merchant.token(pan)
    await merchant.expect('cards.get_verify_code', { token })
    await merchant.expect('cards.verify', { token, code: '666666' })
    house.clock.advance(91 * 86_400_000)
    assert.equal(await resealOf(house).runOnce(), 1)
    await merchant.expect('cards.check', { token })
  }))

test('cards change while they are resealed: nothing is lost on either side', () =>
  within(async (house) => {
    const merchant = house.caller()
    const tokens = await Promise.all(Array.from({ length: 120 }, () => merchant.token(drawPan('8600'))))
    await house.keyring.rotate('card', merchant.merchantId)
    const reseal = resealOf(house)
    const [removed] = await Promise.all([
      Promise.all(tokens.filter((_token, at) => at % 3 === 0).map((token) => merchant.call('cards.remove', { token }))),
      reseal.runOnce(),
      reseal.runOnce(),
    ])
    assert.ok(removed.every((reply) => 'success' in reply))
    for (let round = 0; round < 5; round++) await reseal.runOnce()
    for (const [at, token] of tokens.entries()) {
      const reply = await merchant.call('cards.check', { token })
      assert.equal('card' in reply, at % 3 !== 0)
    }
    assert.deepEqual(
      (await reseal.status()).map(({ cards }) => cards),
      [0, 80],
    )
  }))

test('a tampered card is not resealed, and told', () =>
  within(async (house) => {
    const merchant = house.caller()
    const token = await merchant.token(pan)
    const { bucket, merchantId } = merchant
    const row = await house.store.findCard({ bucket, merchantId, cardId: token.slice(0, 24) })
    assert.ok(row !== null)
    const note = { at: 0, actor: 'test', action: 'test', merchantId, subject: row.cardId, requestId: '', outcome: 'test' }
    await house.store.changeCard({ ...row, verified: true, version: 2 }, { ...note, version: 0, mac: new Uint8Array(0) })
    await house.keyring.rotate('card', merchantId)
    assert.equal(await resealOf(house).runOnce(), 0)
    assert.deepEqual(house.alarms, [`row_tampered ${row.cardId}`])
  }))

test(
  'a row that cannot be read and a seal that does not open are left aside with one alarm each, and the rest is resealed, younger keys too',
  withSqlite(async ({ store, raw }) => {
    const house = await compose({ store })
    const [merchant, younger] = [house.caller(), house.caller()]
    const [broken, shut] = [await merchant.token(pan), await merchant.token(pan)].map((token) => token.slice(0, 24))
    const row = await store.findCard({ bucket: merchant.bucket, merchantId: merchant.merchantId, cardId: shut! })
    assert.ok(row !== null)
    const next = await makeCardMac(house.keyring, house.environment).seal({ ...row, blob: new Uint8Array(row.blob.length), version: 2 })
    const who = { at: 0, actor: 'test', action: 'test', merchantId: row.merchantId, subject: row.cardId, requestId: '', outcome: 'test' }
    assert.equal(await store.changeCard(next, { ...who, version: 2, mac: next.mac }), true)
    await merchant.token(pan)
    house.clock.advance(1)
    await younger.token(pan)
    await raw(`update cards set expiry = 'soon' where card_id = '${broken!}'`)
    for (const { merchantId } of [merchant, younger]) await house.keyring.rotate('card', merchantId)

    const reseal = resealOf(house)
    assert.equal(await reseal.runOnce(), 2)
    assert.equal(await reseal.runOnce(), 0)
    assert.deepEqual(house.alarms.sort(), [`reseal_failed ${shut!}`, `row_broken ${broken!}`])
    assert.deepEqual(
      (await reseal.status()).map(({ cards }) => cards),
      [2, 0, 1, 1],
    )
    await house.close()
  }),
)

test('a stop ends the resealing with the page that it finds it at', () =>
  within(async (house) => {
    const merchants = [house.caller(), house.caller()]
    for (const merchant of merchants) {
      await merchant.token(pan)
      await house.keyring.rotate('card', merchant.merchantId)
    }
    const stopping = new AbortController()
    const changeCard: House['store']['changeCard'] = (...asked) => {
      stopping.abort()
      return house.store.changeCard(...asked)
    }
    assert.equal(await resealOf({ ...house, store: { ...house.store, changeCard } }).runOnce(stopping.signal), 1)
    assert.equal(await resealOf(house).runOnce(), 1)
  }))
