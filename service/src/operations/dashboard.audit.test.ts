import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { openSession } from '../testing/hosted-session.fixture.ts'
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

test('what a cardholder does in the form is shown as theirs, and not as of the service', async () => {
  const owner = await entrance.user('owner')
  const shop = app.merchant('spec', owner.merchantId)
  const { session } = await openSession(shop)
  app.clock.advance(1000)
  await shop.asPage('form.sessions.cancel', { session })
  const { entries } = await owner.call('dashboard.audit.list', { count: 1 })
  assert.deepEqual(
    entries.map(({ actor, action }) => [actor, action]),
    [['cardholder', 'form_session.cancelled']],
  )
})

test('the entries of a card are newest first, whether or not they have a version', async () => {
  const owner = await entrance.user('owner')
  const shop = app.merchant('spec', owner.merchantId)
  const token = await shop.createToken('8600495473316478')
  app.clock.advance(1000)
  await shop.call('cards.get_verify_code', { token })
  app.clock.advance(1000)
  await shop.call('cards.verify', { token, code: '666666' })
  const { entries, people } = await owner.call('dashboard.audit.list', { subject: token.slice(0, 24) })
  const times = entries.map(({ at }) => at)
  assert.deepEqual(
    times,
    times.toSorted((one, other) => other - one),
  )
  assert.ok(entries.some(({ action }) => action === 'code.dispatched'))
  assert.equal(entries[0]?.action, 'card.verified')
  assert.deepEqual(people, [])
})

test('the first page names every user of the merchant, also those without an entry on it, and no other', async () => {
  const owner = await entrance.user('owner')
  const reader = await entrance.user('read', owner.merchantId)
  await owner.call('dashboard.users.rename', { userId: reader.userId, name: 'Nodira' })
  await entrance.user('owner', '7'.repeat(24))
  const { people, next } = await reader.call('dashboard.audit.list', { count: 1 })
  assert.deepEqual(
    people.map(({ userId, name }) => [userId, name]).sort(),
    [
      [owner.userId, ''],
      [reader.userId, 'Nodira'],
    ].sort(),
  )
  assert.ok(people.every(({ phone }) => phone.includes('*')))
  assert.deepEqual((await reader.call('dashboard.audit.list', { count: 1, after: next })).people, [])
})

test('a failed sign-in is listed, and an invalid cursor is refused', async () => {
  const owner = await entrance.user('owner')
  const stranger = entrance.visitor()
  await stranger.expectError('dashboard.session.signIn', { phone: owner.phone, password: 'not it' })
  const { entries } = await owner.call('dashboard.audit.list', {})
  assert.ok(entries.some(({ actor }) => actor === 'visitor'))
  assert.equal(await owner.expectError('dashboard.audit.list', { after: 'nowhere' }), 'member_invalid')
})

test('an entry says what changed from what to what and from which address, and never a secret', async () => {
  const owner = await entrance.user('owner')
  const other = await entrance.user('read', owner.merchantId)
  await owner.call('dashboard.users.setRole', { userId: other.userId, role: 'support' })
  await owner.call('dashboard.settings.change', { requireFormSessions: true, origins: ['https://shop.example'] })
  const { password } = await owner.call('dashboard.passwords.rotate', { scope: 'cards' })
  const endpoint = await owner.call('dashboard.webhooks.add', { url: 'https://shop.example/hook?key=secret-of-the-shop' })
  const { entries } = await owner.call('dashboard.audit.list', { count: 100 })
  const actions = ['dashboard_user.role_changed', 'merchant.changed', 'merchant.password_rotated', 'webhook.added']
  const changed = actions.flatMap((each) => entries.filter(({ action }) => action === each))
  assert.deepEqual(
    changed.map(({ action, address, changes }) => [
      action,
      address,
      changes.map(({ name, from, to }) => `${name}: ${String(from)} → ${String(to)}`),
    ]),
    [
      ['dashboard_user.role_changed', '192.0.2.7', ['role: read → support']],
      ['merchant.changed', '192.0.2.7', ['origins: null → https://shop.example', 'require_form_sessions: false → true']],
      ['merchant.password_rotated', '192.0.2.7', ['credentials: 1 full → 2 cards, 1 full']],
      ['webhook.added', '192.0.2.7', ['url: null → https://shop.example/hook?…']],
    ],
  )
  assert.deepEqual(
    changed.map(({ subjectUser }) => subjectUser?.phone.slice(0, 3)),
    ['998', undefined, undefined, undefined],
    'an action on a user says which one',
  )
  const stored = JSON.stringify(await app.auditArchive.list({ merchantId: owner.merchantId, subject: null, count: 100 }))
  for (const secret of [password, endpoint.secret, 'secret-of-the-shop', owner.password]) assert.ok(!stored.includes(secret))
  assert.ok(stored.includes('https://shop.example/hook'), 'the control')
})

test('a background job has no address', async () => {
  const merchant = app.merchant()
  const cardId = (await merchant.createToken('8600495473316478')).slice(0, 24)
  app.clock.advance(3_600_000)
  await app.sweep.runOnce(new AbortController().signal)
  const entries = await app.auditArchive.list({ merchantId: merchant.merchantId, subject: cardId, count: 9 })
  assert.deepEqual(
    entries.map(({ actor, address }) => [actor.split(':')[0], address]),
    [
      ['system', ''],
      ['merchant', '127.0.0.1'],
    ],
  )
})

test('actions are found by person, kind and time, and a page that finds nothing has a next one while there is more', async () => {
  const owner = await entrance.user('owner')
  const developer = await entrance.user('developer', owner.merchantId)
  await owner.call('dashboard.users.rename', { userId: developer.userId, name: 'Jasur' })
  const began = app.clock.now()
  app.clock.advance(60_000)
  await developer.call('dashboard.settings.change', { origins: ['https://a.example'] })
  app.clock.advance(60_000)
  await owner.call('dashboard.settings.change', { origins: ['https://b.example'] })
  const list = async (filter: object) => (await owner.call('dashboard.audit.list', { count: 100, ...filter })).entries
  assert.deepEqual(
    (await list({ userId: developer.userId })).map(({ action, name }) => [action, name]),
    [
      ['merchant.changed', 'Jasur'],
      ['dashboard.signed_in', 'Jasur'],
    ],
  )
  assert.equal((await list({ action: 'merchant.changed' })).length, 2)
  assert.deepEqual(
    (await list({ from: began + 1, to: began + 60_001 })).map(({ userId }) => userId),
    [developer.userId],
  )
  assert.deepEqual(await list({ to: began + 60_000, action: 'merchant.changed' }), [])
  const first = await owner.call('dashboard.audit.list', { count: 1, action: 'merchant.changed' })
  const second = await owner.call('dashboard.audit.list', { count: 1, action: 'merchant.changed', after: first.next })
  assert.deepEqual([first.entries[0]?.userId, second.entries[0]?.userId], [owner.userId, developer.userId])
  const ended = await owner.call('dashboard.audit.list', { count: 1, action: 'merchant.changed', after: second.next })
  assert.deepEqual([ended.entries, ended.next], [[], null])
})
