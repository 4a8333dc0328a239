import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { compose } from './compose.fixture.ts'
import { openSession, sendCard, verifyCard } from './hosted-session.fixture.ts'
import { successPan } from './receipts.fixture.ts'

const house = await compose()
after(() => house.close())

test('a session that was turned back from takes no card, and one whose card was verified stays done', async () => {
  const merchant = house.caller()
  const { session } = await openSession(merchant)
  assert.deepEqual(await merchant.asPage('form.sessions.cancel', { session }), { state: 'cancelled' })
  assert.equal((await merchant.expect('form.sessions.get', { session })).state, 'cancelled')
  const late = await merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, session }, successPan)
  assert.equal(reasonOf(late), 'session_ended')
  const other = await openSession(merchant)
  await verifyCard(merchant, await sendCard(house, merchant, other.session))
  assert.deepEqual(await merchant.asPage('form.sessions.cancel', { session: other.session }), { state: 'done' })
  assert.equal((await merchant.expect('form.sessions.get', { session: other.session })).state, 'done')
})

test('turning back is the last word: a card that is verified afterwards is not told', async () => {
  const merchant = house.caller()
  const { session } = await openSession(merchant)
  const token = await sendCard(house, merchant, session)
  await merchant.asPage('form.sessions.cancel', { session })
  house.clock.advance(1000)
  await verifyCard(merchant, token)
  assert.equal((await merchant.expect('form.sessions.get', { session })).state, 'cancelled')
})

function reasonOf(reply: object): unknown {
  return (reply as { error?: { reason: string } }).error?.reason
}
