import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { hostedOrigin } from '../testing/default-config.fixture.ts'
import { openSession, origin, sendCard, verifyCard } from '../testing/hosted-session.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'
import type { TestMerchant } from '../testing/test-merchant.fixture.ts'

const app = await createTestApp({ after })

test('a picked card completes the session, and the merchant’s server gets its id, not a token', async () => {
  const { merchant, session, ids } = await offer(2)
  const [first = '', second = ''] = ids
  assert.deepEqual(await choose(merchant, session, first, 'pick'), { state: 'done' })
  const { state, picked, card } = await merchant.call('form.sessions.get', { session })
  assert.deepEqual([state, picked, card], ['done', first, undefined])
  assert.deepEqual(await choose(merchant, session, first, 'pick'), { state: 'done' }, 'the same card again changes nothing')
  assert.equal(reasonOf(await choose(merchant, session, second, 'pick')), 'session_done')
  assert.equal(reasonOf(await choose(merchant, session, second, 'remove')), 'session_done')
  const late = await merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, session }, successPan)
  assert.equal(reasonOf(late), 'session_done')
  assert.deepEqual(await merchant.asPage('form.sessions.cancel', { session }), { state: 'done' })
})

test('a verified card in a form of the merchant’s own page does not complete the session: another card can be sent or picked', async () => {
  const merchant = app.merchant()
  const saved = await merchant.createVerifiedToken(successPan)
  const { session } = await merchant.call('form.sessions.create', { origin, save: 'ask', attempts: 2, cards: [saved.slice(0, 24)] })
  const send = () => merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, session }, successPan)
  for (let sent = 0; sent < 2; sent++) {
    const made = await send()
    await verifyCard(merchant, 'card' in made ? made.card.token : assert.fail(JSON.stringify(made)))
    app.clock.advance(70_000)
    assert.equal((await merchant.call('form.sessions.get', { session })).state, 'open')
  }
  assert.equal(reasonOf(await send()), 'session_used_up')
  const pick = { session, id: saved.slice(0, 24), action: 'pick' } as const
  assert.deepEqual(await merchant.asPage('form.sessions.choose', pick, null, origin), { state: 'done' })
  assert.equal(reasonOf(await send()), 'session_done')
})

test('of many picks at once one is recorded', async () => {
  const { merchant, session, ids } = await offer(5)
  const replies = await Promise.all(ids.map((id) => choose(merchant, session, id, 'pick')))
  assert.deepEqual(replies.map(reasonOf).sort(), [...Array.from({ length: 4 }, () => 'session_done'), undefined])
  const { picked } = await merchant.call('form.sessions.get', { session })
  assert.equal(picked, ids[replies.findIndex((reply) => reasonOf(reply) === undefined)])
})

test('a removal is a request: the form no longer offers the card, and it works until the server removes it', async () => {
  const { merchant, session, ids, tokens } = await offer(2)
  const [first = '', second = ''] = ids
  assert.deepEqual(await choose(merchant, session, first, 'remove'), { state: 'open' })
  assert.deepEqual(await choose(merchant, session, first, 'remove'), { state: 'open' })
  const shown = await merchant.asPage('form.sessions.show', { session })
  assert.deepEqual('cards' in shown ? shown.cards.map(({ id }) => id) : shown, [second])
  assert.equal(reasonOf(await choose(merchant, session, first, 'pick')), 'card_not_found')
  assert.deepEqual((await merchant.call('form.sessions.get', { session })).removals, [first])
  assert.equal((await merchant.call('cards.check', { token: tokens[0] ?? '' })).card.verify, true)
  await choose(merchant, session, second, 'pick')
  const { picked, removals } = await merchant.call('form.sessions.get', { session })
  assert.deepEqual([picked, removals], [second, [first]])
})

test('only a card that the session offers can be chosen: own, foreign, unknown and removed ids get one reply', async () => {
  const { merchant, session } = await offer(1)
  const stranger = app.merchant()
  const removed = await merchant.createVerifiedToken(successPan)
  await merchant.call('cards.remove', { token: removed })
  const others = [await merchant.createVerifiedToken(successPan), await stranger.createVerifiedToken(successPan), removed, 'f'.repeat(24)]
  for (const token of others) {
    for (const action of ['pick', 'remove'] as const) {
      const reply = await choose(merchant, session, token.slice(0, 24), action)
      assert.deepEqual(reply, await choose(merchant, session, 'f'.repeat(24), action))
      assert.equal(reasonOf(reply), 'card_not_found')
    }
  }
  assert.equal(reasonOf(await choose(stranger, session, removed.slice(0, 24), 'pick')), 'session_unknown')
})

test('a card that was removed after the session was created cannot be picked', async () => {
  const { merchant, session, ids, tokens } = await offer(1)
  await merchant.call('cards.remove', { token: tokens[0] ?? '' })
  assert.equal(reasonOf(await choose(merchant, session, ids[0] ?? '', 'pick')), 'card_not_found')
})

test('a choice needs an open session: not one that ended, was cancelled or has a verified card', async () => {
  const done = await offer(1)
  await verifyCard(done.merchant, await sendCard(app, done.merchant, done.session))
  assert.equal(reasonOf(await choose(done.merchant, done.session, done.ids[0] ?? '', 'pick')), 'session_done')
  const cancelled = await offer(1)
  await cancelled.merchant.asPage('form.sessions.cancel', { session: cancelled.session })
  assert.equal(reasonOf(await choose(cancelled.merchant, cancelled.session, cancelled.ids[0] ?? '', 'pick')), 'session_ended')
  const late = await offer(1)
  app.clock.advance(15 * 60_000)
  assert.equal(reasonOf(await choose(late.merchant, late.session, late.ids[0] ?? '', 'pick')), 'session_ended')
})

test('a choice is accepted from the session’s own page and form only', async () => {
  const { merchant, session, ids } = await offer(1)
  const id = ids[0] ?? ''
  const foreign = await app.formDocuments.issue(merchant.merchantId, 'https://other.example')
  for (const [form, from] of [
    [foreign, hostedOrigin],
    [null, 'https://other.example'],
  ] as const) {
    assert.equal(
      reasonOf(await merchant.asPage('form.sessions.choose', { session, id, action: 'pick', form }, null, from)),
      'session_origin',
    )
  }
  assert.equal((await merchant.call('form.sessions.get', { session })).state, 'open')
  const plain = await merchant.call('form.sessions.create', { origin, save: 'ask', cards: [id] })
  const reply = await merchant.asPage('form.sessions.choose', { session: plain.session, id, action: 'pick' }, null, origin)
  assert.deepEqual(reply, { state: 'done' })
  assert.equal((await merchant.call('form.sessions.get', { session: plain.session })).picked, id, 'a session without a return address')
})

async function offer(count: number) {
  const merchant = app.merchant()
  const tokens: string[] = []
  for (let made = 0; made < count; made++) tokens.push(await merchant.createVerifiedToken(successPan))
  const ids = tokens.map((token) => token.slice(0, 24))
  const { session } = await openSession(merchant, { cards: ids })
  return { merchant, session, ids, tokens }
}

async function choose(merchant: TestMerchant, session: string, id: string, action: 'pick' | 'remove') {
  const form = await app.formDocuments.issue(merchant.merchantId, hostedOrigin)
  return merchant.asPage('form.sessions.choose', { session, id, action, form }, null, hostedOrigin)
}

function reasonOf(reply: object): string | undefined {
  return (reply as { error?: { reason: string } }).error?.reason
}
