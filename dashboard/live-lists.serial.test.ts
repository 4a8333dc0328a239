import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { openDashboard, type OpenDashboard } from './dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('every list that is newest first has a live switch, also when it is empty, and shows what is new by itself while it is on', async () => {
  const create = async (): Promise<string> =>
    ((await dashboard.api('receipts.create', { amount: 5_000_000, account: {} })) as { receipt: { _id: string } }).receipt._id
  const page = await dashboard.open('receipts?status=expired')
  await page.getByText('No receipts match').waitFor()
  assert.equal(await page.getByLabel('Live').count(), 1)
  await page.goto(`${dashboard.origin}/dashboard/receipts`)
  const before = await create()
  await page.reload()
  await page.locator(`a[href$="/receipts/${before}"]`).waitFor()
  await page.waitForTimeout(2500)
  const unseen = await create()
  await page.waitForTimeout(2500)
  assert.equal(await page.locator(`a[href$="/receipts/${unseen}"]`).count(), 0, 'nothing moves while it is off')
  await page.getByLabel('Live').check()
  await page.locator(`a[href$="/receipts/${unseen}"]`).waitFor()
  const seen = await create()
  await page.locator(`tbody tr:first-child a[href$="/receipts/${seen}"]`).waitFor()
  for (const path of ['cards', 'customers', 'verification', 'requests', 'webhooks', 'audit', 'compliance/consents']) {
    await page.goto(`${dashboard.origin}/dashboard/${path}`)
    await page.getByLabel('Live').first().waitFor()
  }
})
