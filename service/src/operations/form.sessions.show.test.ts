import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import type { TestMerchant } from '../testing/test-merchant.fixture.ts'
import { verifiedCard } from '../domain/cards/lifecycle.ts'
import { findCard, replaceCard } from '../store/cards.ts'
import { openSession, origin, returnTo, sendCard, verifyCard } from '../testing/hosted-session.fixture.ts'

const app = await createTestApp({ after })
const nothingShown = { amount: null, order: null, cards: [], picked: null }

test('the page gets its session in each state, without card data', async () => {
  const merchant = app.merchant()
  const { session, expires_at: endsAt } = await openSession(merchant, { save: 'off', locale: 'en' })
  const show = () => merchant.asPage('form.sessions.show', { session })
  assert.deepEqual(await show(), { state: 'open', expires_at: endsAt, return: returnTo, save: 'off', locale: 'en', ...nothingShown })
  const token = await sendCard(app, merchant, session, false)
  await verifyCard(merchant, token)
  const done = await show()
  assert.deepEqual(done, { state: 'done', expires_at: endsAt, return: returnTo, save: 'off', locale: 'en', ...nothingShown })
  assert.ok(!JSON.stringify(done).includes(token.slice(0, 24)))
  const own = await merchant.call('form.sessions.create', { origin, save: 'ask' })
  const shown = await merchant.asPage('form.sessions.show', { session: own.session })
  assert.equal('return' in shown ? shown.return : '', null, 'a session of a page of the merchant’s has no way back')
  app.clock.advance(15 * 60_000)
  const late = await merchant.asPage('form.sessions.show', { session: own.session })
  assert.equal('state' in late ? late.state : '', 'ended')
})

test('amount and order are shown as the merchant’s server gave them', async () => {
  const merchant = app.merchant()
  const { session } = await openSession(merchant, { amount: 125_000_00, order: 'Заказ № 197/б' })
  const shown = await merchant.asPage('form.sessions.show', { session })
  assert.deepEqual('amount' in shown ? [shown.amount, shown.order] : shown, [125_000_00, 'Заказ № 197/б'])
})

test('saved cards are shown by id and mask, in the merchant’s order, without token, expiry or customer', async () => {
  const merchant = app.merchant()
  const [first, second] = [await merchant.createVerifiedToken(successPan), await merchant.createVerifiedToken(ownCodePan)]
  const cards = [second, first].map(cardIdOf)
  const { session } = await openSession(merchant, { cards })
  const shown = await merchant.asPage('form.sessions.show', { session })
  assert.deepEqual('cards' in shown ? shown.cards : shown, [
    { id: cardIdOf(second), number: '8600***6478', expired: false },
    { id: cardIdOf(first), number: '8600***6311', expired: false },
  ])
  for (const token of [first, second]) assert.ok(!JSON.stringify(shown).includes(token.slice(25)))
  const long = await merchant.withProfile('subscribe').asPage('form.sessions.show', { session })
  assert.equal('cards' in long ? long.cards[0]?.number : '', '860049******6478')
})

test('cards that are not the payer’s saved, verified, live cards of this merchant are left out and stop nothing', async () => {
  const [merchant, stranger] = [app.merchant(), app.merchant()]
  const removed = await merchant.createVerifiedToken(successPan)
  await merchant.call('cards.remove', { token: removed })
  const left = [
    await stranger.createVerifiedToken(successPan),
    await sameBucket(merchant).createVerifiedToken(successPan),
    await merchant.createToken(successPan),
    await merchant.createVerifiedToken(successPan, { save: false }),
    await customerCard(merchant, 'c-2'),
    removed,
    'f'.repeat(24),
  ].map(cardIdOf)
  const offered = [await merchant.createVerifiedToken(successPan), await customerCard(merchant, 'c-1')].map(cardIdOf)
  const { session } = await openSession(merchant, { customer: 'c-1', cards: [...left, ...offered] })
  const shown = await merchant.asPage('form.sessions.show', { session })
  assert.deepEqual('cards' in shown ? shown.cards.map(({ id }) => id) : shown, offered)
})

test('an expired card is shown as expired, and no more once its number is deleted', async () => {
  const own = await createTestApp({ after })
  const merchant = own.merchant()
  const expire = ((at) => `${String(at.getUTCMonth() + 1).padStart(2, '0')}${String(at.getUTCFullYear() % 100)}`)(new Date(own.clock.now()))
  const token = await merchant.createToken(successPan, { expire })
  const row = await own.store.read(findCard({ ...merchant, cardId: cardIdOf(token) }))
  assert.ok(row !== null)
  const verified = await own.cards.rows.seal(verifiedCard(own.cards.settings, row, own.clock.now()))
  await own.store.write(replaceCard, verified)
  const show = async () => {
    const { session } = await openSession(merchant, { cards: [cardIdOf(token)] })
    const shown = await merchant.asPage('form.sessions.show', { session })
    return 'cards' in shown ? shown.cards : shown
  }
  own.clock.advance(32 * 24 * 3_600_000)
  assert.deepEqual(await show(), [{ id: cardIdOf(token), number: '8600***6311', expired: true }])
  own.clock.advance(62 * 24 * 3_600_000)
  assert.deepEqual(await show(), [])
})

async function customerCard(merchant: TestMerchant, customer: string): Promise<string> {
  const { card } = await merchant.call('cards.create', { card: { number: '', expire: '0399' }, save: true, customer }, successPan)
  await verifyCard(merchant, card.token)
  return card.token
}

/** One in 4,096 ids; found in a moment. */
function sameBucket(owner: TestMerchant): TestMerchant {
  for (;;) {
    const other = app.merchant()
    if (other.bucket === owner.bucket && other.merchantId !== owner.merchantId) return other
  }
}

function cardIdOf(token: string): string {
  return token.slice(0, 24)
}

const ownCodePan = '8600495473316478'
