// time limit: 240 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { callDashboard, openDashboard, readDownload, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

const naughty = '"><img src=x onerror=alert(1)>'

test('the page Compliance explains itself while it is empty, then shows findings and consents, and exports them', async () => {
  const { tessera, api } = dashboard
  const page = await dashboard.open('compliance')
  const checklist = page.locator('.requirements')
  await checklist.getByText('6.4.3').waitFor()
  assert.match((await checklist.locator('li').first().innerText()).replace(/\s+/g, ' '), /to do/)
  await page.getByRole('link', { name: 'Whole report' }).click()
  await page.getByText('No findings').waitFor()
  await page.getByText('No consent yet').waitFor()
  await page.getByText('No scripts yet').waitFor()

  await api('cards.create', { card: { number: '8600495473316478', expire: '0399' }, save: true, customer: naughty })
  const headers = { 'x-auth': `${tessera.merchantId}:${tessera.password}`, origin: 'https://shop.example' }
  const body = JSON.stringify({ id: 1, method: 'cards.check', params: { token: 'x' } })
  await fetch(`${tessera.url}/api/cards.check`, { method: 'POST', headers, body })
  const finding = page.locator('.findings li', { hasText: 'Your password came from a browser' })
  // Findings are stored every two seconds, after the calls, and appear when the page is loaded again.
  const isThere = async (): Promise<boolean> => {
    await page.reload()
    await page.locator('.matrix tbody tr').first().waitFor()
    return finding.waitFor({ timeout: 3000 }).then(
      () => true,
      () => false,
    )
  }
  const until = Date.now() + 60_000
  while (!(await isThere()) && Date.now() < until);
  await finding.getByText('https://shop.example').waitFor()
  await finding.getByText('your own code').waitFor()
  await page.locator('.findings li', { hasText: 'passed through your server' }).waitFor()

  const consents = page.getByRole('region', { name: 'Consents' })
  await consents.getByText('asserted').waitFor()
  await consents.getByText(naughty).waitFor()
  assert.equal(await page.locator('main img').count(), 0)
  const [csv] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save all as CSV' }).click()])
  assert.match(await readDownload(csv), /"860049\*{6}6478","live","merchant"/)
  const [json] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as JSON' }).click()])
  const saved = JSON.parse(await readDownload(json)) as {
    merchant: { id: string }
    responsibilities: object[]
    tokens: { sealed: number }
  }
  assert.deepEqual([saved.merchant.id, saved.responsibilities.length > 10, saved.tokens.sealed], [tessera.merchantId, true, 1])
  const findings = page.locator('section', { has: page.locator('.findings') })
  await Promise.all([page.waitForEvent('download'), findings.getByRole('button', { name: 'CSV' }).click()])
  await findings.getByRole('button', { name: 'CSV' }).and(page.locator(':enabled')).waitFor()
  const { entries } = await callDashboard(page, 'dashboard.audit.list', { action: 'data.exported' })
  assert.deepEqual(
    entries.map(({ outcome, changes }) => [outcome, changes.map(({ name, to }) => `${name}=${to ?? ''}`).join(' ')]),
    [
      ['done', 'rows=2'],
      ['done', 'rows=1'],
      ['done', 'rows=1'],
    ],
  )
  const { entries: begun } = await callDashboard(page, 'dashboard.audit.list', { action: 'data.export_started' })
  assert.deepEqual(
    begun.map(({ changes }) => changes.map(({ to }) => to).join(' ')),
    ['findings csv', 'compliance json', 'consents csv'],
  )
  await page.route('**/dashboard/api', (route) =>
    /exports\.start/.test(route.request().postData() ?? '') ? route.abort() : route.continue(),
  )
  page.once('download', () => assert.fail('a file was saved that the audit does not know of'))
  await findings.getByRole('button', { name: 'CSV' }).click()
  await findings.locator('.error-message').waitFor()

  await checklist.locator('li.todo', { hasText: 'The API password is on your servers only' }).waitFor()
  await page.getByRole('link', { name: 'Findings', exact: true }).click()
  await page.locator('.matrix').waitFor({ state: 'detached' })
  assert.equal(await page.locator('.findings li').count(), 2)
  await page.getByRole('link', { name: 'Whole report' }).click()
  await page.locator('.matrix tbody tr').first().waitFor()
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
  assert.equal(await page.locator('.statements details:not([open])').count(), 0)
  for (const hidden of ['.bar', 'nav', 'main button:not(.copy)'])
    assert.equal(await page.locator(hidden).first().isVisible(), false, hidden)
  assert.equal(await page.locator('.print-only').isVisible(), true)
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).color), 'rgb(22, 24, 29)')
})

test('the page Compliance makes no statement about data that could not be loaded', async () => {
  const page = await dashboard.open('cards')
  await page.route('**/dashboard/api', (route) =>
    /pageCheck\.list|scripts\.list/.test(route.request().postData() ?? '') ? route.abort() : route.continue(),
  )
  await page.getByRole('link', { name: 'Compliance', exact: true }).click()
  await page.locator('.requirements li.unknown').nth(1).waitFor()
  assert.equal(await page.locator('.error-message').count(), 2)
  await page.getByRole('link', { name: 'Whole report' }).click()
  await page.locator('.matrix tbody tr').first().waitFor()
  assert.equal(await page.getByText(/None of your pages has been checked|inventory is empty/).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Save as JSON' }).isDisabled(), true)
})
