import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'

import { expiryEndsAt, type Expiry } from '@tessera/contract/card'

import type { TestMerchant } from '../../testing/test-merchant.fixture.ts'
import { createTestApp, type TestApp, type TestAppOptions } from '../../testing/test-app.fixture.ts'
import { drawPan } from '../../testing/random.fixture.ts'
import { newReceipt, successPan } from '../../testing/receipts.fixture.ts'
import { testExpiry } from '../../adapters/sandbox/cards.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'
import { type CardRow, countEndedCards, findCard, sweepCards, updateCard } from '../../store/cards.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { listEvents } from '../../store/outbox.ts'
import { findVerification } from '../../store/verifications.ts'

import { makeCardSweeper } from './sweep.ts'
import { replaceInStore, replaceWrite } from '../../testing/store.fixture.ts'

const pan = '8600495473316478'

async function within(use: (app: TestApp) => Promise<void>, options: TestAppOptions = {}): Promise<void> {
  const app = await createTestApp({ after }, options)
  try {
    await use(app)
  } finally {
    await app.close()
  }
}

function sweepOf({ store, keyring, clock, environment, alarms }: TestApp) {
  const alarm = (event: string, { cardId }: { cardId: string }) => void alarms.push(`${event} ${cardId}`)
  return makeCardSweeper({ store, keyring, clock, clockGuard: { isTrusted: () => true }, environment, alarm })
}

test('a card at the end of its lifetime is shredded with its code, and others are not', () =>
  within(async (app) => {
    const merchant = app.merchant()
    const { bucket, merchantId } = merchant
    const unverified = await merchant.createToken(pan)
    await merchant.call('cards.get_verify_code', { token: unverified })
    app.clock.advance(60_000)
    const [once, saved, removed] = [await verified(false), await verified(true), await merchant.createToken(pan)]
    await merchant.call('cards.remove', { token: removed })

    const sweep = sweepOf(app)
    assert.equal(await sweep.runOnce(), 0)
    app.clock.advance(30 * 60_000 + 1)
    assert.equal(await sweep.runOnce(), 1)
    assert.deepEqual(await stateOf(unverified), ['ended', '', 0])
    assert.equal(await app.store.read(findVerification({ bucket, merchantId, cardId: unverified.slice(0, 24) })), null)
    assert.equal(await merchant.expectError('cards.check', { token: unverified }), 'card_ended')
    app.clock.advance(24 * 3_600_000)
    assert.equal(await sweep.runOnce(), 1)
    assert.deepEqual(await stateOf(once), ['ended', '', 0])
    assert.deepEqual((await stateOf(saved))[0], 'live')
    assert.deepEqual(await stateOf(removed), ['removed', '', 0])
    assert.equal(await merchant.expectError('cards.check', { token: removed }), 'card_deleted')
    assert.deepEqual(app.alarms, [])

    async function verified(save: boolean) {
      const token = await merchant.createToken(pan, { save })
      await merchant.call('cards.get_verify_code', { token })
      await merchant.call('cards.verify', { token, code: '666666' })
      return token
    }
    async function stateOf(token: string) {
      const row = await app.store.read(findCard({ bucket, merchantId, cardId: token.slice(0, 24) }))
      return [row?.state, row?.keyId === '' ? '' : 'a key', row?.blob.length]
    }
  }))

test('more cards than one page are shredded in one run', () =>
  within(async (app) => {
    const merchant = app.merchant()
    await Promise.all(Array.from({ length: 250 }, () => merchant.createToken(drawPan('8600'))))
    app.clock.advance(30 * 60_000 + 1)
    assert.equal(await sweepOf(app).runOnce(), 250)
  }))

test('a tampered row is shredded at its end, with an alarm, and does not become valid', () =>
  within(async (app) => {
    const merchant = app.merchant()
    const { bucket, merchantId } = merchant
    const tokens = [await merchant.createToken(pan), await merchant.createToken(pan)]
    const keys = tokens.map((token) => ({ bucket, merchantId, cardId: token.slice(0, 24) }))
    const row = await app.store.read(findCard(keys[0]!))
    assert.ok(row !== null)
    await app.store.write(updateCard, { card: { ...row, customer: 'somebody else', version: 2 }, audit: noteOf(row) })
    app.clock.advance(30 * 60_000 + 1)
    assert.equal(await sweepOf(app).runOnce(), 2)
    assert.deepEqual(app.alarms, [`row_tampered ${row.cardId}`])
    assert.equal((await app.store.read(findCard(keys[0]!)))?.blob.length, 0)
    assert.equal(await merchant.expectError('cards.check', { token: tokens[0]! }), 'internal_error')
    assert.equal(await merchant.expectError('cards.check', { token: tokens[1]! }), 'card_ended')
  }))

