import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

test('password rotation has an overlap: both are accepted until the first is retired, and the last one cannot be retired', async () => {
  const owner = await entrance.user('owner')
  const isGood = async (password: string) => (await app.merchants.authenticate(`${owner.merchantId}:${password}`)).kind === 'server'
  const [first] = (await owner.call('dashboard.settings.get', {})).passwords
  assert.equal(await owner.expectError('dashboard.passwords.retire', { number: first?.number ?? 0 }), 'last_password')
  const { number, password } = await owner.call('dashboard.passwords.rotate', { scope: 'full' })
  assert.equal(await isGood(password), true)
  assert.equal(await owner.expectError('dashboard.passwords.rotate', { scope: 'full' }), 'two_passwords_live')
  assert.equal(await owner.expectError('dashboard.passwords.retire', { number: 99 }), 'setting_refused')
  await owner.call('dashboard.passwords.retire', { number: first?.number ?? 0 })
  assert.equal(await isGood(password), true)
  const { passwords } = await owner.call('dashboard.settings.get', {})
  assert.deepEqual(
    passwords.map((each) => [each.number, each.retiredAt === null]),
    [
      [number, true],
      [first?.number, false],
    ],
  )
  assert.ok(!JSON.stringify(passwords).includes(password))
})

test('a developer creates a password for cards only, which is refused for money; only an owner creates a full one', async () => {
  const developer = await entrance.user('developer')
  assert.equal(await developer.expectError('dashboard.passwords.rotate', { scope: 'full' }), 'role_too_low')
  const { password } = await developer.call('dashboard.passwords.rotate', { scope: 'cards' })
  const checked = await app.merchants.authenticate(`${developer.merchantId}:${password}`)
  assert.deepEqual([checked.kind, 'passwordScope' in checked && checked.passwordScope], ['server', 'cards'])
})

test('a password has a label from its beginning or later, which is in the audit', async () => {
  const owner = await entrance.user('owner')
  await owner.call('dashboard.passwords.rotate', { scope: 'cards', label: ' shop server ' })
  await owner.call('dashboard.passwords.rename', { number: 1, label: 'back office' })
  const { passwords } = await owner.call('dashboard.settings.get', {})
  assert.deepEqual(
    passwords.map(({ number, label }) => [number, label]),
    [
      [2, 'shop server'],
      [1, 'back office'],
    ],
  )
  const { entries } = await owner.call('dashboard.audit.list', { action: 'merchant.password_renamed' })
  assert.deepEqual(entries[0]?.changes, [
    { name: 'credentials', from: '2 cards “shop server”, 1 full', to: '2 cards “shop server”, 1 full “back office”' },
  ])
  assert.equal(await owner.expectError('dashboard.passwords.rename', { number: 9, label: 'x' }), 'setting_refused')
  assert.equal(await owner.expectError('dashboard.passwords.rename', { number: 1, label: 'two\nlines' }), 'member_invalid')
})
