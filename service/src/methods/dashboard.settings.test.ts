import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { openEntrance } from '../dashboard/visitor.fixture.ts'

import { compose } from './compose.fixture.ts'

const house = await compose()
const entrance = openEntrance(house)
after(() => house.close())

const orderField = { name: 'order_id', title: { uz: 'Buyurtma', ru: 'Заказ', en: 'Order' }, required: true }

test('a developer changes what is given and nothing else, and the audit names the user and the members', async () => {
  const developer = await entrance.user('developer')
  const before = await developer.expect('dashboard.settings.get', {})
  assert.deepEqual([before.origins, before.accountFields, before.requireFormSessions, before.limits], [[], [], false, []])
  await developer.expect('dashboard.settings.change', { origins: ['https://shop.example'], accountFields: [orderField] })
  await developer.expect('dashboard.settings.change', { minAmountTiyin: 100, maxAmountTiyin: 5000, requireFormSessions: true })
  const after = await developer.expect('dashboard.settings.get', {})
  const changed = { origins: ['https://shop.example'], accountFields: [orderField], requireFormSessions: true }
  assert.deepEqual(after, { ...before, ...changed, minAmountTiyin: 100, maxAmountTiyin: 5000 })
  const entries = await house.store.listAuditOf(developer.merchantId, developer.merchantId, 10)
  assert.deepEqual(
    entries.filter(({ action }) => action === 'merchant.changed').map(({ actor, outcome }) => [actor, outcome]),
    [
      [`user:${developer.userId}`, 'minAmount maxAmount requireFormSessions'],
      [`user:${developer.userId}`, 'origins accountFields'],
    ],
  )
})

test('what cannot be set so is refused by a sentence, and nothing changes', async () => {
  const developer = await entrance.user('developer')
  const before = await developer.expect('dashboard.settings.get', {})
  for (const [wrong, says] of [
    [{ origins: ['https://shop.example/path'] }, /write https:\/\/shop\.example/],
    [{ origins: ['http://shop.example'] }, /An origin is https/],
    [{ accountFields: [orderField, orderField] }, /Two account fields/],
    [{ minAmountTiyin: 10, maxAmountTiyin: 9 }, /above the largest/],
    [{ origins: ['https://shop.example'], minAmountTiyin: 10, maxAmountTiyin: 9 }, /above the largest/],
  ] as const) {
    const { error } = await developer.call('dashboard.settings.change', wrong)
    assert.equal(error?.reason, 'setting_refused')
    assert.match(typeof error.data === 'string' ? error.data : '', says)
  }
  assert.deepEqual(await developer.expect('dashboard.settings.get', {}), before)
})

test('a password is rotated with an overlap: both are good, then the first is not, and the last one stays', async () => {
  const developer = await entrance.user('developer')
  const isGood = async (password: string) => (await house.merchants.authenticate(`${developer.merchantId}:${password}`)).kind === 'server'
  const [first] = (await developer.expect('dashboard.settings.get', {})).passwords
  assert.equal(await developer.refused('dashboard.passwords.retire', { number: first?.number ?? 0 }), 'last_password')
  const { number, password } = await developer.expect('dashboard.passwords.rotate', {})
  assert.equal(await isGood(password), true)
  assert.equal(await developer.refused('dashboard.passwords.rotate', {}), 'two_passwords_live')
  assert.equal(await developer.refused('dashboard.passwords.retire', { number: 99 }), 'setting_refused')
  await developer.expect('dashboard.passwords.retire', { number: first?.number ?? 0 })
  assert.equal(await isGood(password), true)
  const { passwords } = await developer.expect('dashboard.settings.get', {})
  assert.deepEqual(
    passwords.map((each) => [each.number, each.retiredAt === null]),
    [
      [number, true],
      [first?.number, false],
    ],
  )
  assert.ok(!JSON.stringify(passwords).includes(password))
})
