// time limit: 180 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { listAccessibilityViolations, openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

const sentByUs = '8600495473316478'

test('the page Verification shows the cause of a failure without a click, and its card with one', async () => {
  const page = await dashboard.open('verification')
  await page.getByText('No codes yet').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  const token = async (number: string): Promise<string> =>
    ((await dashboard.api('cards.create', { card: { number, expire: '0399' } })) as { card: { token: string } }).card.token
  const [failing, right] = [await token('4444445987459073'), await token(sentByUs)]
  await dashboard.api('cards.get_verify_code', { token: failing })
  await dashboard.api('cards.get_verify_code', { token: right })
  await dashboard.api('cards.verify', { token: right, code: '111111' })
  await dashboard.api('cards.verify', { token: right, code: '666666' })
  await page.reload()
  await page.getByText('The card is blocked.').waitFor()
  assert.equal(await page.locator('main > .table tbody tr').count(), 4)
  await page.getByLabel('Failures only').check()
  await page.locator('main > .table tbody tr').nth(2).waitFor({ state: 'detached' })
  await page.locator('main > .table tbody tr').nth(1).waitFor()
  assert.equal(await page.locator('main > .table tbody tr').count(), 2)
  assert.match(await page.locator('.funnel').innerText(), /created\s+2[\s\S]*code sent\s+1\s+50 %[\s\S]*verified\s+1\s+50 %/)
  await page.locator('main > .table tbody tr', { hasText: 'The card is blocked.' }).getByRole('link', { name: '444444******9073' }).click()
  assert.match(page.url(), new RegExp(`/dashboard/cards/${failing.slice(0, 24)}$`))
  await page.goBack()
  await page.getByRole('link', { name: 'SMS inbox' }).click()
  await page.getByText(/code 666666 for card \*6478/).waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
})
