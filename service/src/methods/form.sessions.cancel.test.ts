import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { compose, hostedOrigin, type Caller } from './compose.fixture.ts'
import { successPan } from './receipts.fixture.ts'

const house = await compose()
after(() => house.close())

const origin = 'https://shop.example'
const returnTo = 'https://shop.example/cards?order=1'

function open(merchant: Caller, other: object = {}) {
  return merchant.expect('form.sessions.create', { origin, save: 'ask', return: returnTo, ...other })
}

/** A card as the hosted page sends it: from a document that was made for the form's own origin. */
async function send(merchant: Caller, session: string, save = true): Promise<string> {
  const form = await house.served.issue(merchant.merchantId, hostedOrigin)
  const made = await merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, save, form, session }, successPan)
  return 'card' in made ? made.card.token : assert.fail(JSON.stringify(made))
}

async function verify(merchant: Caller, token: string): Promise<void> {
  await merchant.expect('cards.get_verify_code', { token })
  await merchant.expect('cards.verify', { token, code: '666666' })
}

test('a session that was turned back from takes no card, and one whose card was verified stays done', async () => {
  const merchant = house.caller()
  const { session } = await open(merchant)
  assert.deepEqual(await merchant.asPage('form.sessions.cancel', { session }), { state: 'cancelled' })
  assert.equal((await merchant.expect('form.sessions.get', { session })).state, 'cancelled')
  const late = await merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, session }, successPan)
  assert.equal(reasonOf(late), 'session_ended')
  const other = await open(merchant)
  await verify(merchant, await send(merchant, other.session))
  assert.deepEqual(await merchant.asPage('form.sessions.cancel', { session: other.session }), { state: 'done' })
  assert.equal((await merchant.expect('form.sessions.get', { session: other.session })).state, 'done')
})

test('turning back is the last word: a card that is verified afterwards is not told', async () => {
  const merchant = house.caller()
  const { session } = await open(merchant)
  const token = await send(merchant, session)
  await merchant.asPage('form.sessions.cancel', { session })
  house.clock.advance(1000)
  await verify(merchant, token)
  assert.equal((await merchant.expect('form.sessions.get', { session })).state, 'cancelled')
})

function reasonOf(reply: object): unknown {
  return (reply as { error?: { reason: string } }).error?.reason
}
