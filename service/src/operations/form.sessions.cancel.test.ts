import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { openSession, sendCard, verifyCard } from '../testing/hosted-session.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'

const app = await createTestApp({ after })

test('a cancelled session accepts no card, and one with a verified card stays done', async () => {
  const merchant = app.merchant()
  const { session } = await openSession(merchant)
  assert.deepEqual(await merchant.asPage('form.sessions.cancel', { session }), { state: 'cancelled' })
  assert.equal((await merchant.call('form.sessions.get', { session })).state, 'cancelled')
  const late = await merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, session }, successPan)
  assert.equal(reasonOf(late), 'session_ended')
  const other = await openSession(merchant)
  await verifyCard(merchant, await sendCard(app, merchant, other.session))
  assert.deepEqual(await merchant.asPage('form.sessions.cancel', { session: other.session }), { state: 'done' })
  assert.equal((await merchant.call('form.sessions.get', { session: other.session })).state, 'done')
})

test('a cancellation is final: a card verified afterwards is not returned', async () => {
  const merchant = app.merchant()
  const { session } = await openSession(merchant)
  const token = await sendCard(app, merchant, session)
  await merchant.asPage('form.sessions.cancel', { session })
  app.clock.advance(1000)
  await verifyCard(merchant, token)
  assert.equal((await merchant.call('form.sessions.get', { session })).state, 'cancelled')
})

function reasonOf(reply: object): unknown {
  return (reply as { error?: { reason: string } }).error?.reason
}
