import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import type { TestMerchant } from '../testing/test-merchant.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'
import { randomHex } from '../testing/random.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import { findCard } from '../store/cards.ts'
import { operatorActor } from '../testing/request-context.fixture.ts'

const app = await createTestApp({ after })

const origin = 'https://shop.example'
const card = { card: { number: '', expire: '0399' } }

/** As a page calls: with the merchant id alone. */
function create(merchant: TestMerchant, params: object) {
  return merchant.asPage('cards.create', { ...card, ...params }, successPan)
}

test('a session creates as many cards as it has attempts, for fifteen minutes', async () => {
  const merchant = app.merchant()
  const { session, expires_at: endsAt } = await merchant.call('form.sessions.create', { origin, save: 'ask', attempts: 2 })
  assert.equal(endsAt, app.clock.now() + 15 * 60_000)
  assert.match(session, /^[0-9a-f]{24}_[0-9A-Za-z]{43}$/)
  for (let made = 0; made < 2; made++) assert.ok('card' in (await create(merchant, { session })))
  assert.equal(reasonOf(await create(merchant, { session })), 'session_used_up')
  const late = await merchant.call('form.sessions.create', { origin, save: 'ask' })
  app.clock.advance(15 * 60_000)
  await app.sessions.deleteOld()
  assert.equal(reasonOf(await create(merchant, { session: late.session })), 'session_ended')
  app.clock.advance(24 * 3_600_000 + 1)
  assert.ok((await app.sessions.deleteOld()) >= 1)
  assert.equal(reasonOf(await create(merchant, { session: late.session })), 'session_unknown')
})

test('a session of another merchant, an unknown or a truncated one is unknown', async () => {
  const [owner, stranger] = [app.merchant(), app.merchant()]
  const { session } = await owner.call('form.sessions.create', { origin, save: 'ask' })
  for (const text of [session.slice(0, -1), `${session}0`, 'abc', '', `${'0'.repeat(24)}_${session.slice(25)}`]) {
    assert.equal(reasonOf(await create(owner, { session: text })), 'session_unknown', text)
  }
  assert.equal(reasonOf(await create(stranger, { session })), 'session_unknown')
  assert.ok('card' in (await create(owner, { session })))
})

test('the customer is that of the session, and a card is stored only if the session offers it', async () => {
  const merchant = app.merchant()
  const { session } = await merchant.call('form.sessions.create', { origin, customer: 'c-1', save: 'off', locale: 'uz', attempts: 10 })
  assert.equal(reasonOf(await create(merchant, { session, save: true })), 'member_invalid')
  const made = await create(merchant, { session, customer: 'somebody else' })
  assert.ok('card' in made)
  const row = await app.store.read(findCard({ ...merchant, cardId: made.card.token.slice(0, 24) }))
  assert.deepEqual([row?.customer, row?.recurrent], ['c-1', false])
})

test('a merchant that requires sessions accepts no card of a page without one, but its server needs none', async () => {
  const merchantId = randomHex(24)
  await app.merchants.ensureMerchant({ id: merchantId, name: 'Shop', password: 'x' })
  await app.merchants.administration.change(merchantId, { settings: { requireFormSessions: true } }, operatorActor)
  const merchant = app.merchant('spec', merchantId)
  assert.equal(reasonOf(await create(merchant, {})), 'session_required')
  assert.equal(reasonOf(await create(merchant, { session: null })), 'session_required')
  assert.ok('card' in (await merchant.callRaw('cards.create', card, successPan)))
  const { session } = await merchant.call('form.sessions.create', { origin, save: 'ask' })
  assert.ok('card' in (await create(merchant, { session })))
})

test('in production a session is for a page that its merchant has registered', async (t) => {
  const strict = await createTestApp(t, { continues: app, store: app.store, adapters: { isAnyOriginAllowed: false } })
  const merchantId = randomHex(24)
  await app.merchants.ensureMerchant({ id: merchantId, name: 'Shop', password: 'x' })
  await app.merchants.administration.change(merchantId, { settings: { origins: [origin] } }, operatorActor)
  const merchant = strict.merchant('spec', merchantId)
  for (const other of ['http://shop.example', 'https://shop.example:8443', 'https://evil.example']) {
    assert.equal(await merchant.expectError('form.sessions.create', { origin: other, save: 'ask' }), 'origin_not_registered')
  }
  assert.ok(await merchant.call('form.sessions.create', { origin, save: 'ask' }))
  await strict.close()
})

test('a card of a session is accepted from its own page, or from the form that only this page can frame', async () => {
  const merchant = app.merchant()
  const [formOrigin, other] = ['https://form.example', 'https://other.example']
  const [mine, foreign] = [
    await app.formDocuments.issue(merchant.merchantId, origin),
    await app.formDocuments.issue(merchant.merchantId, other),
  ]
  const stranger = await app.formDocuments.issue(randomHex(24), origin)
  const cases: [form: string | null, from: string | null, reason: string][] = [
    [mine, formOrigin, 'none'],
    [null, origin, 'none'],
    [null, null, 'none'],
    [foreign, formOrigin, 'session_origin'],
    [stranger, formOrigin, 'session_origin'],
    [`${mine.slice(0, -1)}${mine.endsWith('A') ? 'B' : 'A'}`, formOrigin, 'session_origin'],
    ['', formOrigin, 'session_origin'],
    [null, formOrigin, 'session_origin'],
    [null, other, 'session_origin'],
    [foreign, null, 'session_origin'],
  ]
  for (const [form, from, reason] of cases) {
    const { session } = await merchant.call('form.sessions.create', { origin, save: 'ask' })
    assert.equal(reasonOf(await merchant.asPage('cards.create', { ...card, session, form }, successPan, from)), reason, `${form} ${from}`)
  }
  app.clock.advance(24 * 3_600_000 + 1)
  assert.equal(await app.formDocuments.originOf(merchant.merchantId, mine), null)
})

function reasonOf(reply: object): string {
  return 'error' in reply ? (reply.error as { reason: string }).reason : 'none'
}