test('the keys of the day are destroyed with the counts under them', () =>
  within(async (app) => {
    const merchant = app.merchant()
    await merchant.call('cards.get_verify_code', { token: await merchant.createToken(pan) })
    app.clock.advance(3 * 86_400_000)
    await app.keyring.active('otp')
    await sweepOf(app).runOnce()
    const otp = app.keyring.list().filter(({ purpose }) => purpose === 'otp')
    assert.deepEqual(otp.map(({ state }) => state).sort(), ['active', 'destroyed'])
  }))

test('a saved card sends one event at its expiry, and is shredded 30 days later', () =>
  within(async (app) => {
    const merchant = app.merchant()
    const saved = await merchant.createVerifiedToken(pan, { expire: '1126' })
    await merchant.createToken(pan, { expire: '1126' })
    const sweep = sweepOf(app)
    app.clock.advance(expiryEndsAt('1126' as Expiry) - app.clock.now())
    await sweep.runOnce()
    assert.deepEqual(await listSentEvents(app, merchant), ['card.verified'])
    app.clock.advance(1)
    await sweep.runOnce()
    assert.deepEqual(await listSentEvents(app, merchant), ['card.verified', `card.expired ${saved.slice(0, 24)} 2026-11-30T19:00:00.001Z`])
    assert.ok('card' in (await merchant.call('cards.check', { token: saved })), 'it can be read until it is shredded')

    app.clock.advance(30 * dayMs - 1)
    await sweep.runOnce()
    assert.notEqual((await rowOf(app, merchant, saved))?.blob.length, 0)
    app.clock.advance(1)
    assert.equal(await sweep.runOnce(), 1)
    assert.deepEqual([(await rowOf(app, merchant, saved))?.state, (await rowOf(app, merchant, saved))?.blob.length], ['ended', 0])
    assert.equal((await listSentEvents(app, merchant)).length, 2)
    assert.deepEqual(app.alarms, [])
  }, anyExpiry))

test('a service that was stopped during expiry and shredding sends one event', () =>
  within(async (app) => {
    const merchant = app.merchant()
    await merchant.createVerifiedToken(pan, { expire: '1126' })
    app.clock.advance(365 * dayMs)
    await sweepOf(app).runOnce()
    await sweepOf(app).runOnce()
    assert.deepEqual(
      (await listSentEvents(app, merchant)).map((event) => event.slice(0, 12)),
      ['card.verifie', 'card.expired'],
    )
  }, anyExpiry))

test('two services that sweep concurrently send one event for an expired card', () =>
  within(async (app) => {
    const merchant = app.merchant()
    await merchant.createVerifiedToken(pan, { expire: '1126' })
    app.clock.advance(20 * dayMs)
    await Promise.all([sweepOf(app).runOnce(), sweepOf(app).runOnce(), sweepOf(app).runOnce()])
    assert.equal((await listSentEvents(app, merchant)).length, 2)
  }, anyExpiry))

test('a one-time card ends without an event, by its lifetime or its expiry', () =>
  within(async (app) => {
    const merchant = app.merchant()
    const [day, month] = [
      await merchant.createVerifiedToken(pan, { save: false }),
      await merchant.createVerifiedToken(pan, { save: false, expire: '1126' }),
    ]
    app.clock.advance(10 * dayMs)
    assert.equal(await sweepOf(app).runOnce(), 2)
    for (const token of [day, month]) assert.equal((await rowOf(app, merchant, token))?.state, 'ended')
    assert.deepEqual(await listSentEvents(app, merchant), ['card.verified', 'card.verified'])
  }, anyExpiry))

