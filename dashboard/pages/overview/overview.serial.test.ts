// time limit: 240 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { listAccessibilityViolations, openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('the page Overview explains itself while it is empty, then shows its numbers as charts and as tables', async () => {
  const page = await dashboard.open('overview')
  await page.getByText('Make a first token').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  for (const number of ['8600069195406311', '4444445987459073']) {
    const { card } = (await dashboard.api('cards.create', { card: { number, expire: '0399' } })) as { card: { token: string } }
    await dashboard.api('cards.get_verify_code', { token: card.token })
    await dashboard.api('cards.verify', { token: card.token, code: '666666' })
    const { receipt } = (await dashboard.api('receipts.create', { amount: 70_000, account: {} })) as { receipt: { _id: string } }
    await dashboard.api('receipts.pay', { id: receipt._id, token: card.token })
  }
  const causes = page.locator('.causes')
  // Counters are stored after the calls, and appear when the page is loaded again.
  const isThere = async (): Promise<boolean> => {
    await page.reload()
    await page.locator('.totals, .empty').waitFor()
    return causes
      .nth(1)
      .waitFor({ timeout: 3000 })
      .then(
        () => true,
        () => false,
      )
  }
  const until = Date.now() + 60_000
  while (!(await isThere()) && Date.now() < until);
  assert.equal(await causes.count(), 2)
  const totals = (await page.locator('.totals').innerText()).replace(/\s+/g, ' ')
  assert.match(totals, /Tokens 2 Verified of created 100 % Payments 1 700 soʻm Declined 1/)
  await page.getByText('As a table').first().click()
  assert.match(await page.locator('.chart tbody tr').nth(6).innerText(), /2\s+2/)
  assert.deepEqual(await listAccessibilityViolations(page), [])
})
