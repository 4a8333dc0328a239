import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeRowAuthenticator } from '@tessera/vault/rowmac'

import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'
import { drawPan } from '../../testing/random.fixture.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'

import { KeyInUseError, makeCardResealer } from './reseal.ts'
import { findCard, resealCards, updateCard, cardsTable } from '../../store/cards.ts'
import { StoreDamaged, StoreOutcomeUnknown, StoreUnavailable } from '../../store/store.ts'
import { makeWalk } from '../../store/walk.ts'
import { replaceInStore, replaceWrite } from '../../testing/store.fixture.ts'

const pan = '8600069195406311'

async function within(use: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await createTestApp({ after })
  await use(app)
}

/** Lets work that pauses between pages go on. */
async function moving<T>(app: TestApp, work: Promise<T>): Promise<T> {
  const done = new AbortController()
  const ended = work.finally(() => done.abort())
  // It may reject before it is awaited.
  ended.catch(() => undefined)
  while (!done.signal.aborted) {
    for (const ms of [5, 1000]) if (app.clock.isSleeping(ms)) app.clock.advance(ms)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return ended
}

function resealOf({ store, keyring, clock, environment, alarms }: TestApp) {
  const alarm = (event: string, { cardId }: { cardId: string }) => void alarms.push(`${event} ${cardId}`)
  return makeCardResealer({ store, keyring, clock, environment, alarm })
}

test('old cards are resealed under the new key without their tokens, open as before, and then the old key can be destroyed', () =>
  within(async (app) => {
    const merchant = app.merchant()
    const tokens = await Promise.all(Array.from({ length: 230 }, () => merchant.createToken(pan)))
    const other = await app.merchant().createToken(pan)
    const reseal = resealOf(app)
    assert.equal(await reseal.runOnce(), 0)

    const old = (await app.keyring.active('card', merchant.merchantId)).keyId
    const { keyId } = await app.keyring.rotate('card', merchant.merchantId)
    await assert.rejects(reseal.destroy(old), KeyInUseError)
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
    app.clock.advance(130_000)
    await reseal.destroy(old)
    assert.ok(!(await reseal.status()).some((key) => key.keyId === old))
    const [token = ''] = tokens
    await merchant.call('cards.get_verify_code', { token })
    await merchant.call('cards.verify', { token, code: '666666' })
    assert.ok(other !== '')
  }))

test('an operator reseals the cards of one key, cancels after a few cards, and continues; each run is audited', () =>
  within(async (app) => {
    const merchant = app.merchant()
    await Promise.all(Array.from({ length: 230 }, () => merchant.createToken(pan)))
    const { keyId: old } = await app.keyring.active('card', merchant.merchantId)
    const by = { actor: 'operator', requestId: '', address: '' }
    const unheard = { signal: new AbortController().signal, onProgress: () => undefined }
    const run = (keyId = old) => moving(app, app.keys.reseal(keyId, 1, by, unheard))
    assert.equal(await run(), 'active')
    assert.equal(await run('0'.repeat(32)), 'unknown')
    await app.keyring.rotate('card', merchant.merchantId)
    assert.equal((await app.reseal.readBacklog()).cards, 230)

    const cancelled = new AbortController()
    const pages = replaceWrite(resealCards, (_change, original) => {
      cancelled.abort(new Error('cancelled'))
      return original()
    })
    const interrupted = resealOf({ ...app, store: replaceInStore(app.store, pages) })
    const walk = makeWalk({ signal: cancelled.signal, now: () => 0 })
    await assert.rejects(interrupted.resealKey(old, { walk, pace: app.pace, signal: cancelled.signal }), /cancelled/)
    assert.equal((await app.reseal.readBacklog()).cards, 205)

    const running = run()
    assert.equal(await run(), 'running')
    assert.equal(await app.reseal.runOnce(), 0)
    assert.deepEqual(await running, { resealed: 205, left: 0 })
    assert.deepEqual([await app.reseal.readBacklog(), app.reseal.resealedCount()], [{ cards: 0, since: null }, 205])
    const entries = await app.auditArchive.list({ merchantId: '', subject: old, count: 10 })
    assert.deepEqual(
      entries
        .filter(({ action }) => action === 'key.resealed')
        .map(({ outcome }) => outcome)
        .sort(),
      ['done', 'refused', 'refused', 'requested', 'requested', 'requested'],
    )
  }))

test('a reseal by command goes on after the store fails, or says that an outcome is unknown; it ends when the store fails for good', () =>
  within(async (app) => {
    const merchant = app.merchant()
    await Promise.all(Array.from({ length: 230 }, () => merchant.createToken(pan)))
    const { keyId: old } = await app.keyring.active('card', merchant.merchantId)
    await app.keyring.rotate('card', merchant.merchantId)
    const { signal } = new AbortController()
    const reseal = (fail: (write: number) => Error | null) => {
      let writes = 0
      const run = async <T>(original: () => Promise<T>): Promise<T> => {
        const failure = fail(writes++)
        if (failure instanceof StoreUnavailable) throw failure
        const result = await original()
        if (failure !== null) throw failure
        return result
      }
      const failing = [
        replaceWrite(resealCards, (_changes, original) => run(original)),
        replaceWrite(updateCard, (_change, original) => run(original)),
      ]
      const walk = makeWalk({ signal, now: () => 0 })
      const resealer = resealOf({ ...app, store: replaceInStore(app.store, ...failing) })
      return moving(app, resealer.resealKey(old, { walk, pace: app.pace, signal }))
    }
    await assert.rejects(
      reseal(() => new StoreUnavailable('away')),
      /away/,
    )
    assert.equal((await app.reseal.readBacklog()).cards, 230)
    await assert.rejects(
      reseal(() => new StoreDamaged('damaged', '')),
      /damaged/,
    )
    // The first batch, then one of its cards alone, then the second batch.
    const failures = new Map<number, Error>([
      [0, new StoreUnavailable('locked')],
      [10, new StoreUnavailable('locked')],
      [101, new StoreOutcomeUnknown('cut')],
    ])
    const done = await reseal((write) => failures.get(write) ?? null)
    assert.equal(typeof done === 'object' && done.left, 0)
  }))

test('a key older than 90 days is replaced and its cards are resealed, even without a new card', () =>
  within(async (app) => {
    const merchant = app.merchant()
    const token = await merchant.createToken(pan)
    await merchant.call('cards.get_verify_code', { token })
    await merchant.call('cards.verify', { token, code: '666666' })
    app.clock.advance(91 * 86_400_000)
    assert.equal(await resealOf(app).runOnce(), 1)
    await merchant.call('cards.check', { token })
  }))

test('concurrent changes and reseals of cards lose nothing', () =>
  within(async (app) => {
    const merchant = app.merchant()
    const tokens = await Promise.all(Array.from({ length: 120 }, () => merchant.createToken(drawPan('8600'))))
    await app.keyring.rotate('card', merchant.merchantId)
    const reseal = resealOf(app)
    const [removed] = await Promise.all([
      Promise.all(tokens.filter((_token, at) => at % 3 === 0).map((token) => merchant.callRaw('cards.remove', { token }))),
      reseal.runOnce(),
      reseal.runOnce(),
    ])
    assert.ok(removed.every((reply) => 'success' in reply))
    for (let round = 0; round < 5; round++) await reseal.runOnce()
    for (const [at, token] of tokens.entries()) {
      const reply = await merchant.callRaw('cards.check', { token })
      assert.equal('card' in reply, at % 3 !== 0)
    }
    assert.deepEqual(
      (await reseal.status()).map(({ cards }) => cards),
      [0, 80],
    )
  }))

test('a tampered card is not resealed, and raises the alarm', () =>
  within(async (app) => {
    const merchant = app.merchant()
    const token = await merchant.createToken(pan)
    const { bucket, merchantId } = merchant
    const row = await app.store.read(findCard({ bucket, merchantId, cardId: token.slice(0, 24) }))
    assert.ok(row !== null)
    const note = { at: 0, actor: 'test', action: 'test', merchantId, subject: row.cardId, requestId: '', outcome: 'test' }
    await app.store.write(updateCard, {
      card: { ...row, verified: true, version: 2 },
      audit: { ...note, version: 0, mac: new Uint8Array(0) },
    })
    await app.keyring.rotate('card', merchantId)
    assert.equal(await resealOf(app).runOnce(), 0)
    assert.deepEqual(app.alarms, [`row_tampered ${row.cardId}`])
  }))

test(
  'an unreadable row and a seal that does not open are skipped with one alarm each, and the others are resealed, with newer keys too',
  withSqlite(async ({ store, raw }) => {
    const app = await createTestApp({ after }, { store })
    const [merchant, younger] = [app.merchant(), app.merchant()]
    const [broken, shut] = [await merchant.createToken(pan), await merchant.createToken(pan)].map((token) => token.slice(0, 24))
    const row = await store.read(findCard({ bucket: merchant.bucket, merchantId: merchant.merchantId, cardId: shut! }))
    assert.ok(row !== null)
    const next = await makeRowAuthenticator(app.keyring, app.environment, cardsTable).seal({
      ...row,
      blob: new Uint8Array(row.blob.length),
      version: 2,
    })
    const who = { at: 0, actor: 'test', action: 'test', merchantId: row.merchantId, subject: row.cardId, requestId: '', outcome: 'test' }
    assert.equal(await store.write(updateCard, { card: next, audit: { ...who, version: 2, mac: next.mac } }), true)
    await merchant.createToken(pan)
    app.clock.advance(1)
    await younger.createToken(pan)
    await raw(`update cards set expiry = 'soon' where card_id = '${broken!}'`)
    for (const { merchantId } of [merchant, younger]) await app.keyring.rotate('card', merchantId)

    const reseal = resealOf(app)
    assert.equal(await reseal.runOnce(), 2)
    assert.equal(await reseal.runOnce(), 0)
    assert.deepEqual(app.alarms.sort(), [`reseal_failed ${shut!}`, `row_broken ${broken!}`])
    assert.deepEqual(
      (await reseal.status()).map(({ cards }) => cards),
      [2, 0, 1, 1],
    )
    await app.close()
  }),
)

test('a stop ends resealing after the current page', () =>
  within(async (app) => {
    const merchants = [app.merchant(), app.merchant()]
    for (const merchant of merchants) {
      await merchant.createToken(pan)
      await app.keyring.rotate('card', merchant.merchantId)
    }
    const stopping = new AbortController()
    const update = replaceWrite(resealCards, (_change, original) => {
      stopping.abort()
      return original()
    })
    assert.equal(await resealOf({ ...app, store: replaceInStore(app.store, update) }).runOnce(stopping.signal), 1)
    assert.equal(await resealOf(app).runOnce(), 1)
  }))