test('a card with held money is not shredded', () =>
  within(async (app) => {
    const merchant = app.merchant()
    const [held, other] = [
      await merchant.createVerifiedToken(successPan, { expire: '1126' }),
      await merchant.createVerifiedToken(successPan, { expire: '1126' }),
    ]
    app.clock.advance(expiryEndsAt('1126' as Expiry) + 29 * dayMs - app.clock.now())
    await sweepOf(app).runOnce()
    const receiptId = await holdOn(merchant, held)
    app.clock.advance(dayMs + 1)
    assert.equal(await sweepOf(app).runOnce(), 1)
    assert.notEqual((await rowOf(app, merchant, held))?.blob.length, 0)
    assert.equal((await rowOf(app, merchant, other))?.blob.length, 0)
    assert.equal((await merchant.call('receipts.confirm_hold', { id: receiptId })).receipt.state, 4)
    assert.equal(await sweepOf(app).runOnce(), 1)
    assert.equal((await rowOf(app, merchant, held))?.blob.length, 0)
  }, anyExpiry))

test('a tampered row past its expiry raises one alarm and sends no event', () =>
  within(async (app) => {
    const merchant = app.merchant()
    const token = await merchant.createVerifiedToken(pan, { expire: '1126' })
    const row = await rowOf(app, merchant, token)
    assert.ok(row !== null)
    await app.store.write(updateCard, { card: { ...row, customer: 'somebody else', version: row.version + 1 }, audit: noteOf(row) })
    app.clock.advance(15 * dayMs)
    await sweepOf(app).runOnce()
    await sweepOf(app).runOnce()
    assert.deepEqual(app.alarms, [`row_tampered ${row.cardId}`])
    assert.deepEqual(await listSentEvents(app, merchant), ['card.verified'])
    assert.equal(await merchant.expectError('cards.check', { token }), 'internal_error')
  }, anyExpiry))

test(
  'an unreadable row is skipped with one alarm, and the cards after it are shredded, page by page',
  withSqlite(async ({ store, raw }) => {
    const app = await createTestApp({ after }, { store })
    const merchant = app.merchant()
    const broken = (await merchant.createToken(pan)).slice(0, 24)
    await raw(`update cards set customer = '"' where card_id = '${broken}'`)
    app.clock.advance(1)
    const tokens = await Promise.all(Array.from({ length: 120 }, () => merchant.createToken(drawPan('8600'))))
    app.clock.advance(30 * 60_000 + 1)
    const sweep = sweepOf(app)
    assert.equal(await sweep.runOnce(), 120)
    for (const token of tokens) assert.equal((await rowOf(app, merchant, token))?.state, 'ended')
    assert.equal(await sweep.runOnce(), 0)
    assert.deepEqual(app.alarms, [`row_broken ${broken}`])
    await app.close()
  }),
)

test(
  'more broken rows than a page do not block the cards after them',
  withSqlite(async ({ store, raw }) => {
    const app = await createTestApp({ after }, { store })
    const merchant = app.merchant()
    await Promise.all(Array.from({ length: 110 }, () => merchant.createToken(drawPan('8600'))))
    await raw(`update cards set verified = 2`)
    app.clock.advance(1)
    await merchant.createToken(pan)
    app.clock.advance(30 * 60_000 + 1)
    assert.equal(await sweepOf(app).runOnce(), 1)
    assert.equal(app.alarms.length, 110)
    await app.close()
  }),
)

test(
  'an expired sealed number is in no file: one-time, unverified, removed; that of a saved card is',
  withSqlite(async ({ store, folder, reopen }) => {
    const app = await createTestApp({ after }, { store })
    const merchant = app.merchant()
    const gone = await Promise.all([
      merchant.createVerifiedToken(pan, { save: false }),
      merchant.createToken(pan),
      merchant.createToken(pan),
    ])
    const saved = await merchant.createVerifiedToken(pan)
    const seals = await Promise.all([...gone, saved].map(async (token) => (await rowOf(app, merchant, token))?.blob ?? new Uint8Array(0)))
    const places = (): number[] => {
      const files = readdirSync(folder).map((file) => readFileSync(join(folder, file)))
      return seals.flatMap((seal, at) => (files.some((bytes) => bytes.includes(Buffer.from(seal.subarray(30)))) ? [at] : []))
    }
    assert.deepEqual(places(), [0, 1, 2, 3])
    await merchant.call('cards.remove', { token: gone[2] })
    app.clock.advance(dayMs + 1)
    assert.equal(await sweepOf(app).runOnce(), 2)
    await app.close()
    await reopen().then((again) => again.close(1000))
    assert.deepEqual(places(), [3])
  }),
)

