// time limit: 120 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { callDashboard, listAccessibilityViolations, openDashboard, readDownload, type OpenDashboard } from '../../dashboard.fixture.ts'

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
  const { _id: id } = (await callApi('receipts.create', { amount: 1_234_500, description })).receipt
  await callApi('receipts.pay', { id, token, hold })
  return id
}

test('a receipt is found in the list, shows the responses of the network, and is refunded', async () => {
  const id = await pay(false, '=HYPERLINK("x")<script>')
  const page = await dashboard.open('receipts')
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export this list' }).click()])
  assert.match(await readDownload(file), /"'=HYPERLINK\(""x""\)<script>"/)
  await page.getByRole('link', { name: id.slice(-8) }).click()
  await page.locator('strong', { hasText: 'Authorize' }).waitFor()
  await page.getByText('=HYPERLINK("x")<script>').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.getByRole('button', { name: 'Cancel the receipt' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the receipt' }).click()
  await page.locator('strong', { hasText: 'refund' }).first().waitFor()
})

test('held money is captured, a day without receipts shows a message, and leaving a filter clears its days', async () => {
  const id = await pay(true, 'a hold')
  const page = await dashboard.open(`receipts/${id}`, { viewport: { width: 360, height: 740 }, colorScheme: 'dark' })
  await page.getByRole('button', { name: 'Capture the held money' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Capture the held money' }).click()
  await page.getByText('paid', { exact: true }).first().waitFor()
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  await page.goto(`${dashboard.origin}/dashboard/receipts?from=2020-01-01&to=2020-01-02`)
  await page.getByText('No receipts found').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('link', { name: 'Receipts' }).click()
  await page.getByRole('link', { name: id.slice(-8) }).waitFor()
  assert.equal(await page.getByLabel('From').inputValue(), '', 'the field is cleared with the filter')
  await page.getByLabel('State').selectOption({ label: 'created' })
  await page.getByText('No receipts found').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('from'), '')
})

test('one state is listed and exported alone, and fiscal data is shown by its members', async () => {
  const id = await pay(false, 'fiscal')
  await dashboard.api('receipts.set_fiscal_data', { id, fiscal_data: { receipt_id: 77, qr_code_url: 'https://ofd.example/check?r=77' } })
  const { receipt } = (await dashboard.api('receipts.create', { amount: 100_000, description: 'not paid' })) as ApiResult
  const page = await dashboard.open('receipts')
  await page.getByRole('link', { name: receipt._id.slice(-8) }).waitFor()
  await page.getByLabel('State').selectOption({ label: 'paid' })
  await page.getByRole('link', { name: receipt._id.slice(-8) }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: id.slice(-8) }).waitFor()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export this list' }).click()])
  const csv = await readDownload(file)
  assert.deepEqual([csv.includes(id), csv.includes(receipt._id)], [true, false])
  const saved = page.getByText(/^Receipts in the file: \d+\.$/)
  await saved.waitFor()
  await page.route('**/dashboard/api', (route) => route.abort())
  await page.getByRole('button', { name: 'Export this list' }).click()
  await page.getByRole('alert').getByText('did not respond').waitFor()
  assert.equal(await saved.count(), 0, 'the status of the previous export is cleared')
  await page.unroute('**/dashboard/api')
  await page.getByRole('link', { name: id.slice(-8) }).click()
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
  await page.getByRole('link', { name: 'Receipts' }).click()
  const row = page.locator('tr', { has: page.getByRole('link', { name: id.slice(-8) }) })
  await row.getByText('insufficient_funds').waitFor()
  await row.getByRole('link').click()
  await page.locator('strong', { hasText: 'Authorize' }).waitFor()
  await page.getByText('insufficient_funds').first().waitFor()
})
