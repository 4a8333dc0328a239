// time limit: 120 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Route } from 'playwright-core'

import { callDashboard, listAccessibilityViolations, openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

const number = '8600495473316478'

async function makeToken(): Promise<string> {
  const made = await dashboard.api('cards.create', {
    card: { number, expire: '0399' },
    save: true,
    account: { order_id: '=1+1', note: '<script>' },
  })
  return (made as { card: { token: string } }).card.token
}

/** Tashkent time as a datetime-local input takes it: `2026-11-21T23:50`. */
function tashkentClock(at: number): string {
  return new Date(at + 5 * 3_600_000).toISOString().slice(0, 16)
}

test('a failed call is found, shown with its curl line and replayed, and no card number, token or code is on the page', async () => {
  const token = await makeToken()
  await dashboard.api('cards.verify', { token, code: '123456' })
  const elsewhere = { timezoneId: 'America/New_York', reducedMotion: 'reduce' } as const
  const page = await dashboard.open('requests?outcome=error&method=cards.verify', elsewhere)
  const link = page.getByRole('link', { name: 'cards.verify' })
  await page.getByLabel('Live').check()
  await link.first().waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByLabel('Code', { exact: true }).fill('-31103')
  await page.keyboard.press('Enter')
  await page.getByText('No calls found').waitFor()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.press('Delete')
  await page.keyboard.press('Enter')
  await link.first().waitFor()
  // The fields are in Tashkent time, like the column.
  const to = page.getByLabel('To', { exact: true })
  await to.fill(tashkentClock(Date.now() - 600_000))
  await page.keyboard.press('Enter')
  await page.getByText('No calls found').waitFor()
  await to.fill(tashkentClock(Date.now() + 600_000))
  await page.keyboard.press('Enter')
  await link.first().click()
  await page.locator('a[href="/docs/reference/errors#code_not_requested"]').first().waitFor()
  const curl = await page.locator('pre').innerText()
  // The code of the test environment is public; the token is the shell's.
  assert.match(curl, /"token":"'"\$\{TOKEN:\?token, card [0-9a-f]{24}\}"'","code":"666666"/)
  assert.match(curl, /\$\{TESSERA_PASSWORD:/)
  await page.getByRole('button', { name: 'Replay with a test card' }).click()
  await page.getByRole('heading', { name: 'Replay', exact: true }).waitFor()
  await page.getByText('card.verify', { exact: true }).waitFor()
  const text = await page.content()
  for (const secret of [number, token.slice(25), '123456']) assert.ok(!text.includes(secret), secret)
  assert.deepEqual(await listAccessibilityViolations(page), [])
})

test('calls are found by reason, order, customer, place of the caller and duration, and only what may stand in the address does', async () => {
  await dashboard.api('receipts.create', { amount: 500000, account: { order_id: 'A-4711' } })
  await dashboard.api('receipts.create', { amount: -1, account: { order_id: 'A-4712' } })
  const page = await dashboard.open('requests?method=receipts.create')
  const rows = page.locator('tbody a[href*="/requests/"]')
  const find = () => page.getByRole('button', { name: 'Find', exact: true }).click()
  await page.getByLabel('Live').check()
  await rows.nth(1).waitFor()
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByLabel('Order or account field').fill('A-4711')
  await page.getByLabel('Called from').selectOption({ label: 'this machine' })
  await page.getByLabel('Took at most, ms').fill('3600000')
  await find()
  await page.waitForURL(/maxMs=3600000$/)
  await page.waitForFunction(() => document.querySelectorAll('tbody a[href*="/requests/"]').length === 1)
  assert.match(page.url(), /\?method=receipts\.create&address=loopback&maxMs=3600000$/)
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await rows.first().click()
  await page.getByRole('heading', { level: 1 }).getByText('receipts.create').waitFor()
  await page.getByText('this machine').waitFor()
  await page.goBack()
  assert.equal(await page.getByLabel('Order or account field').inputValue(), 'A-4711', 'Back brings the order back')

  await page.getByLabel('Order or account field').fill('')
  await page.getByLabel('Customer').fill('nobody')
  await find()
  await page.getByText('No calls found').waitFor()
  await page.getByLabel('Customer').fill('')
  await page.getByLabel('Reason').selectOption('insufficient_funds')
  await find()
  await page.getByText('No calls found').waitFor()
  assert.match(page.url(), /reason=insufficient_funds/)
})

test('a filter is saved as a view, renamed and deleted, and a thirty-first only after another is deleted', async () => {
  const page = await dashboard.open('requests')
  const view = (named: string) => page.locator('.views').getByRole('link', { name: named, exact: true })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await button('My views (0)').click()
  await page.getByText('No views yet').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.locator('dialog .bare').click()
  assert.equal(await button('Save view').count(), 0, 'there is no filter to save')

  await page.getByLabel('Method').selectOption('cards.verify')
  await page.getByRole('button', { name: 'Find' }).click()
  await button('Save view').click()
  await button('Save').click()
  await page.getByText('Give the view a name.').waitFor()
  await page.getByLabel('Name of the view').fill('first')
  await page.keyboard.press('Enter')
  await view('first').waitFor()
  assert.equal(await view('first').getAttribute('aria-current'), 'true')
  assert.equal(await button('Save view').count(), 0, 'these filters are saved already')

  await page.getByLabel('Outcome').selectOption('error')
  await page.getByRole('button', { name: 'Find' }).click()
  await button('Save view').click()
  await page.getByLabel('Name of the view').fill('first')
  await page.keyboard.press('Enter')
  await page.getByText('There is a view with this name already.').waitFor()
  await page.getByLabel('Name of the view').fill('second')
  await page.keyboard.press('Enter')
  await view('first').click()
  await page.waitForURL(/requests\?method=cards\.verify$/)

  await button('My views (2)').click()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.getByLabel('Name of the view').first().fill('renamed')
  await button('Rename first').click()
  await button('Delete second').click()
  await page.locator('dialog .bare').click()
  await view('renamed').waitFor()
  assert.equal(await view('second').count(), 0)
  await page.reload()
  await view('renamed').click()

  await page.evaluate(() => {
    const key = Object.keys(localStorage).find((each) => each.startsWith('tessera.views.')) ?? ''
    const more = Array.from({ length: 30 }, (_none, index) => ({
      list: 'requests',
      name: `more ${String(index)}`,
      query: `code=${String(index)}`,
    }))
    localStorage.setItem(key, JSON.stringify(more))
  })
  await page.reload()
  await button('Save view').click()
  await page.getByText('30 views are saved, which is the most.').waitFor()
  await page.locator('dialog').getByRole('button', { name: 'My views' }).click()
  await button('Delete more 7').click()
  await page.locator('dialog .bare').click()
  await button('Save view').click()
  await page.getByLabel('Name of the view').fill('last')
  await page.keyboard.press('Enter')
  await view('last').waitFor()
  // The lists of other pages have views of their own.
  await page.getByRole('link', { name: 'Payments', exact: true }).click()
  await view('Failed today').waitFor()
  assert.equal(await view('last').count(), 0)
  await button('My views (0)').waitFor()
})

test('the list and one call fit a phone in Russian and dark, and a call that could not be parsed is found by its request id', async () => {
  await makeToken()
  const { url, merchantId } = dashboard.tessera
  const rejected = await fetch(`${url}/api`, {
    method: 'POST',
    headers: { 'x-auth': merchantId },
    body: `{"id":1,"method":"cards.create","params":{"x":"${number}"`,
  })
  const options = { viewport: { width: 390, height: 800 }, colorScheme: 'dark', locale: 'ru-RU', reducedMotion: 'reduce' } as const
  const page = await dashboard.open('requests', options)
  await page.getByLabel('Автообновление').check()
  const link = page.locator(`a[href$='/requests/${rejected.headers.get('x-request-id')}']`)
  await link.getByText('без метода').waitFor()
  assert.ok(!(await page.content()).includes(number))
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  await page.getByRole('link', { name: 'cards.create' }).first().click()
  await page.getByText('секретные данные, не хранятся').first().waitFor()
  await page.getByText(/^\d+ мс$/).waitFor()
  await page.getByText('account.order_id', { exact: true }).waitFor()
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  assert.deepEqual(await listAccessibilityViolations(page), [])
})

test('live updates wait for a slow response, and keep the rows that More has loaded below the new ones', async () => {
  const method = 'receipts.check'
  const make = async (calls: number): Promise<void> => {
    for (let made = 0; made < calls; made++) await dashboard.api(method, { id: '0'.repeat(24) })
  }
  const page = await dashboard.open('account')
  await make(30)
  let stored = 0
  while (stored < 30) stored = (await callDashboard(page, 'dashboard.requests.list', { method, count: 100 })).requests.length
  await page.clock.install()
  await page.goto(`${dashboard.origin}/dashboard/requests?method=${method}`)
  const row = (at: number) => page.locator('tbody tr').nth(at - 1)
  await row(25).waitFor()
  const more = page.getByRole('button', { name: 'More', exact: true })
  const held: Route[] = []
  let requestCount = 0
  await page.route('**/dashboard/api', (route) => {
    if (!route.request().postData()?.includes('requests.list')) return route.continue()
    if (requestCount++ > 0) return route.continue()
    held.push(route)
  })
  await more.click()
  await page.getByLabel('Live').check()
  await page.clock.runFor(6000)
  assert.equal(requestCount, 1, 'no request is sent while one is in flight')
  await held[0]?.continue()
  await row(30).waitFor()
  await make(1)
  while ((await page.locator('tbody tr').count()) < 31) await page.clock.runFor(2000)
  assert.equal(await more.count(), 0)
})

test('a card number that is typed into the filters by order and customer never leaves the page', async () => {
  const page = await dashboard.open('requests')
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await page.getByRole('button', { name: 'More filters' }).click()
  const form = page.locator('.requests-filter')
  for (const label of ['Order', 'Customer']) {
    await form.getByLabel(label).fill('8600 4954 7331 6478')
    assert.equal(await form.getByLabel(label).inputValue(), '6478')
    await page.getByText('A full card number never leaves this page').first().waitFor()
    await form.getByRole('button', { name: 'Find' }).click()
    await page.waitForTimeout(300)
  }
  assert.ok(
    sent.some((each) => each.includes('dashboard.requests.list') && each.includes('"6478"')),
    'the control: it was searched for',
  )
  assert.ok(!sent.some((each) => /8600\D*4954/.test(each)))
  assert.doesNotMatch(await page.evaluate(() => JSON.stringify([location.href, history.state])), /8600\D*4954/)
})
