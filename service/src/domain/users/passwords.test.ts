import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../../testing/test-app.fixture.ts'

import { makeDashboard } from './dashboard.ts'
import { userSettings } from './dependencies.ts'
import { makeDashboardPasswords } from './passwords.ts'
import { createDashboardClient } from '../../testing/dashboard-user.fixture.ts'
import { claimSignInAttempt } from '../../store/dashboard-users.ts'

const app = await createTestApp({ after })
const users = createDashboardClient(app)

/** Records each derivation by its log2 of N. A derivation completes when the test calls `completeNext`. */
function makeCountedPasswords(cost: number) {
  const costs: number[] = []
  const waiting: (() => void)[] = []
  const passwords = makeDashboardPasswords({
    cost,
    derive: (_password, { cost: logN }) => {
      costs.push(logN)
      return new Promise((resolve) => waiting.push(() => resolve(Buffer.alloc(32, 1))))
    },
  })
  return { costs, passwords, completeNext: () => waiting.shift()?.(), turn: () => new Promise((resolve) => setImmediate(resolve)) }
}

test('an unknown phone, a wrong password, a closed login and a blocked user cost one slow hash each, of the same settings', async () => {
  const [closed, blocked, open] = [await users.user('read'), await users.user('read'), await users.user('read')]
  const { maxAttempts, lockMs } = userSettings
  for (let turn = 0; turn < maxAttempts; turn++) {
    await app.store.write(claimSignInAttempt, { userId: closed.userId, now: app.clock.now(), maxAttempts, lockMs })
  }
  await app.dashboard.users.setBlocked(blocked, true, { actor: 'operator', requestId: '' })
  const { costs, passwords, completeNext, turn } = makeCountedPasswords(4)
  const { store, keyring, clock, environment } = app
  const alarm = (): void => assert.fail('nothing was tampered with')
  const dashboard = makeDashboard({ store, keyring, clock, environment, alarm, settings: userSettings, passwords })
  for (const phone of ['998222222222', open.phone, closed.phone, blocked.phone]) {
    const attempt = { phone, password: 'wrong', code: null, requestId: '', userAgent: '', address: '' }
    const refused = assert.rejects(dashboard.signIn(attempt), { entry: 'signInRefused' })
    const before = costs.length
    while (costs.length === before) await turn()
    completeNext()
    await refused
  }
  assert.deepEqual(costs, [4, 4, 4, 4])
})

test('one slow hash runs and eight wait; the tenth is refused at once with a retry time, and all the others complete', async () => {
  const { costs, passwords, completeNext, turn } = makeCountedPasswords(4)
  const pending = Array.from({ length: 9 }, () => passwords.isRight('a password', null))
  await assert.rejects(passwords.isRight('a password', null), { entry: 'overloaded', retryAfterMs: 2000 })
  await turn()
  assert.equal(costs.length, 1)
  for (let served = 1; served <= 9; served++) {
    completeNext()
    await pending[served - 1]
    await turn()
  }
  assert.deepEqual([(await Promise.all(pending)).some((isRight) => isRight), costs.length], [false, 9])
  const later = passwords.isRight('a password', null)
  await turn()
  completeNext()
  assert.equal(await later, false)
})
