import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

import { expiryEndsAt, type Expiry } from '@tessera/contract/card'

import type { Caller } from '../methods/caller.fixture.ts'
import { compose, type House, type HouseOptions } from '../methods/compose.fixture.ts'
import { drawPan } from '../methods/drawn.fixture.ts'
import { newReceipt, successPan } from '../methods/receipts.fixture.ts'
import { testExpiry } from '../sandbox/cards.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'
import type { CardRow } from '../store/store.ts'

import { makeSweep } from './sweep.ts'

const pan = '8600495473316478'

async function within(use: (house: House) => Promise<void>, options: HouseOptions = {}): Promise<void> {
  const house = await compose(options)
  try {
    await use(house)
  } finally {
    await house.close()
  }
}

function sweepOf({ store, keyring, clock, environment, alarms }: House) {
  const alarm = (event: string, { cardId }: { cardId: string }) => void alarms.push(`${event} ${cardId}`)
  return makeSweep({ store, keyring, clock, environment, alarm })
}

test('a card whose life is over is shredded with its code, and others are left alone', () =>
  within(async (house) => {
    const merchant = house.caller()
    const { bucket, merchantId } = merchant
    const unverified = await merchant.token(pan)
    await merchant.expect('cards.get_verify_code', { token: unverified })
    house.clock.advance(60_000)
    const [once, kept, removed] = [await verified(false), await verified(true), await merchant.token(pan)]
    await merchant.expect('cards.remove', { token: removed })

    const sweep = sweepOf(house)
    assert.equal(await sweep.runOnce(), 0)
    house.clock.advance(30 * 60_000 + 1)
    assert.equal(await sweep.runOnce(), 1)
    assert.deepEqual(await stateOf(unverified), ['ended', '', 0])
    assert.equal(await house.store.findVerification({ bucket, merchantId, cardId: unverified.slice(0, 24) }), null)
    assert.equal(await merchant.refused('cards.check', { token: unverified }), 'card_ended')
    house.clock.advance(24 * 3_600_000)
    assert.equal(await sweep.runOnce(), 1)
    assert.deepEqual(await stateOf(once), ['ended', '', 0])
    assert.deepEqual((await stateOf(kept))[0], 'live')
    assert.deepEqual(await stateOf(removed), ['removed', '', 0])
    assert.equal(await merchant.refused('cards.check', { token: removed }), 'card_deleted')
    assert.deepEqual(house.alarms, [])

    async function verified(save: boolean) {
      const token = await merchant.token(pan, { save })
      await merchant.expect('cards.get_verify_code', { token })
      await merchant.expect('cards.verify', { token, code: '666666' })
      return token
    }
    async function stateOf(token: string) {
      const row = await house.store.findCard({ bucket, merchantId, cardId: token.slice(0, 24) })
      return [row?.state, row?.keyId === '' ? '' : 'a key', row?.blob.length]
    }
  }))

test('more cards than one page are shredded in one run', () =>
  within(async (house) => {
    const merchant = house.caller()
    await Promise.all(Array.from({ length: 250 }, () => merchant.token(drawPan('8600'))))
    house.clock.advance(30 * 60_000 + 1)
    assert.equal(await sweepOf(house).runOnce(), 250)
  }))

test('a tampered row is shredded when its end has come, with an alarm, and never looks right again', () =>
  within(async (house) => {
    const merchant = house.caller()
    const { bucket, merchantId } = merchant
    const tokens = [await merchant.token(pan), await merchant.token(pan)]
    const keys = tokens.map((token) => ({ bucket, merchantId, cardId: token.slice(0, 24) }))
    const row = await house.store.findCard(keys[0]!)
    assert.ok(row !== null)
    await house.store.changeCard({ ...row, customer: 'somebody else', version: 2 }, noteOf(row))
    house.clock.advance(30 * 60_000 + 1)
    assert.equal(await sweepOf(house).runOnce(), 2)
    assert.deepEqual(house.alarms, [`row_tampered ${row.cardId}`])
    assert.equal((await house.store.findCard(keys[0]!))?.blob.length, 0)
    assert.equal(await merchant.refused('cards.check', { token: tokens[0]! }), 'internal_error')
    assert.equal(await merchant.refused('cards.check', { token: tokens[1]! }), 'card_ended')
  }))

test('the keys of the day go with what they counted', () =>
  within(async (house) => {
    const merchant = house.caller()
    await merchant.expect('cards.get_verify_code', { token: await merchant.token(pan) })
    house.clock.advance(3 * 86_400_000)
    await house.keyring.active('otp')
    await sweepOf(house).runOnce()
    const otp = house.keyring.list().filter(({ purpose }) => purpose === 'otp')
    assert.deepEqual(otp.map(({ state }) => state).sort(), ['active', 'destroyed'])
  }))

