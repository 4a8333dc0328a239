import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

test('a merchant sees the actions of its users but not of API calls; for one card it sees all', async () => {
  const owner = await entrance.user('owner')
  const shop = app.merchant('spec', owner.merchantId)
  const token = await shop.createToken('8600495473316478')
  const cardId = token.slice(0, 24)
  app.clock.advance(1000)
  await owner.call('dashboard.cards.remove', { cardId })
  app.clock.advance(1000)
  await owner.call('dashboard.settings.change', { requireFormSessions: true })
  const { entries, next } = await owner.call('dashboard.audit.list', { count: 2 })
  assert.deepEqual(
    entries.map(({ actor, action, subject, userId }) => [actor, action, subject, userId]),
    [
      ['user', 'merchant.changed', owner.merchantId, owner.userId],
      ['user', 'card.removed', cardId, owner.userId],
    ],
  )
  assert.match(entries[0]?.phone ?? '', /\*/)
  assert.match(entries[0]?.proof ?? '', /^[0-9a-f]{64}$/)
  const rest = await owner.call('dashboard.audit.list', { count: 100, after: next })
  const actions = rest.entries.map(({ action }) => action)
  assert.ok(actions.length >= 2 && !actions.includes('card.created') && !actions.includes('card.removed'), actions.join())
  assert.equal(rest.next, null)
  const ofCard = await owner.call('dashboard.audit.list', { subject: cardId })
  assert.deepEqual(
    ofCard.entries.map(({ actor, action }) => [actor, action]),
    [
      ['user', 'card.removed'],
      ['merchant', 'card.created'],
    ],
  )
})

test('a failed sign-in is listed, and an invalid cursor is refused', async () => {
  const owner = await entrance.user('owner')
  const stranger = entrance.visitor()
  await stranger.expectError('dashboard.session.signIn', { phone: owner.phone, password: 'not it' })
  const { entries } = await owner.call('dashboard.audit.list', {})
  assert.ok(entries.some(({ actor }) => actor === 'visitor'))
  assert.equal(await owner.expectError('dashboard.audit.list', { after: 'nowhere' }), 'member_invalid')
})
