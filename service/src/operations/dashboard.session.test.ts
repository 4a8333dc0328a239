import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { userSettings } from '../domain/users/dependencies.ts'
import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { findDashboardSession } from '../store/dashboard-sessions.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

test('a session returns its user, and an unknown cookie returns none', async () => {
  const owner = await entrance.user('owner')
  const { session } = await owner.call('dashboard.session.get', {})
  assert.deepEqual([session?.userId, session?.merchantId, session?.role, session?.totp], [owner.userId, owner.merchantId, 'owner', false])
  assert.match(session?.phone ?? '', /^99800\*+[0-9]{2}$/)
  owner.cookie = `${owner.cookie?.slice(0, -1) ?? ''}${owner.cookie?.endsWith('A') === true ? 'B' : 'A'}`
  assert.equal((await owner.call('dashboard.session.get', {})).session, null)
  assert.equal(await owner.expectError('dashboard.session.list', {}), 'signed_out')
})

test('an unknown phone, a wrong password and a locked login get the same replies', async () => {
  const user = await entrance.user('read')
  const tell = async (phone: string, password: string): Promise<string> => {
    const { error } = await entrance.visitor().callRaw('dashboard.session.signIn', { phone, password })
    return JSON.stringify({ ...error })
  }
  for (let turn = 0; turn < userSettings.maxAttempts; turn++) {
    const unknown = await tell('998111111111', user.password)
    assert.match(unknown, /sign_in_refused/)
    assert.equal(await tell(user.phone, 'wrong'), unknown)
  }
  const locked = await tell('998111111111', user.password)
  assert.match(locked, /sign_in_locked/)
  assert.equal(await tell(user.phone, user.password), locked)
  user.device = null
  app.clock.advance(userSettings.lockMs)
  assert.equal(await user.signIn(), null)
})

test('a session ends after its idle time, and after twelve hours even if active', async () => {
  const { idleMs, absoluteMs } = userSettings
  const user = await entrance.user('read')
  app.clock.advance(idleMs - 1)
  await user.call('dashboard.session.list', {})
  app.clock.advance(idleMs - 1)
  await user.call('dashboard.session.list', {})
  app.clock.advance(idleMs)
  assert.equal(await user.expectError('dashboard.session.list', {}), 'signed_out')
  await user.signIn()
  for (let passed = 0; passed + idleMs - 1 < absoluteMs; passed += idleMs - 1) {
    await user.call('dashboard.session.list', {})
    app.clock.advance(idleMs - 1)
  }
  app.clock.advance(idleMs - 1)
  assert.equal(await user.expectError('dashboard.session.list', {}), 'signed_out')
})

test('a call without the CSRF token of its session, or with another one, is refused', async () => {
  const [user, other] = [await entrance.user('owner'), await entrance.user('owner')]
  for (const csrf of [null, '', other.csrf]) {
    user.csrf = csrf
    assert.equal(await user.expectError('dashboard.session.list', {}), 'not_from_dashboard')
  }
})

test('a user can end one or all of its own sessions, and no others', async () => {
  const [user, other] = [await entrance.user('read'), await entrance.user('read')]
  const here = user.cookie
  await user.signIn()
  const { sessions } = await user.call('dashboard.session.list', {})
  assert.deepEqual(sessions.map(({ current }) => current).toSorted(), [false, true])
  const [foreign] = (await other.call('dashboard.session.list', {})).sessions
  assert.deepEqual(await user.call('dashboard.session.signOut', { sessionId: foreign?.sessionId ?? '' }), { success: false })
  await user.call('dashboard.session.signOut', { sessionId: here?.slice(0, 24) ?? '' })
  assert.equal((await user.call('dashboard.session.list', {})).sessions.length, 1)
  assert.deepEqual(await user.call('dashboard.session.signOutEverywhere', {}), { ended: 1 })
  assert.equal(await user.expectError('dashboard.session.list', {}), 'signed_out')
  await other.call('dashboard.session.list', {})
})

test('the stored row of a session does not allow signing in', async () => {
  const user = await entrance.user('read')
  const stored = await app.store.read(findDashboardSession(user.cookie?.slice(0, 24) ?? ''))
  assert.ok(stored !== null && !JSON.stringify(stored).includes(user.cookie?.slice(25) ?? ''))
})

test('a session says when it ends, and is alive until then', async () => {
  const user = await entrance.user('read')
  const lifetime = async () => (await user.call('dashboard.session.get', {})).session?.lifetime
  assert.deepEqual(await lifetime(), { idleMs: userSettings.idleMs - 60_000, leftMs: userSettings.absoluteMs })
  // A call that is not recorded, and then none for the time that it said.
  app.clock.advance(59_000)
  const { idleMs = 0 } = (await lifetime()) ?? {}
  app.clock.advance(idleMs - 1)
  assert.equal((await lifetime())?.leftMs, userSettings.absoluteMs - 59_000 - idleMs + 1)
})
