// time limit: 120 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { openDashboard, signInByForm, type OpenDashboard } from './dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  // A merchant that has no payment yet.
  dashboard = await openDashboard({ isShared: false })
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

interface ApiResult {
  readonly card: { readonly token: string }
  readonly receipt: { readonly _id: string }
}

test('signing in opens Get started until the first payment, and the overview from then on', async () => {
  const page = await (await dashboard.context()).newPage()
  await page.goto(`${dashboard.origin}/dashboard`)
  await signInByForm(page, dashboard.login)
  await page.waitForURL('**/dashboard/start')
  const callApi = (method: string, params: object) => dashboard.api(method, params) as Promise<ApiResult>
  const { token } = (await callApi('cards.create', { card: { number: '8600495473316478', expire: '0399' }, save: true })).card
  await callApi('cards.get_verify_code', { token })
  await callApi('cards.verify', { token, code: '666666' })
  await callApi('receipts.pay', { id: (await callApi('receipts.create', { amount: 100_000 })).receipt._id, token })
  // The calls are counted a moment later, and the checklist of the page is loaded again by itself.
  await page.locator('.checklist li.done', { hasText: 'A receipt is paid' }).waitFor()
  await page.goto(`${dashboard.origin}/dashboard`)
  await page.waitForURL('**/dashboard/overview')
  await page.goBack()
  assert.equal(new URL(page.url()).pathname, '/dashboard/start', 'the address that only leads on is not in the history')
})

test('the navigation and the head of a table stay in view', async () => {
  for (let number = 0; number < 30; number++) await dashboard.api('receipts.create', { amount: 100_000 + number })
  const page = await dashboard.open('receipts', { viewport: { width: 1280, height: 600 } })
  await page.locator('tbody tr').nth(24).scrollIntoViewIfNeeded()
  await page.evaluate(() => window.scrollTo(0, 900))
  const topOf = (selector: string): Promise<number> =>
    page
      .locator(selector)
      .first()
      .evaluate((each) => each.getBoundingClientRect().top)
  const bar = await page.locator('.bar').evaluate((each) => each.getBoundingClientRect().bottom)
  assert.ok(Math.abs((await topOf('thead th')) - bar) <= 1)
  assert.ok(Math.abs((await topOf('nav')) - bar) <= 1)
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
})

test('the pages are in the order of the work, and the account is in its own menu', async () => {
  const page = await dashboard.open('overview')
  const groups = await page
    .locator('nav section')
    .evaluateAll((sections) => sections.map((section) => [...section.querySelectorAll('h2, a')].map((each) => each.textContent)))
  assert.deepEqual(groups, [
    ['Overview', 'Payments', 'Cards', 'Customers', 'Verification'],
    ['Developers', 'Get started', 'Requests', 'Webhooks', 'Sandbox', 'Form builder', 'Page check', 'Documentation'],
    ['Compliance', 'Audit'],
    ['Settings', 'Team'],
  ])
  await page.locator('.account summary').click()
  await page.getByRole('link', { name: 'My account' }).click()
  await page.waitForURL('**/dashboard/account')
})
