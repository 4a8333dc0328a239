// time limit: 180 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import type { Page } from 'playwright-core'

import { listAccessibilityViolations, openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

interface ApiResult {
  readonly card: { readonly token: string }
  readonly receipt: { readonly _id: string }
}

const callApi = (method: string, params: object) => dashboard.api(method, params) as Promise<ApiResult>

async function createCard(customer: string): Promise<string> {
  const { token } = (await callApi('cards.create', { card: { number: '8600495473316478', expire: '0399' }, customer, save: true })).card
  await callApi('cards.get_verify_code', { token })
  await callApi('cards.verify', { token, code: '666666' })
  return token
}

async function pay(token: string, amount: number): Promise<string> {
  const { _id: id } = (await callApi('receipts.create', { amount, account: { order: `o-${amount}` } })).receipt
  await callApi('receipts.pay', { id, token })
  return id
}

/** Loads the page again until the text is there: changes are found a second after they were made. */
async function waitUntilShown(page: Page, text: string): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await page.locator('main h1').waitFor()
    await page.waitForTimeout(500)
    if (await page.getByText(text).first().isVisible()) return
    await page.reload()
  }
  assert.fail(`${text} is not shown`)
}

test('a customer has all cards, consents and payments on one page, links to each, and stays out of the address', async () => {
  const [customer, other] = ['+998 90 700-11-22', 'somebody-else']
  const token = await createCard(customer)
  await createCard(customer)
  await createCard(other)
  const receiptId = await pay(token, 5_417_400)
  const page = await dashboard.open('customers')
  const sent: string[] = []
  page.on('request', (request) => void sent.push(request.url()))
  await page.getByRole('link', { name: customer }).click()
  await page.getByRole('heading', { level: 1, name: `Customer ${customer}` }).waitFor()
  await waitUntilShown(page, '54 174')
  assert.equal(await page.title(), 'Customer · Tessera', 'a phone is not in the history of the browser')
  assert.equal(
    await page
      .locator('section', { has: page.getByRole('heading', { name: 'Cards' }) })
      .locator('tbody tr')
      .count(),
    2,
  )
  await page.locator('.sums').getByText('54 174').first().waitFor()
  await page.getByText('Consent 860049').first().click()
  await page.getByText('asserted').first().waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  const payments = page.locator('section', { has: page.getByRole('heading', { name: 'Payments' }) })
  await payments.locator(`a[href$="/receipts/${receiptId}"]`).click()

  // From the payment to its card, the call behind a step, its events, and the audit.
  await page.getByRole('heading', { level: 1, name: `Receipt ${receiptId.slice(0, 8)}… · 54 174 soʻm` }).waitFor()
  assert.equal((await page.title()).replace(/\s/g, ' '), `Receipt ${receiptId.slice(0, 8)}… · 54 174 soʻm · Tessera`)
  await page.getByRole('link', { name: customer }).waitFor()
  await page.getByRole('link', { name: 'Webhook deliveries' }).click()
  await page.waitForURL(`**/webhooks?object=${receiptId}&kind=receipts`)
  // Says of what the deliveries are, and shows them before the endpoints.
  await page.getByRole('heading', { level: 1, name: `Webhook deliveries · Receipt ${receiptId.slice(0, 8)}…` }).waitFor()
  assert.equal(await page.title(), `Webhook deliveries · Receipt ${receiptId.slice(0, 8)}… · Tessera`)
  const headings = page.locator('main').getByRole('heading', { level: 2, name: /^(Deliveries|Endpoints)$/ })
  assert.deepEqual(await headings.allInnerTexts(), ['Deliveries', 'Endpoints'])
  await page
    .locator('main .related')
    .getByRole('link', { name: `Receipt ${receiptId.slice(0, 8)}…` })
    .click()
  await page.locator('main').getByRole('link', { name: 'Requests' }).click()
  await page.getByRole('heading', { level: 1, name: `Requests · Receipt ${receiptId.slice(0, 8)}…` }).waitFor()
  await page.goBack()
  await page.goBack()
  await page.goBack()
  await page.getByRole('link', { name: 'In the audit' }).click()
  await page
    .getByRole('link', { name: `Receipt ${receiptId.slice(0, 8)}…` })
    .first()
    .click()
  await page.waitForURL(`**/receipts/${receiptId}`)
  await page.locator('.timeline a[href*="/requests/"]').last().click()
  await page.getByRole('heading', { level: 1, name: /^receipts\.create/ }).waitFor()
  await page.locator('dl').getByRole('link', { name: receiptId }).click()
  await page.locator('dl').getByRole('link', { name: '860049******6478' }).click()
  await page.getByRole('heading', { level: 1, name: 'Card 860049******6478' }).waitFor()
  await page.getByRole('link', { name: 'All payments' }).click()
  await page.waitForURL(`**/receipts?card=${token.slice(0, 24)}`)
  await page.locator(`a[href$="/receipts/${receiptId}"]`).waitFor()
  assert.ok(!sent.some((url) => /700-?11-?22|%2B998/.test(url)))
})

