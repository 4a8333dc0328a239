// time limit: 120 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import type { Page } from 'playwright-core'

import {
  callDashboard,
  listAccessibilityViolations,
  openDashboard,
  readDownload,
  signInByForm,
  type OpenDashboard,
} from '../../dashboard.fixture.ts'

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

async function pay(hold: boolean, description: string): Promise<string> {
  const callApi = (method: string, params: object) => dashboard.api(method, params) as Promise<ApiResult>
  const { token } = (await callApi('cards.create', { card: { number: '8600495473316478', expire: '0399' }, save: true })).card
  await callApi('cards.get_verify_code', { token })
  await callApi('cards.verify', { token, code: '666666' })
  const { _id: id } = (await callApi('receipts.create', { amount: 1_234_500, description, account: { order: description } })).receipt
  await callApi('receipts.pay', { id, token, hold })
  return id
}

async function openReceipt(page: Page, id: string): Promise<void> {
  await page.locator(`a[href$="/receipts/${id}"]`).click()
}

/** A receipt is found by its status and its order a second after it was changed. */
async function waitUntilFound(page: Page, id: string): Promise<void> {
  const link = page.locator(`a[href$="/receipts/${id}"]`)
  for (let turn = 0; turn < 20 && (await link.count()) === 0; turn++) {
    await page.waitForTimeout(500)
    await page.reload()
    await page.getByRole('button', { name: 'CSV' }).waitFor()
    await page.waitForTimeout(200)
  }
  await link.waitFor()
}

