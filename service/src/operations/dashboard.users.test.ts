import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient, type DashboardUser } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { findDashboardUser, updateDashboardUser } from '../store/dashboard-users.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

test('an owner creates users, changes roles, blocks and unblocks; a block ends the sessions', async () => {
  const owner = await entrance.user('owner')
  const { userId } = await owner.call('dashboard.users.create', { phone: '998555555555', role: 'read' })
  assert.equal(await owner.expectError('dashboard.users.create', { phone: '998555555555', role: 'read' }), 'phone_taken')
  await owner.call('dashboard.users.setRole', { userId, role: 'support' })
  const { users } = await owner.call('dashboard.users.list', {})
  assert.deepEqual(users.map(({ role }) => role).toSorted(), ['owner', 'support'])
  const fresh = entrance.visitor(owner.merchantId)
  const { password } = await owner.call('dashboard.users.resetPassword', { userId })
  Object.assign(fresh, { phone: '998555555555', password })
  await fresh.signIn()
  await owner.call('dashboard.users.block', { userId, blocked: true })
  assert.equal((await fresh.call('dashboard.session.get', {})).session, null)
  assert.equal(await fresh.expectError('dashboard.session.signIn', { phone: fresh.phone, password }), 'sign_in_refused')
  await owner.call('dashboard.users.block', { userId, blocked: false })
  assert.equal(await fresh.signIn(), null)
})

test('the last owner cannot lose the role, and no user can block itself', async () => {
  const owner = await entrance.user('owner')
  const { userId } = owner
  assert.equal(await owner.expectError('dashboard.users.setRole', { userId, role: 'read' }), 'last_owner')
  const second = await entrance.user('owner', owner.merchantId)
  assert.equal(await owner.expectError('dashboard.users.block', { userId, blocked: true }), 'last_owner')
  await second.call('dashboard.users.block', { userId, blocked: true })
})

test('two owners who take each other’s role away, or block each other, at the same time leave one', async () => {
  for (let round = 0; round < 20; round++) {
    const first = await entrance.user('owner')
    const second = await entrance.user('owner', first.merchantId)
    const takeAway = (by: DashboardUser, from: DashboardUser): Promise<unknown> =>
      round % 2 === 0
        ? by.call('dashboard.users.setRole', { userId: from.userId, role: 'read' })
        : by.call('dashboard.users.block', { userId: from.userId, blocked: true })
    await Promise.allSettled([takeAway(first, second), takeAway(second, first)])
    const rows = await Promise.all([first, second].map(({ userId }) => app.store.read(findDashboardUser(userId))))
    assert.equal(rows.filter((row) => row?.role === 'owner' && row.state === 'active').length, 1, `round ${round}`)
  }
})

test('a user of another merchant is not found', async () => {
  const [owner, other] = [await entrance.user('owner'), await entrance.user('read')]
  const { userId } = other
  assert.equal(await owner.expectError('dashboard.users.setRole', { userId, role: 'support' }), 'user_not_found')
  assert.equal(await owner.expectError('dashboard.users.block', { userId, blocked: true }), 'user_not_found')
  assert.equal(await owner.expectError('dashboard.users.resetPassword', { userId }), 'user_not_found')
})

test('a role changed in the database without the keys gives no access', async () => {
  const user = await entrance.user('read')
  const row = (await app.store.read(findDashboardUser(user.userId))) ?? assert.fail('the user is there')
  const note = { at: 0, actor: 'thief', action: 'x', merchantId: '', subject: '', version: 0, mac: row.mac, requestId: '', outcome: '' }
  await app.store.write(updateDashboardUser, {
    user: { ...row, role: 'owner', version: row.version + 1 },
    endSessions: null,
    needsOtherOwner: false,
    audit: note,
  })
  assert.equal(await user.expectError('dashboard.users.list', {}), 'signed_out')
  assert.deepEqual(app.alarms, [`row_tampered ${user.merchantId}`])
})

test('a user has a name, factors and a last sign-in in the list, and a name ends no session', async () => {
  const owner = await entrance.user('owner')
  const { userId } = await owner.call('dashboard.users.create', { phone: '998555000001', role: 'support', name: '  Dilnoza Karimova ' })
  const view = async () => (await owner.call('dashboard.users.list', {})).users.find((user) => user.userId === userId)
  assert.deepEqual(
    [(await view())?.name, (await view())?.lastSignInAt, (await view())?.passkeys, (await view())?.totp],
    ['Dilnoza Karimova', null, 0, false],
  )
  const person = entrance.visitor(owner.merchantId)
  Object.assign(person, { phone: '998555000001', password: (await owner.call('dashboard.users.resetPassword', { userId })).password })
  assert.equal(await person.signIn(), null)
  assert.equal((await view())?.lastSignInAt, app.clock.now())
  await owner.call('dashboard.users.rename', { userId, name: 'D. Karimova' })
  assert.equal((await view())?.name, 'D. Karimova')
  assert.notEqual((await person.call('dashboard.session.get', {})).session, null)
  const [entry] = (await owner.call('dashboard.audit.list', { subject: userId })).entries
  assert.equal(entry?.action, 'dashboard_user.renamed')
})

test('a deleted user is signed out at once and cannot sign in; the phone is free, and the audit is whole', async (t) => {
  const own = await createTestApp(t)
  const users = createDashboardClient(own)
  const owner = await users.user('owner')
  const person = await users.user('support', owner.merchantId)
  await owner.call('dashboard.users.delete', { userId: person.userId })
  assert.equal((await person.call('dashboard.session.get', {})).session, null)
  assert.equal(await person.expectError('dashboard.session.signIn', { phone: person.phone, password: person.password }), 'sign_in_refused')
  assert.deepEqual(
    (await owner.call('dashboard.users.list', {})).users.map(({ userId }) => userId),
    [owner.userId],
  )
  await owner.call('dashboard.users.create', { phone: person.phone, role: 'read' })
  assert.equal(await owner.expectError('dashboard.users.delete', { userId: person.userId }), 'user_not_found')
  assert.equal(await owner.expectError('dashboard.users.delete', { userId: owner.userId }), 'last_owner')
  const { entries } = await owner.call('dashboard.audit.list', { subject: person.userId })
  assert.equal(entries[0]?.action, 'dashboard_user.deleted')
  assert.deepEqual((await own.verifyAudit()).findings, [])
})

test('an owner deletes another owner, and of two who delete each other at the same time one is left', async () => {
  for (let round = 0; round < 5; round++) {
    const first = await entrance.user('owner')
    const second = await entrance.user('owner', first.merchantId)
    await Promise.allSettled([
      first.call('dashboard.users.delete', { userId: second.userId }),
      second.call('dashboard.users.delete', { userId: first.userId }),
    ])
    const rows = await Promise.all([first, second].map(({ userId }) => app.store.read(findDashboardUser(userId))))
    assert.equal(rows.filter((row) => row !== null).length, 1, `round ${round}`)
  }
})
