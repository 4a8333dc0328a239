import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { expiryEndsAt, type Expiry } from '@tessera/contract/card'

import { readSearchSeed } from '../../../tools/search-size.ts'
import { makeCardResealer } from '../domain/cards/reseal.ts'
import { makeCardSweeper } from '../domain/cards/sweep.ts'
import { openPostgresStore } from '../store/postgres/postgres.ts'
import { makeReceiptUpdate, makeReceipt, makeReceiptExtras, nextReceipt } from '../store/suite/money.fixture.ts'
import { withPostgres } from '../store/postgres/with-store.fixture.ts'
import { verificationRules } from '../domain/verification/model.fixture.ts'
import { play } from '../domain/verification/model.suite.ts'
import { drawPolicy } from '../domain/verification/random-policy.fixture.ts'

import { policiesWith } from '../testing/policies.fixture.ts'
import { createTestApp, type TestApp, type TestAppOptions } from '../testing/test-app.fixture.ts'
import { listCodeEvents } from '../store/audit.ts'
import { findCard } from '../store/cards.ts'
import { listEvents } from '../store/outbox.ts'
import { insertReceipt, updateReceipt } from '../store/receipts.ts'

const pan = '8600495473316478'

/** Tests whose outcome depends on the store. Everything else is covered by the store suite and by the tests on SQLite. */
function onPostgres(use: (app: TestApp) => Promise<void>, options: TestAppOptions = {}) {
  return withPostgres(async ({ store }) => {
    const app = await createTestApp({ after }, { ...options, store })
    try {
      await use(app)
    } finally {
      await app.close()
    }
  })
}

test(
  'on PostgreSQL the application agrees with the model',
  onPostgres(async (app) => {
    const seed = readSearchSeed(1)
    const { mismatch, calls } = await play(app, { seed, rule: verificationRules, rounds: 100 })
    assert.equal(mismatch, null, `replay with TESSERA_TEST_SEED=${seed}`)
    assert.equal(calls, 4000)
  }),
)

for (const seed of [1, 2, 3]) {
  const { policy, rule, wrongCode } = drawPolicy(seed)
  test(
    `on PostgreSQL the application agrees with the model under a policy of its own, seed ${seed}`,
    onPostgres(
      async (app) => {
        assert.equal((await play(app, { seed, rule, wrongCode, rounds: 50 })).mismatch, null, JSON.stringify(policy))
        assert.deepEqual(app.alarms, [])
      },
      { verification: { policies: policiesWith(policy) } },
    ),
  )
}

test(
  'on PostgreSQL no more wrong codes are evaluated than the policy admits, of however many tokens of one card at once',
  onPostgres(
    async (app) => {
      const merchant = app.merchant()
      const tokens = await Promise.all(Array.from({ length: 40 }, () => merchant.createToken(pan)))
      for (const token of tokens) await merchant.call('cards.get_verify_code', { token })
      const reasons = await Promise.all(tokens.map((token) => merchant.expectError('cards.verify', { token, code: '000000' })))
      assert.equal(reasons.filter((reason) => reason === 'wrong_code').length, 2)
      assert.equal(reasons.filter((reason) => reason === 'tries_used_up').length, 1)
      assert.equal(reasons.filter((reason) => reason === 'verification_stopped').length, 37)
      assert.equal(await merchant.expectError('cards.get_verify_code', { token: tokens[0] ?? '' }), 'verification_stopped')
    },
    { verification: { policies: policiesWith({ maxAttempts: 3, stop: { durationMs: 900_000, per: ['card'] } }) } },
  ),
)

test(
  'on PostgreSQL at most five of 200 concurrent wrong codes are evaluated, and one of 50 concurrent requests sends a code',
  onPostgres(async (app) => {
    const merchant = app.merchant()
    const token = await merchant.createToken(pan)
    const replies = await Promise.all(Array.from({ length: 50 }, () => merchant.callRaw('cards.get_verify_code', { token })))
    assert.equal(replies.filter((reply) => 'sent' in reply).length, 1)
    const guesses = Array.from({ length: 200 }, (_, i) => String(i).padStart(6, '0'))
    const reasons = await Promise.all(guesses.map((code) => merchant.expectError('cards.verify', { token, code })))
    assert.equal(reasons.filter((reason) => reason === 'wrong_code').length, 4)
    assert.equal(reasons.filter((reason) => reason === 'tries_used_up').length, 196)
  }),
)

test(
  'on PostgreSQL a code that the network finds wrong is in the audit',
  onPostgres(async (app) => {
    const merchant = app.merchant()
    const token = await merchant.createToken('8600069195406311')
    await merchant.call('cards.get_verify_code', { token })
    app.clock.advance(1)
    assert.equal(await merchant.expectError('cards.verify', { token, code: '000000' }), 'wrong_code')
    const { merchantId } = merchant
    const [newest] = await app.store.read(listCodeEvents({ merchantId, from: 0, to: Number.MAX_SAFE_INTEGER, after: null, count: 9 }))
    assert.deepEqual([newest?.action, newest?.outcome, newest?.cardId], ['code.attempted', 'wrong_code', token.slice(0, 24)])
  }),
)