test('a kept card that is past its expiry is told of at once, once, and shredded 30 days later', () =>
  within(async (house) => {
    const merchant = house.caller()
    const kept = await merchant.verified(pan, { expire: '1126' })
    await merchant.token(pan, { expire: '1126' })
    const sweep = sweepOf(house)
    house.clock.advance(expiryEndsAt('1126' as Expiry) - house.clock.now())
    await sweep.runOnce()
    assert.deepEqual(await toldOf(house, merchant), ['card.verified'])
    house.clock.advance(1)
    await sweep.runOnce()
    assert.deepEqual(await toldOf(house, merchant), ['card.verified', `card.expired ${kept.slice(0, 24)} 2026-11-30T19:00:00.001Z`])
    assert.ok('card' in (await merchant.expect('cards.check', { token: kept })), 'it can be looked at until it is shredded')

    house.clock.advance(30 * dayMs - 1)
    await sweep.runOnce()
    assert.notEqual((await rowOf(house, merchant, kept))?.blob.length, 0)
    house.clock.advance(1)
    assert.equal(await sweep.runOnce(), 1)
    assert.deepEqual([(await rowOf(house, merchant, kept))?.state, (await rowOf(house, merchant, kept))?.blob.length], ['ended', 0])
    assert.equal((await toldOf(house, merchant)).length, 2)
    assert.deepEqual(house.alarms, [])
  }, anyExpiry))

test('a service that slept through expiry and shredding tells of the card once', () =>
  within(async (house) => {
    const merchant = house.caller()
    await merchant.verified(pan, { expire: '1126' })
    house.clock.advance(365 * dayMs)
    await sweepOf(house).runOnce()
    await sweepOf(house).runOnce()
    assert.deepEqual(
      (await toldOf(house, merchant)).map((told) => told.slice(0, 12)),
      ['card.verifie', 'card.expired'],
    )
  }, anyExpiry))

test('two services that sweep at once tell of an expired card once', () =>
  within(async (house) => {
    const merchant = house.caller()
    await merchant.verified(pan, { expire: '1126' })
    house.clock.advance(20 * dayMs)
    await Promise.all([sweepOf(house).runOnce(), sweepOf(house).runOnce(), sweepOf(house).runOnce()])
    assert.equal((await toldOf(house, merchant)).length, 2)
  }, anyExpiry))

test('a one-time card ends without a word, whether its day or its expiry is over', () =>
  within(async (house) => {
    const merchant = house.caller()
    const [day, month] = [await merchant.verified(pan, { save: false }), await merchant.verified(pan, { save: false, expire: '1126' })]
    house.clock.advance(10 * dayMs)
    assert.equal(await sweepOf(house).runOnce(), 2)
    for (const token of [day, month]) assert.equal((await rowOf(house, merchant, token))?.state, 'ended')
    assert.deepEqual(await toldOf(house, merchant), ['card.verified', 'card.verified'])
  }, anyExpiry))

test('a card is not shredded while money is held on it', () =>
  within(async (house) => {
    const merchant = house.caller()
    const [held, other] = [await merchant.verified(successPan, { expire: '1126' }), await merchant.verified(successPan, { expire: '1126' })]
    house.clock.advance(expiryEndsAt('1126' as Expiry) + 29 * dayMs - house.clock.now())
    await sweepOf(house).runOnce()
    const receiptId = await holdOn(merchant, held)
    house.clock.advance(dayMs + 1)
    assert.equal(await sweepOf(house).runOnce(), 1)
    assert.notEqual((await rowOf(house, merchant, held))?.blob.length, 0)
    assert.equal((await rowOf(house, merchant, other))?.blob.length, 0)
    assert.equal((await merchant.expect('receipts.confirm_hold', { id: receiptId })).receipt.state, 4)
    assert.equal(await sweepOf(house).runOnce(), 1)
    assert.equal((await rowOf(house, merchant, held))?.blob.length, 0)
  }, anyExpiry))

test('a tampered row that is past its expiry is told of to us, not to its merchant, and once', () =>
  within(async (house) => {
    const merchant = house.caller()
    const token = await merchant.verified(pan, { expire: '1126' })
    const row = await rowOf(house, merchant, token)
    assert.ok(row !== null)
    await house.store.changeCard({ ...row, customer: 'somebody else', version: row.version + 1 }, noteOf(row))
    house.clock.advance(15 * dayMs)
    await sweepOf(house).runOnce()
    await sweepOf(house).runOnce()
    assert.deepEqual(house.alarms, [`row_tampered ${row.cardId}`])
    assert.deepEqual(await toldOf(house, merchant), ['card.verified'])
    assert.equal(await merchant.refused('cards.check', { token }), 'internal_error')
  }, anyExpiry))

