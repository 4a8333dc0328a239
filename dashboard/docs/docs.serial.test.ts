import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { listAccessibilityViolations, openDashboard, type OpenDashboard } from '../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('the reason of a failed call leads to its row in the documentation, beside the dashboard', async () => {
  await dashboard.api('cards.check', { token: 'not a token' })
  const page = await dashboard.open('requests')
  // The request log is written a moment after the reply.
  await page.getByLabel('Live').check()
  const link = page.locator('td a.docs').first()
  const [docs] = await Promise.all([page.context().waitForEvent('page'), link.click()])
  await docs.waitForLoadState()
  const { pathname, hash } = new URL(docs.url())
  assert.equal(pathname, '/docs/reference/errors')
  assert.ok(hash.length > 1)
  const row = docs.locator('tr', { has: docs.locator(`[id="${hash.slice(1)}"]`) })
  await row.waitFor()
  assert.notEqual(await row.evaluate((element) => getComputedStyle(element).backgroundColor), 'rgba(0, 0, 0, 0)')
  await page.getByRole('heading', { level: 1 }).waitFor()
})

test('pages of the documentation are accessible in light and dark, and fit a small phone', async () => {
  for (const [path, colorScheme, width] of [
    ['', 'light', 1280],
    ['/reference/errors', 'dark', 1280],
    ['/reference/methods/cards.create', 'light', 320],
    ['/reference/settings', 'dark', 320],
    ['/guides/card-form', 'light', 390],
    ['/concepts/audit', 'dark', 390],
  ] as const) {
    const context = await dashboard.context({ colorScheme, viewport: { width, height: 720 } })
    const page = await context.newPage()
    const broken: string[] = []
    page.on('console', (line) => broken.push(line.text()))
    page.on('requestfailed', (request) => broken.push(request.url()))
    await page.goto(`${dashboard.origin}/docs${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, `${path} at ${String(width)} px`)
    assert.deepEqual(await listAccessibilityViolations(page), [], path)
    assert.deepEqual(broken, [], path)
  }
})
