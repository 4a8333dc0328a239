import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { openSession, origin, returnTo, sendCard, verifyCard } from '../testing/hosted-session.fixture.ts'

const app = await createTestApp({ after })

test('the page gets its session in each state, without card data', async () => {
  const merchant = app.merchant()
  const { session, expires_at: endsAt } = await openSession(merchant, { save: 'off', locale: 'en' })
  const show = () => merchant.asPage('form.sessions.show', { session })
  assert.deepEqual(await show(), { state: 'open', expires_at: endsAt, return: returnTo, save: 'off', locale: 'en' })
  const token = await sendCard(app, merchant, session, false)
  await verifyCard(merchant, token)
  const done = await show()
  assert.deepEqual(done, { state: 'done', expires_at: endsAt, return: returnTo, save: 'off', locale: 'en' })
  assert.ok(!JSON.stringify(done).includes(token.slice(0, 24)))
  const own = await merchant.call('form.sessions.create', { origin, save: 'ask' })
  const shown = await merchant.asPage('form.sessions.show', { session: own.session })
  assert.equal('return' in shown ? shown.return : '', null, 'a session of a page of the merchant’s has no way back')
  app.clock.advance(15 * 60_000)
  const late = await merchant.asPage('form.sessions.show', { session: own.session })
  assert.equal('state' in late ? late.state : '', 'ended')
})
