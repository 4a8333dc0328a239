import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

test('password rotation has an overlap: both are accepted until the first is retired, and the last one cannot be retired', async () => {
  const developer = await entrance.user('developer')
  const isGood = async (password: string) => (await app.merchants.authenticate(`${developer.merchantId}:${password}`)).kind === 'server'
  const [first] = (await developer.call('dashboard.settings.get', {})).passwords
  assert.equal(await developer.expectError('dashboard.passwords.retire', { number: first?.number ?? 0 }), 'last_password')
  const { number, password } = await developer.call('dashboard.passwords.rotate', {})
  assert.equal(await isGood(password), true)
  assert.equal(await developer.expectError('dashboard.passwords.rotate', {}), 'two_passwords_live')
  assert.equal(await developer.expectError('dashboard.passwords.retire', { number: 99 }), 'setting_refused')
  await developer.call('dashboard.passwords.retire', { number: first?.number ?? 0 })
  assert.equal(await isGood(password), true)
  const { passwords } = await developer.call('dashboard.settings.get', {})
  assert.deepEqual(
    passwords.map((each) => [each.number, each.retiredAt === null]),
    [
      [number, true],
      [first?.number, false],
    ],
  )
  assert.ok(!JSON.stringify(passwords).includes(password))
})
