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

test('the page is told what its session is for, in each of its states, and no card of it', async () => {
  const merchant = house.caller()
  const { session, expires_at: endsAt } = await open(merchant, { save: 'off', locale: 'en' })
  const show = () => merchant.asPage('form.sessions.show', { session })
  assert.deepEqual(await show(), { state: 'open', expires_at: endsAt, return: returnTo, save: 'off', locale: 'en' })
  const token = await send(merchant, session, false)
  await verify(merchant, token)
  const done = await show()
  assert.deepEqual(done, { state: 'done', expires_at: endsAt, return: returnTo, save: 'off', locale: 'en' })
  assert.ok(!JSON.stringify(done).includes(token.slice(0, 24)))
  const own = await merchant.expect('form.sessions.create', { origin, save: 'ask' })
  const shown = await merchant.asPage('form.sessions.show', { session: own.session })
  assert.equal('return' in shown ? shown.return : '', null, 'a session of a page of the merchant’s has no way back')
  house.clock.advance(15 * 60_000)
  const late = await merchant.asPage('form.sessions.show', { session: own.session })
  assert.equal('state' in late ? late.state : '', 'ended')
})