test('a receipt is found in the list, shows the responses of the network, and is refunded', async () => {
  const id = await pay(false, '=HYPERLINK("x")<script>')
  const page = await dashboard.open('receipts')
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
  const csv = await readDownload(file)
  assert.match(csv, /"'=HYPERLINK\(""x""\)<script>"/)
  assert.match(csv, /"Paid","12345\.00","1234500","12345\.00","1234500","0\.00","0","12345\.00","1234500","'=HYPER/)
  await openReceipt(page, id)
  await page.locator('strong', { hasText: 'Authorize' }).waitFor()
  await page.getByText('=HYPERLINK("x")<script>').first().waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Refund the payment' })
  assert.match((await dialog.innerText()).replace(/\s+/g, ' '), /12 345 soʻm .*860049\*{6}6478.*Keep the payment.*Refund 12 345 soʻm/)
  assert.equal(await dialog.getByRole('button', { name: 'Cancel', exact: true }).count(), 0)
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await dialog.getByLabel('Reason').selectOption({ label: 'paid twice' })
  await dialog.getByLabel('Note').fill('see <b>A-7</b>')
  await dialog.getByRole('button', { name: /^Refund 12/ }).click()
  // Nobody reloads the page: it follows the refund until the network has confirmed it.
  await page.getByText('The network has confirmed the refund.').waitFor()
  await page.locator('.remark', { hasText: 'paid twice · see <b>A-7</b>' }).waitFor()
  assert.equal(await page.locator('h2 .tag').innerText(), 'Refunded')
  assert.equal(await page.locator('.actions').count(), 0)
})

test('held money is captured, a day without receipts shows a message, and leaving a filter clears its days', async () => {
  const id = await pay(true, 'a hold')
  const page = await dashboard.open(`receipts/${id}`, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' })
  await page.getByRole('button', { name: 'Capture', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Capture the hold' })
  await dialog.getByLabel('Amount to capture').fill('20000')
  await dialog.getByText(/^At most 12.345.soʻm is held/).waitFor()
  await dialog.getByLabel('Amount to capture').fill('12 000,50')
  await dialog.getByText(/^344\.50.soʻm is released/).waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await dialog.getByRole('button', { name: /^Capture 12/ }).click()
  await page.getByText('Captured', { exact: true }).first().waitFor()
  await page
    .getByText(/^12.000\.50 soʻm/)
    .first()
    .waitFor()
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  await page.goto(`${dashboard.origin}/dashboard/receipts?from=2020-01-01&to=2020-01-02`)
  await page.getByText('No receipts match').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.locator('nav a[href="/dashboard/receipts"]').click()
  await page.locator(`a[href$="/receipts/${id}"]`).waitFor()
  assert.equal(await page.getByLabel('From', { exact: true }).inputValue(), '', 'the field is cleared with the filter')
  await page.locator('.filters > summary').click()
  await page.getByLabel('Status').selectOption({ label: 'Expired' })
  await page.getByText('No receipts match').waitFor()
  assert.equal(new URL(page.url()).search, '?status=expired')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.locator(`a[href$="/receipts/${id}"]`).waitFor()
})

test('a hold is voided and an unpaid receipt is cancelled, each by its own word', async () => {
  const held = await pay(true, 'to be voided')
  const page = await dashboard.open(`receipts/${held}`)
  await page.getByRole('button', { name: 'Void the hold' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: /^Void 12/ }).click()
  assert.ok(await dialog.isVisible(), 'a reason has to be chosen')
  await dialog.getByLabel('Reason').selectOption({ label: 'another reason' })
  await dialog.getByRole('button', { name: /^Void 12/ }).click()
  await page.getByText('The hold was released.').waitFor()
  await page.locator('h2 .tag', { hasText: 'Voided' }).waitFor()
  await page.locator('.timeline strong', { hasText: 'Void requested' }).waitFor()
  const { receipt } = (await dashboard.api('receipts.create', { amount: 5_000_000, account: {} })) as ApiResult
  await page.goto(`${dashboard.origin}/dashboard/receipts/${receipt._id}`)
  await page.getByRole('button', { name: 'Cancel the receipt' }).click()
  await dialog.getByRole('button', { name: 'Keep the receipt' }).click()
  await page.getByRole('button', { name: 'Cancel the receipt' }).click()
  await dialog.getByLabel('Reason').selectOption({ label: 'wrong amount' })
  await dialog.getByRole('button', { name: 'Cancel the receipt' }).click()
  await page.getByText('The receipt was cancelled.').waitFor()
})

test('a refund above the limit asks who the user is, and goes on where it was', async () => {
  const id = await pay(false, 'to be confirmed')
  const { page, login } = await dashboard.openNew('support', `receipts/${id}`)
  // The confirmation that the test's user has given ends with the session.
  await page.context().clearCookies()
  await page.goto(`${dashboard.origin}/dashboard/receipts/${id}`)
  await signInByForm(page, login)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Refund the payment' })
  await dialog.getByText('You will be asked to confirm who you are, as for every refund.').waitFor()
  await dialog.getByLabel('Reason').selectOption({ label: 'paid twice' })
  await dialog.getByRole('button', { name: /^Refund 12/ }).click()
  const identity = page.getByRole('dialog').filter({ has: page.locator('input[type=password]') })
  await identity.locator('input[type=password]').fill(login.password)
  await identity.locator('button[type=submit]').click()
  await page.getByText('The network has confirmed the refund.').waitFor()
})

test('a receipt is found by its order and its customer, which stay out of the address and survive a reload and the way back', async () => {
  const callApi = (method: string, params: object) => dashboard.api(method, params) as Promise<ApiResult>
  const { _id: id } = (await callApi('receipts.create', { amount: 700_000, account: { order: 'A-Search-7' } })).receipt
  const { _id: other } = (await callApi('receipts.create', { amount: 700_000, account: { order: 'A-Search-8' } })).receipt
  const page = await dashboard.open('receipts')
  await page.locator(`a[href$="/receipts/${other}"]`).waitFor()
  await page.getByLabel('Order number').fill('a-search-7')
  await page.keyboard.press('Enter')
  await waitUntilFound(page, id)
  assert.equal(await page.locator(`a[href$="/receipts/${other}"]`).count(), 0)
  assert.equal(page.url().includes('search'), false)
  await page.reload()
  await page.locator(`a[href$="/receipts/${id}"]`).click()
  await page.getByText('A-Search-7').first().waitFor()
  await page.goBack()
  await page.locator(`a[href$="/receipts/${id}"]`).waitFor()
  assert.equal(await page.getByLabel('Order number').inputValue(), 'a-search-7')
  assert.equal(await page.locator(`a[href$="/receipts/${other}"]`).count(), 0)
  await page.getByLabel('Amount from').fill('7000,01')
  await page.keyboard.press('Enter')
  await page.getByText('No receipts match').waitFor()
  assert.equal(new URL(page.url()).search, '?amountFrom=7000.01')
  assert.deepEqual(await listAccessibilityViolations(page), [])
})

test('a card number typed as an order number never leaves the page', async () => {
  const page = await dashboard.open('receipts')
  const sent: string[] = []
  page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`))
  await page.getByLabel('Order number').fill('8600 0691 9540 6311')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('card number').waitFor()
  await page.getByText('No receipts match').waitFor()
  assert.equal(await page.getByLabel('Order number').inputValue(), '6311')
  assert.equal(
    sent.some((text) => text.replace(/\D/g, '').includes('8600069195406311')),
    false,
  )
})

test('one status is listed and exported alone, and fiscal data is shown by its members', async () => {
  const id = await pay(false, 'fiscal')
  await dashboard.api('receipts.set_fiscal_data', { id, fiscal_data: { receipt_id: 77, qr_code_url: 'https://ofd.example/check?r=77' } })
  const { receipt } = (await dashboard.api('receipts.create', { amount: 100_000, description: 'not paid' })) as ApiResult
  const page = await dashboard.open('receipts')
  await page.locator(`a[href$="/receipts/${receipt._id}"]`).waitFor()
  await page.getByLabel('Status').selectOption({ label: 'Paid' })
  await page.locator(`a[href$="/receipts/${receipt._id}"]`).waitFor({ state: 'detached' })
  await waitUntilFound(page, id)
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
  const csv = await readDownload(file)
  assert.deepEqual([csv.includes(id), csv.includes(receipt._id)], [true, false])
  await page.getByText(/^Rows in the file: \d+ · saved$/).waitFor()
  await openReceipt(page, id)
  const link = page.getByRole('link', { name: 'https://ofd.example/check?r=77' })
  assert.equal(await link.getAttribute('rel'), 'noreferrer noopener')
  await page.getByText('receipt_id', { exact: true }).waitFor()
  const russian = await dashboard.open(`receipts/${id}`, { locale: 'ru-RU' })
  const russianOperation = russian.locator('li', { hasText: 'Списание' })
  await russianOperation.getByText('одобрено', { exact: true }).waitFor()
  assert.equal(await russianOperation.getByText(/authorize|approved/i).count(), 0)
})

// Last in the file: from here on no payment succeeds.
test('the cause of a failed payment is one click away from anywhere, and the response of the network two', async () => {
  const callApi = (method: string, params: object) => dashboard.api(method, params) as Promise<ApiResult>
  const { _id: id } = (await callApi('receipts.create', { amount: 1_000_000, description: 'failed' })).receipt
  const { token } = (await callApi('cards.create', { card: { number: '8600495473316478', expire: '0399' }, save: true })).card
  await callApi('cards.get_verify_code', { token })
  await callApi('cards.verify', { token, code: '666666' })
  const page = await dashboard.open('account')
  await callDashboard(page, 'dashboard.sandbox.setStep', { scenario: 'receipts.pay', step: 'insufficient_funds' })
  await dashboard.api('receipts.pay', { id, token })
  await page.locator('nav a[href="/dashboard/receipts"]').click()
  const row = page.locator('tr', { has: page.locator(`a[href$="/receipts/${id}"]`) })
  await row.getByText('Failed', { exact: true }).waitFor()
  await row.getByText('Insufficient funds.').waitFor()
  await page.getByLabel('Reason').selectOption('insufficient_funds')
  await waitUntilFound(page, id)
  assert.equal(new URL(page.url()).search, '?reason=insufficient_funds')
  await page.getByLabel('Reason').selectOption('card_expired')
  await page.getByText('No receipts match').waitFor()
  await page.goBack()
  await row.locator('a[href^="/dashboard/receipts/"]').click()
  await page.locator('strong', { hasText: 'Authorize' }).waitFor()
  await page.getByText('insufficient_funds').first().waitFor()
})
