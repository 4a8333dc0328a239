// time limit: 180 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Route } from 'playwright-core'

import { listAccessibilityViolations, openDashboard, signInByForm, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard({ isShared: false })
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('the page Get started makes a test token, says why a test card fails, and completes its checklist by real calls', async () => {
  const page = await dashboard.open('start')
  await page.getByText('0 of 4').waitFor()
  await page.getByRole('button', { name: 'Make a token' }).click()
  await page.locator('.outcome').getByText('verified', { exact: true }).waitFor()
  await page.getByLabel('Test card').selectOption('9073')
  await page.getByRole('button', { name: 'Make a token' }).click()
  await page.locator('.outcome').getByText('card_blocked').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  const { card } = (await dashboard.api('cards.create', { card: { number: '8600069195406311', expire: '0399' } })) as {
    card: { token: string }
  }
  await page.getByText('1 of 4').waitFor()
  await dashboard.api('cards.get_verify_code', { token: card.token })
  await dashboard.api('cards.verify', { token: card.token, code: '666666' })
  await page.getByText('2 of 4').waitFor()
})

test('what is copied works: the curl command makes a token, and the integrity matches the script that is served', async () => {
  const page = await dashboard.open('start', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.getByRole('button', { name: 'Copy: curl' }).click()
  await page.getByText('copied').waitFor()
  const curl = await page.evaluate(() => navigator.clipboard.readText())
  const [, url = ''] = /^URL=(.*)$/m.exec(curl) ?? []
  const [, body = ''] = /-d '(\{"id":1.*\})'/.exec(curl) ?? []
  const [, merchant = ''] = /^MERCHANT=(.*)$/m.exec(curl) ?? []
  const reply = await fetch(`${url}/api/cards.create`, { method: 'POST', headers: { 'x-auth': merchant }, body })
  assert.match(await reply.text(), /"token":"[0-9a-f]{24}_/)
  const form = await page.locator('pre', { hasText: 'tessera.js' }).innerText()
  const [, src = '', integrity = ''] = /src="(\S+)"\s+integrity="(\S+)"/.exec(form) ?? []
  const script = Buffer.from(await (await fetch(src)).arrayBuffer())
  const digest = Buffer.from(await crypto.subtle.digest('SHA-384', script)).toString('base64')
  assert.equal(integrity, `sha384-${digest}`)
  await page.getByRole('button', { name: '8600 0691 9540 6311' }).click()
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '8600069195406311')
})

test('the page Get started shows a response that takes longer than its polling interval', async () => {
  const page = await dashboard.open('account')
  await page.clock.install()
  const held: Route[] = []
  await page.route('**/dashboard/api', (route) =>
    route.request().postData()?.includes('start.get') ? void held.push(route) : route.continue(),
  )
  const requested = page.waitForRequest((request) => request.postData()?.includes('start.get') ?? false)
  await page.getByRole('link', { name: 'Get started', exact: true }).click()
  await requested
  await page.clock.runFor(10_000)
  await held[0]?.continue()
  await page.getByRole('heading', { name: 'Test cards' }).waitFor()
})

test('a page that is left open stops polling, so that its session expires', async () => {
  const page = await (await dashboard.context()).newPage()
  await page.clock.install()
  await page.goto(`${dashboard.origin}/dashboard/start`)
  await signInByForm(page, dashboard.login)
  await page.getByRole('heading', { name: 'Test cards' }).waitFor()
  let requestCount = 0
  page.on('request', () => {
    requestCount++
  })
  while (requestCount < 2) await page.clock.runFor(3000)
  await page.clock.runFor(300_000)
  requestCount = 0
  await page.clock.runFor(60_000)
  assert.equal(requestCount, 0)
})
