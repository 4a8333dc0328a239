import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { openEntrance } from '../dashboard/visitor.fixture.ts'

import { compose } from './compose.fixture.ts'

const house = await compose()
const entrance = openEntrance(house)
after(() => house.close())

test('an owner makes users, gives roles, blocks and lets in again; a block ends the sessions', async () => {
  const owner = await entrance.user('owner')
  const { userId } = await owner.expect('dashboard.users.create', { phone: '998555555555', role: 'read' })
  assert.equal(await owner.refused('dashboard.users.create', { phone: '998555555555', role: 'read' }), 'phone_taken')
  await owner.expect('dashboard.users.setRole', { userId, role: 'support' })
  const { users } = await owner.expect('dashboard.users.list', {})
  assert.deepEqual(users.map(({ role }) => role).toSorted(), ['owner', 'support'])
  const fresh = entrance.visitor(owner.merchantId)
  const { password } = await owner.expect('dashboard.users.resetPassword', { userId })
  Object.assign(fresh, { phone: '998555555555', password })
  await fresh.signIn()
  await owner.expect('dashboard.users.block', { userId, blocked: true })
  assert.equal((await fresh.expect('dashboard.session.get', {})).session, null)
  assert.equal(await fresh.refused('dashboard.session.signIn', { phone: fresh.phone, password }), 'sign_in_refused')
  await owner.expect('dashboard.users.block', { userId, blocked: false })
  assert.equal(await fresh.signIn(), null)
})

test('the last owner stays one, and nobody blocks himself', async () => {
  const owner = await entrance.user('owner')
  const { userId } = owner
  assert.equal(await owner.refused('dashboard.users.setRole', { userId, role: 'read' }), 'last_owner')
  const second = await entrance.user('owner', owner.merchantId)
  assert.equal(await owner.refused('dashboard.users.block', { userId, blocked: true }), 'last_owner')
  await second.expect('dashboard.users.block', { userId, blocked: true })
})

test('a user of another merchant is not there', async () => {
  const [owner, other] = [await entrance.user('owner'), await entrance.user('read')]
  const { userId } = other
  assert.equal(await owner.refused('dashboard.users.setRole', { userId, role: 'support' }), 'user_not_found')
  assert.equal(await owner.refused('dashboard.users.block', { userId, blocked: true }), 'user_not_found')
  assert.equal(await owner.refused('dashboard.users.resetPassword', { userId }), 'user_not_found')
})

test('a role that somebody wrote into the database lets nobody in', async () => {
  const user = await entrance.user('read')
  const row = (await house.store.findDashboardUser(user.userId)) ?? assert.fail('the user is there')
  const note = { at: 0, actor: 'thief', action: 'x', merchantId: '', subject: '', version: 0, mac: row.mac, requestId: '', outcome: '' }
  await house.store.changeDashboardUser({ ...row, role: 'owner', version: row.version + 1 }, null, note)
  assert.equal(await user.refused('dashboard.users.list', {}), 'signed_out')
  assert.deepEqual(house.alarms, [`row_tampered ${user.merchantId}`])
})