test('a customer is found by the whole id, and one that is unknown is said to have nothing', async () => {
  await createCard('mark-77')
  const page = await dashboard.open('customers', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  await page.getByLabel('Find a customer').fill(' mark-77 ')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Customer mark-77' }).waitFor()
  await page.getByRole('link', { name: '860049******6478' }).waitFor()
  assert.equal(await page.title(), 'Customer mark-77 · Tessera')
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.locator('.breadcrumbs a').click()
  await page.getByLabel('Find a customer').fill('nobody')
  await page.keyboard.press('Enter')
  await page.getByText('Nothing of this customer').waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'mark-77' }).waitFor()
})

test('the link to a customer says in a new tab why it cannot open there, and lists of one customer say of whom', async () => {
  await createCard('tab-4')
  const page = await dashboard.open('customers')
  const link = page.getByRole('link', { name: 'tab-4' })
  const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click({ modifiers: ['ControlOrMeta'] })])
  await tab.getByRole('note').filter({ hasText: 'A link was opened here that is about one customer' }).waitFor()
  assert.ok(!tab.url().includes('tab-4'))
  assert.deepEqual(await listAccessibilityViolations(tab), [])
  await tab.getByLabel('Find a customer').fill('tab-4')
  await tab.keyboard.press('Enter')
  await tab.getByRole('heading', { level: 1, name: 'Customer tab-4' }).waitFor()
  assert.equal(await tab.getByRole('note').filter({ hasText: 'A link was opened' }).count(), 0)
  await link.click()
  await page.locator('main').getByRole('link', { name: 'Requests', exact: true }).last().click()
  await page.getByRole('heading', { level: 1, name: 'Requests · tab-4' }).waitFor()
  assert.equal(await page.getByRole('note').filter({ hasText: 'A link was opened' }).count(), 0, 'the control: it was opened by a click')
})

test('a customer whose id is markup is shown as text, in the list, on the page and in the search', async () => {
  const customer = '<img src=x onerror=alert(1)>'
  await createCard(customer)
  const page = await dashboard.open('customers')
  page.on('dialog', (dialog) => assert.fail(`a dialog: ${dialog.message()}`))
  await page.getByRole('link', { name: customer }).click()
  await page.getByRole('heading', { level: 1, name: customer }).waitFor()
  await page.getByRole('link', { name: '860049******6478' }).waitFor()
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Search' }).fill(customer)
  await page.getByRole('group', { name: 'Customers' }).getByText(customer).waitFor()
  assert.equal(await page.locator('main img, dialog img').count(), 0)
  assert.equal(await page.title(), 'Customer · Tessera')
})

test('back shows the rows that were there, at the same place, and what has changed since', async () => {
  const token = await createCard('scrolled')
  for (let number = 0; number < 60; number++) await callApi('receipts.create', { amount: 100_000 + number, description: 'a row' })
  const paid = await pay(token, 777_700)
  for (let number = 0; number < 10; number++) await callApi('receipts.create', { amount: 200_000 + number })
  const page = await dashboard.open('receipts')
  const rows = page.locator('tbody tr')
  const links = page.locator('tbody a[href*="/dashboard/receipts/"]')
  await links.first().waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 50)
  const target = links.nth(40)
  await target.scrollIntoViewIfNeeded()
  const before = await page.evaluate(() => window.scrollY)
  assert.ok(before > 200, 'the page is scrolled')
  const href = await target.getAttribute('href')
  await target.click()
  await page.locator('.breadcrumbs').waitFor()
  assert.equal(await page.evaluate(() => window.scrollY), 0)
  await callApi('receipts.cancel', { id: paid })
  await page.goBack()
  await page.locator(`a[href="${href ?? ''}"]`).waitFor()
  await page.waitForTimeout(600)
  assert.equal(await rows.count(), 50)
  assert.ok(Math.abs((await page.evaluate(() => window.scrollY)) - before) <= 2, 'the page is where it was')
  await page
    .locator('tbody tr', { has: page.locator(`a[href$="/receipts/${paid}"]`) })
    .getByText(/Refund/)
    .waitFor()
})