test(
  'a row that cannot be read is left aside with one alarm, and the cards behind it are shredded, page after page',
  withSqlite(async ({ store, raw }) => {
    const house = await compose({ store })
    const merchant = house.caller()
    const broken = (await merchant.token(pan)).slice(0, 24)
    await raw(`update cards set customer = '"' where card_id = '${broken}'`)
    house.clock.advance(1)
    const tokens = await Promise.all(Array.from({ length: 120 }, () => merchant.token(drawPan('8600'))))
    house.clock.advance(30 * 60_000 + 1)
    const sweep = sweepOf(house)
    assert.equal(await sweep.runOnce(), 120)
    for (const token of tokens) assert.equal((await rowOf(house, merchant, token))?.state, 'ended')
    assert.equal(await sweep.runOnce(), 0)
    assert.deepEqual(house.alarms, [`row_broken ${broken}`])
    await house.close()
  }),
)

test(
  'more broken rows than a page holds do not stand in the way of those behind',
  withSqlite(async ({ store, raw }) => {
    const house = await compose({ store })
    const merchant = house.caller()
    await Promise.all(Array.from({ length: 110 }, () => merchant.token(drawPan('8600'))))
    await raw(`update cards set verified = 2`)
    house.clock.advance(1)
    await merchant.token(pan)
    house.clock.advance(30 * 60_000 + 1)
    assert.equal(await sweepOf(house).runOnce(), 1)
    assert.equal(house.alarms.length, 110)
    await house.close()
  }),
)

test(
  'when its time is over the sealed number is in no file: one-time, unverified, removed; that of a kept card is',
  withSqlite(async ({ store, folder, reopen }) => {
    const house = await compose({ store })
    const merchant = house.caller()
    const gone = await Promise.all([merchant.verified(pan, { save: false }), merchant.token(pan), merchant.token(pan)])
    const kept = await merchant.verified(pan)
    const seals = await Promise.all([...gone, kept].map(async (token) => (await rowOf(house, merchant, token))?.blob ?? new Uint8Array(0)))
    const places = (): number[] => {
      const files = readdirSync(folder).map((file) => readFileSync(join(folder, file)))
      return seals.flatMap((seal, at) => (files.some((bytes) => bytes.includes(Buffer.from(seal.subarray(30)))) ? [at] : []))
    }
    assert.deepEqual(places(), [0, 1, 2, 3])
    await merchant.expect('cards.remove', { token: gone[2] })
    house.clock.advance(dayMs + 1)
    assert.equal(await sweepOf(house).runOnce(), 2)
    await house.close()
    await reopen().then((again) => again.close(1000))
    assert.deepEqual(places(), [3])
  }),
)

test('a stop ends the sweep with the page that it finds it at, and the next run goes on', () =>
  within(async (house) => {
    const merchant = house.caller()
    await Promise.all(Array.from({ length: 230 }, () => merchant.token(drawPan('8600'))))
    house.clock.advance(30 * 60_000 + 1)
    const stopping = new AbortController()
    const changeCard: House['store']['changeCard'] = (...asked) => {
      stopping.abort()
      return house.store.changeCard(...asked)
    }
    assert.equal(await sweepOf({ ...house, store: { ...house.store, changeCard } }).runOnce(stopping.signal), 100)
    assert.equal(await sweepOf(house).runOnce(), 130)
  }))

/** A hold that stands. */
async function holdOn(merchant: Caller, token: string): Promise<string> {
  const receiptId = await newReceipt(merchant)
  const { receipt } = await merchant.expect('receipts.pay', { id: receiptId, token, hold: true })
  assert.equal(receipt.state, 5)
  return receiptId
}

/** The events of the merchant's cards, oldest first; of those that are not `card.verified`, the card and the moment too. */
async function toldOf({ store }: House, { bucket, merchantId }: Caller): Promise<string[]> {
  const events = await store.listEvents({ bucket, merchantId, from: 0, count: 50 })
  const cards = events.filter(({ type }) => type.startsWith('card.')).reverse()
  return cards.map(({ type, objectId, at }) => (type === 'card.verified' ? type : `${type} ${objectId} ${new Date(at).toISOString()}`))
}

function rowOf({ store }: House, { bucket, merchantId }: Caller, token: string): Promise<CardRow | null> {
  return store.findCard({ bucket, merchantId, cardId: token.slice(0, 24) })
}

/** The test cards expire in 2099; this network knows them whatever their expiry. */
const anyExpiry: HouseOptions = {
  network: (sandbox) => ({
    ...sandbox,
    startVerification: (ask, signal) => sandbox.startVerification({ ...ask, expiry: testExpiry }, signal),
    finishVerification: (answer, signal) => sandbox.finishVerification({ ...answer, expiry: testExpiry }, signal),
    authorise: (ask, signal) => sandbox.authorise({ ...ask, expiry: testExpiry }, signal),
  }),
}

const dayMs = 86_400_000

function noteOf({ merchantId, cardId }: CardRow) {
  const who = { at: 0, actor: 'test', action: 'test', merchantId, subject: cardId, requestId: '', outcome: 'test' }
  return { ...who, version: 0, mac: new Uint8Array(0) }
}
