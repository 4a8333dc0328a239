import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { makePng } from '../domain/merchants/png.fixture.ts'
import { listAuditOfSubject } from '../store/audit.ts'
import { findMerchantLogo, replaceMerchantLogo } from '../store/merchant-logos.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

const orderField = { name: 'order_id', title: { uz: 'Buyurtma', ru: 'Заказ', en: 'Order' }, required: true }

test('a developer changes only the given settings, and the audit has the user and the names of the members', async () => {
  const developer = await entrance.user('developer')
  const before = await developer.call('dashboard.settings.get', {})
  assert.deepEqual([before.origins, before.accountFields, before.requireFormSessions, before.limits], [[], [], false, []])
  await developer.call('dashboard.settings.change', { origins: ['https://shop.example'], accountFields: [orderField] })
  await developer.call('dashboard.settings.change', { minAmountTiyin: 100, maxAmountTiyin: 5000, requireFormSessions: true })
  const after = await developer.call('dashboard.settings.get', {})
  const changed = { origins: ['https://shop.example'], accountFields: [orderField], requireFormSessions: true }
  assert.deepEqual(after, { ...before, ...changed, minAmountTiyin: 100, maxAmountTiyin: 5000 })
  const entries = await app.store.read(listAuditOfSubject(developer.merchantId, developer.merchantId, 10))
  assert.deepEqual(
    entries.filter(({ action }) => action === 'merchant.changed').map(({ actor, outcome }) => [actor, outcome]),
    [
      [`user:${developer.userId}`, 'minAmount maxAmount requireFormSessions'],
      [`user:${developer.userId}`, 'origins accountFields'],
    ],
  )
})

test('an invalid setting is refused with an explanation, and nothing changes', async () => {
  const developer = await entrance.user('developer')
  const before = await developer.call('dashboard.settings.get', {})
  for (const [wrong, says] of [
    [{ origins: ['https://shop.example/path'] }, /write https:\/\/shop\.example/],
    [{ origins: ['http://shop.example'] }, /An origin is https/],
    [{ accountFields: [orderField, orderField] }, /Two account fields/],
    [{ minAmountTiyin: 10, maxAmountTiyin: 9 }, /exceed the maximum/],
    [{ origins: ['https://shop.example'], minAmountTiyin: 10, maxAmountTiyin: 9 }, /exceed the maximum/],
  ] as const) {
    const { error } = await developer.callRaw('dashboard.settings.change', wrong)
    assert.equal(error?.reason, 'setting_refused')
    assert.match(typeof error.data === 'string' ? error.data : '', says)
  }
  assert.deepEqual(await developer.call('dashboard.settings.get', {}), before)
})

test('a logo and a color are set, replaced and removed; an image that is changed in the database is not served', async () => {
  const developer = await entrance.user('developer')
  const { merchantId } = developer
  const findLogo = () => app.merchants.administration.findLogo(merchantId)
  await developer.call('dashboard.settings.change', { brandColor: '#0A7D5A', logo: makePng({}).toString('base64') })
  const { brandColor, logo } = await developer.call('dashboard.settings.get', {})
  assert.deepEqual([brandColor, logo], ['#0a7d5a', (await findLogo())?.png.toString('base64')])
  const { error } = await developer.callRaw('dashboard.settings.change', { logo: Buffer.from('<svg/>').toString('base64') })
  assert.equal(error?.reason, 'setting_refused')
  assert.deepEqual((await findLogo())?.png.toString('base64'), logo)
  await app.store.write(replaceMerchantLogo, { merchantId, png: new Uint8Array(makePng({ width: 65 })), storedAt: 0 })
  assert.equal(await findLogo(), null)
  await developer.call('dashboard.settings.change', { brandColor: '', logo: null })
  const removed = await developer.call('dashboard.settings.get', {})
  assert.deepEqual([removed.brandColor, removed.logo, await app.store.read(findMerchantLogo(merchantId))], ['', null, null])
})