test(
  'on PostgreSQL concurrent verification, removal and resealing lose no update',
  onPostgres(async (app) => {
    const { store, keyring, clock, environment } = app
    const merchant = app.merchant()
    const tokens = await Promise.all(Array.from({ length: 60 }, () => merchant.createToken(pan)))
    for (const token of tokens) await merchant.call('cards.get_verify_code', { token })
    await keyring.rotate('card', merchant.merchantId)
    const reseal = makeCardResealer({ store, keyring, clock, environment, alarm: () => assert.fail('nothing was tampered with') })
    const code = '666666'
    const calls = tokens.flatMap((token, at) => [
      merchant.callRaw('cards.verify', { token, code }),
      ...(at % 2 === 0 ? [merchant.callRaw('cards.remove', { token })] : []),
    ])
    await Promise.all([...calls, reseal.runOnce(), reseal.runOnce()])
    while ((await reseal.runOnce()) > 0);
    for (const [at, token] of tokens.entries()) {
      const reply = await merchant.callRaw('cards.check', { token })
      if (at % 2 === 0) assert.equal('error' in reply && reply.error.reason, 'card_deleted')
      else assert.equal('card' in reply && reply.card.verify, true)
    }
    assert.deepEqual(
      (await reseal.status()).map(({ cards }) => cards),
      [0, 30],
    )
  }),
)

test(
  'on PostgreSQL what was given with a card comes back to the letter, and ended cards are shredded',
  onPostgres(async (app) => {
    const merchant = app.merchant()
    const { bucket, merchantId } = merchant
    const given = { customer: 'p\u0000 ʻ 😀', account: { b: 1, a: 'x\u0000', z: null }, save: true }
    const { card } = await merchant.call('cards.create', { card: { number: '', expire: '0399' }, ...given }, pan)
    const key = { bucket, merchantId, cardId: card.token.slice(0, 24) }
    const row = await app.store.read(findCard(key))
    assert.deepEqual([row?.customer, row?.account], [given.customer, JSON.stringify(given.account)])
    await merchant.call('cards.check', { token: card.token })
    app.clock.advance(30 * 60_000 + 1)
    const { store, keyring, clock, environment } = app
    const sweep = makeCardSweeper({
      store,
      keyring,
      clock,
      clockGuard: { isTrusted: () => true },
      environment,
      alarm: () => assert.fail('nothing was tampered with'),
    })
    assert.equal(await sweep.runOnce(), 1)
    assert.equal((await app.store.read(findCard(key)))?.blob.length, 0)
  }),
)

test('on PostgreSQL hundreds of waiting requests of the ten-second card hold no transaction and no connection', async (t) => {
  await withPostgres(async ({ url, raw }) => {
    // One connection for writes and one for reads: a call that held either while it waits would block all others.
    const store = await openPostgresStore({ url, allowUnsafe: true, writers: 1, readers: 1 })
    const app = await createTestApp(t, { store })
    try {
      const merchant = app.merchant()
      const tokens = await Promise.all(Array.from({ length: 100 }, () => merchant.createToken('8600134301849596')))
      const waiting = Promise.all(tokens.map((token) => merchant.callRaw('cards.get_verify_code', { token })))
      await app.clock.untilSleeping(10_000)
      await merchant.createVerifiedToken(pan)
      for (const token of tokens) await merchant.call('cards.check', { token })
      // The writes of the waiting calls completed before these replies.
      const busy = `select count(*)::int as busy from pg_stat_activity where application_name = 'tessera' and state like 'idle in transaction%'`
      assert.deepEqual(await raw(busy), [{ busy: 0 }])
      app.clock.advance(10_000)
      assert.ok((await waiting).every((reply) => 'error' in reply && reply.error.reason === 'network_timeout'))
    } finally {
      await app.close()
      await store.close(1000)
    }
  })()
})

test(
  'on PostgreSQL an expired card sends one event, and is not shredded while money is held on it',
  onPostgres(async (app) => {
    const merchant = app.merchant()
    const { bucket, merchantId } = merchant
    const cardId = (await merchant.createVerifiedToken('8600069195406311')).slice(0, 24)
    const key = { bucket, merchantId, cardId }
    const { store, keyring, clock, environment } = app
    const sweep = () =>
      makeCardSweeper({
        store,
        keyring,
        clock,
        clockGuard: { isTrusted: () => true },
        environment,
        alarm: () => assert.fail('nothing was tampered with'),
      }).runOnce()
    app.clock.advance(expiryEndsAt('0399' as Expiry) + 1 - clock.now())
    await Promise.all([sweep(), sweep(), sweep()])
    const events = await store.read(listEvents({ bucket, merchantId, from: 0, count: 9 }))
    assert.deepEqual(
      events.map(({ type }) => type),
      ['card.expired', 'card.verified'],
    )
    assert.equal((await store.read(findCard(key)))?.state, 'expired')
    const held = makeReceipt(1, { bucket, merchantId, cardId, state: 5 })
    await store.write(insertReceipt, { receipt: held, ...makeReceiptExtras(held) })
    app.clock.advance(31 * 86_400_000)
    assert.equal(await sweep(), 0)
    const settled = nextReceipt(held, { state: 50 })
    await store.write(updateReceipt, { ...makeReceiptUpdate(settled), ...makeReceiptExtras(settled) })
    assert.equal(await sweep(), 1)
    assert.equal((await store.read(findCard(key)))?.blob.length, 0)
  }),
)

test(
  'on PostgreSQL the caps of the day hold over all tokens of a PAN',
  onPostgres(
    async (app) => {
      const [one, other] = [app.merchant(), app.merchant()]
      await one.call('cards.get_verify_code', { token: await one.createToken(pan) })
      assert.equal(await other.expectError('cards.get_verify_code', { token: await other.createToken(pan) }), 'send_limit_card')
    },
    { verification: { limits: true } },
  ),
)
