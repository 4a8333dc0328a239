import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { hostedOrigin } from '../testing/default-config.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'
import { openSession, origin, returnTo, sendCard, verifyCard } from '../testing/hosted-session.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import { listFormCards } from '../store/form-sessions.ts'

const app = await createTestApp({ after })

test('a session of the hosted page returns its URL, with the session in the fragment', async () => {
  const merchant = app.merchant()
  const { session, page = '' } = await openSession(merchant, { locale: 'ru' })
  const address = new URL(page)
  assert.equal(address.origin, hostedOrigin)
  assert.equal(address.hash, `#${session}`)
  assert.ok(!address.search.includes(session))
  assert.equal((await merchant.call('form.sessions.create', { origin, save: 'ask' })).page, undefined)
})

test('the return address must have the origin of the session', async () => {
  const merchant = app.merchant()
  for (const elsewhere of [
    'https://evil.example/',
    'https://shop.example.evil.example/',
    'https://shop.example@evil.example/',
    'https://user:pass@shop.example/',
    'http://shop.example/',
    'javascript:alert(1)',
    '//shop.example/',
    '/cards',
    '',
  ]) {
    assert.equal(
      await merchant.expectError('form.sessions.create', { origin, save: 'ask', return: elsewhere }),
      'return_elsewhere',
      elsewhere,
    )
  }
})

test('the merchant’s server gets the token only after verification; the page never gets it', async () => {
  const merchant = app.merchant()
  const { session, expires_at: endsAt } = await openSession(merchant)
  assert.deepEqual(await merchant.call('form.sessions.get', { session }), { state: 'open', expires_at: endsAt })
  const token = await sendCard(app, merchant, session)
  assert.deepEqual(await merchant.call('form.sessions.get', { session }), { state: 'open', expires_at: endsAt })
  await verifyCard(merchant, token)
  const result = await merchant.call('form.sessions.get', { session })
  assert.deepEqual([result.state, result.card?.token, result.card?.verify], ['done', token, true])
  const shown = await merchant.asPage('form.sessions.show', { session })
  assert.deepEqual(shown, {
    state: 'done',
    expires_at: endsAt,
    return: returnTo,
    save: 'ask',
    locale: null,
    amount: null,
    order: null,
    cards: [],
    picked: null,
  })
  assert.ok(!JSON.stringify(shown).includes(token.slice(0, 24)))
})

test('of several cards the verified one is the result, whichever was sent last', async () => {
  const merchant = app.merchant()
  const { session } = await openSession(merchant)
  const [first, second] = [await sendCard(app, merchant, session), await sendCard(app, merchant, session)]
  await verifyCard(merchant, first)
  assert.notEqual(first, second)
  assert.equal((await merchant.call('form.sessions.get', { session })).card?.token, first)
})

test('a completed session stays done: others with the link cannot replace the card, and payment or removal does not reopen it', async () => {
  const merchant = app.merchant()
  const { session } = await openSession(merchant)
  const [first, second] = [await sendCard(app, merchant, session, false), await sendCard(app, merchant, session)]
  await verifyCard(merchant, first)
  const late = await merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, session }, successPan)
  assert.equal(reasonOf(late), 'session_done')
  app.clock.advance(70_000)
  await verifyCard(merchant, second)
  assert.equal((await merchant.call('form.sessions.get', { session })).card?.token, first)
  await merchant.call('cards.remove', { token: first })
  const result = await merchant.call('form.sessions.get', { session })
  assert.deepEqual([result.state, result.card], ['done', undefined])
})

test('a return address changed in the row without the keys is not used', async () => {
  const merchant = app.merchant()
  const { session } = await openSession(merchant)
  const row = await app.hosted.find(session, merchant)
  const elsewhere = app.sessions.requireReturnOrigin(merchant.merchantId, row.origin, 'https://evil.example/steal')
  await assert.rejects(elsewhere, { entry: 'returnElsewhere' })
})

test('the token can be fetched for an hour after the session ends, and is then deleted', async () => {
  const merchant = app.merchant()
  const { session, expires_at: endsAt } = await openSession(merchant)
  await verifyCard(merchant, await sendCard(app, merchant, session))
  const idle = await openSession(merchant)
  app.clock.advance(endsAt - app.clock.now() + 3_599_000)
  await app.hosted.deleteOld()
  assert.equal((await merchant.call('form.sessions.get', { session })).state, 'done')
  assert.equal((await merchant.call('form.sessions.get', { session: idle.session })).state, 'ended')
  app.clock.advance(2000)
  assert.equal((await merchant.call('form.sessions.get', { session })).state, 'ended')
  assert.ok((await app.hosted.deleteOld()) >= 1)
})

test('a session belongs to its merchant, and no other text opens it', async () => {
  const [merchant, stranger] = [app.merchant(), app.merchant()]
  const { session } = await openSession(merchant)
  await verifyCard(merchant, await sendCard(app, merchant, session))
  for (const method of ['form.sessions.get', 'form.sessions.show', 'form.sessions.cancel'] as const) {
    assert.equal(await stranger.expectError(method, { session }), 'session_unknown')
    assert.equal(
      await merchant.expectError(method, { session: `${session.slice(0, -1)}${session.endsWith('a') ? 'b' : 'a'}` }),
      'session_unknown',
    )
    assert.equal(await merchant.expectError(method, { session: '' }), 'session_unknown')
  }
  const { bucket } = await app.hosted.find(session, merchant)
  const stored = await app.store.read(listFormCards({ bucket, sessionId: session.slice(0, 24) }))
  assert.equal(stored.length, 1)
  const token = (await merchant.call('form.sessions.get', { session })).card?.token ?? ''
  assert.ok(!Buffer.from(stored[0]?.sealed ?? []).includes(token.slice(25)), 'the row contains the token unsealed')
  const other = await openSession(merchant)
  await assert.rejects(app.hosted.tokensOf(other.session, await app.hosted.find(session, merchant)), { name: 'SealBrokenError' })
})

test('a card for a hosted session is accepted only from the hosted page: other origins are refused', async () => {
  const merchant = app.merchant()
  const { session } = await openSession(merchant)
  const form = await app.formDocuments.issue(merchant.merchantId, 'https://other.example')
  const made = await merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, form, session }, successPan)
  assert.equal(reasonOf(made), 'session_origin')
  const plain = await merchant.call('form.sessions.create', { origin, save: 'ask' })
  const hosted = await app.formDocuments.issue(merchant.merchantId, hostedOrigin)
  const wrong = await merchant.asPage(
    'cards.create',
    { card: { number: '', expire: '0399' }, form: hosted, session: plain.session },
    successPan,
  )
  assert.equal(reasonOf(wrong), 'session_origin', 'a session without a way back is for the merchant’s own page')
})

function reasonOf(reply: object): unknown {
  return (reply as { error?: { reason: string } }).error?.reason
}
