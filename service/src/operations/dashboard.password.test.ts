import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

test('a password change requires the current one, ends the other sessions, and the old one is no longer accepted', async () => {
  const user = await entrance.user('read')
  const elsewhere = { ...user }
  await user.signIn()
  const change = (password: string, newPassword: string) => ({ password, newPassword })
  assert.equal(await user.expectError('dashboard.password.change', change('wrong', 'another good password')), 'password_wrong')
  for (const weak of ['short', user.password]) {
    assert.equal(await user.expectError('dashboard.password.change', change(user.password, weak)), 'password_weak')
  }
  await user.call('dashboard.password.change', change(user.password, 'another good password'))
  await user.call('dashboard.session.list', {})
  assert.equal(await app.dashboard.sessions.find(elsewhere.cookie), null)
  const signIn = { phone: user.phone, password: user.password }
  assert.equal(await user.expectError('dashboard.session.signIn', signIn), 'sign_in_refused')
  user.password = 'another good password'
  assert.equal(await user.signIn(), null)
})

test('a user with a one-time password can do nothing before changing it', async () => {
  const owner = await entrance.user('owner')
  const { password } = await owner.call('dashboard.users.create', { phone: '998777777777', role: 'support' })
  const fresh = entrance.visitor(owner.merchantId)
  Object.assign(fresh, { phone: '998777777777', password })
  await fresh.signIn()
  assert.equal(await fresh.expectError('dashboard.cards.list', {}), 'password_must_change')
  await fresh.call('dashboard.password.change', { password, newPassword: 'a password of my own' })
  await fresh.call('dashboard.cards.list', {})
})