test('a stop ends the sweep after a batch, and the next run continues', () =>
  within(async (app) => {
    const merchant = app.merchant()
    await Promise.all(Array.from({ length: 230 }, () => merchant.createToken(drawPan('8600'))))
    app.clock.advance(30 * 60_000 + 1)
    const stopping = new AbortController()
    const update = replaceWrite(sweepCards, (_changes, original) => {
      stopping.abort()
      return original()
    })
    assert.equal(await sweepOf({ ...app, store: replaceInStore(app.store, update) }).runOnce(stopping.signal), 100)
    assert.equal(await sweepOf(app).runOnce(), 130)
  }))

test('a row that somebody has locked holds up no other card, and a batch that another process sweeps at that moment is left to it', () =>
  within(async (app) => {
    const merchant = app.merchant()
    const tokens = await Promise.all(Array.from({ length: 130 }, () => merchant.createToken(drawPan('8600'))))
    app.clock.advance(30 * 60_000 + 1)
    const [lockedId] = tokens.map((token) => token.slice(0, 24))
    const locked = new StoreUnavailable('a row is locked')
    const store = replaceInStore(
      app.store,
      replaceWrite(sweepCards, ({ changes }, original) =>
        changes.some(({ card }) => card.cardId === lockedId) ? Promise.reject(locked) : original(),
      ),
      replaceWrite(updateCard, ({ card }, original) => (card.cardId === lockedId ? Promise.reject(locked) : original())),
    )
    assert.equal(await sweepOf({ ...app, store }).runOnce(), 129)

    const [first = '', ...others] = await Promise.all(Array.from({ length: 130 }, () => merchant.createToken(drawPan('8600'))))
    app.clock.advance(30 * 60_000 + 1)
    const { bucket, merchantId } = merchant
    let isChanged = false
    const overtaken = replaceWrite(sweepCards, async ({ changes }, original) => {
      const change = changes.find(({ card }) => card.cardId === first.slice(0, 24))
      if (change !== undefined && !isChanged) {
        isChanged = true
        assert.equal(await app.store.write(updateCard, change), true)
      }
      return original()
    })
    const swept = await sweepOf({ ...app, store: replaceInStore(app.store, overtaken) }).runOnce()
    const left = await app.store.read(countEndedCards(app.clock.now()))
    assert.equal(swept + left, others.length + 1, 'with the one that was locked before')
    assert.ok(left >= 29 && left < 100, String(left))
    assert.equal(await sweepOf(app).runOnce(), left)
    assert.equal((await app.store.read(findCard({ bucket, merchantId, cardId: lockedId ?? '' })))?.state, 'ended')
  }))

/** A hold that stands. */
async function holdOn(merchant: TestMerchant, token: string): Promise<string> {
  const receiptId = await newReceipt(merchant)
  const { receipt } = await merchant.call('receipts.pay', { id: receiptId, token, hold: true })
  assert.equal(receipt.state, 5)
  return receiptId
}

/** The events of the merchant's cards, oldest first; of those that are not `card.verified`, the card and the moment too. */
async function listSentEvents({ store }: TestApp, { bucket, merchantId }: TestMerchant): Promise<string[]> {
  const events = await store.read(listEvents({ bucket, merchantId, from: 0, count: 50 }))
  const cards = events.filter(({ type }) => type.startsWith('card.')).reverse()
  return cards.map(({ type, objectId, at }) => (type === 'card.verified' ? type : `${type} ${objectId} ${new Date(at).toISOString()}`))
}

function rowOf({ store }: TestApp, { bucket, merchantId }: TestMerchant, token: string): Promise<CardRow | null> {
  return store.read(findCard({ bucket, merchantId, cardId: token.slice(0, 24) }))
}

/** The test cards expire in 2099; this network knows them whatever their expiry. */
const anyExpiry: TestAppOptions = {
  network: (sandbox) => ({
    ...sandbox,
    startVerification: (ask, signal) => sandbox.startVerification({ ...ask, expiry: testExpiry }, signal),
    checkCode: (answer, signal) => sandbox.checkCode({ ...answer, expiry: testExpiry }, signal),
    authorize: (ask, signal) => sandbox.authorize({ ...ask, expiry: testExpiry }, signal),
  }),
}

const dayMs = 86_400_000

function noteOf({ merchantId, cardId }: CardRow) {
  const who = { at: 0, actor: 'test', action: 'test', merchantId, subject: cardId, requestId: '', outcome: 'test' }
  return { ...who, version: 0, mac: new Uint8Array(0) }
}
