import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

async function createReceipt(): Promise<string> {
  const { receipt } = (await dashboard.api('receipts.create', { amount: 5_000_000, account: {} })) as { receipt: { _id: string } }
  return receipt._id
}

test('an accepted action whose reply is lost is not offered again: the page says what has become of it', async () => {
  const page = await dashboard.open(`receipts/${await createReceipt()}`)
  await page.getByRole('button', { name: 'Cancel the receipt' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').selectOption({ label: 'wrong amount' })
  // The call arrives, and its reply does not.
  await page.evaluate(() => {
    const send = window.fetch
    window.fetch = async (input, init) => {
      const response = await send(input, init)
      if (typeof init?.body === 'string' && init.body.includes('dashboard.receipts.cancel')) throw new TypeError('reply lost')
      return response
    }
  })
  await dialog.getByRole('button', { name: 'Cancel the receipt' }).click()
  await page.getByText(/its reply was lost.*The receipt was cancelled\./).waitFor()
  assert.equal(await dialog.count(), 0)
  await page.locator('h2 .tag', { hasText: 'Cancelled' }).waitFor()
})

test('an action that never arrived stays open with its error', async () => {
  const page = await dashboard.open(`receipts/${await createReceipt()}`)
  await page.getByRole('button', { name: 'Cancel the receipt' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').selectOption({ label: 'wrong amount' })
  await page.route('**/dashboard/api', (route) =>
    route.request().postData()?.includes('dashboard.receipts.cancel') === true ? route.abort() : route.continue(),
  )
  await dialog.getByRole('button', { name: 'Cancel the receipt' }).click()
  await dialog.getByRole('alert').waitFor()
})

test('what was typed about one receipt does not stay when another is opened from it', async () => {
  const [one, other] = [await createReceipt(), await createReceipt()]
  const page = await dashboard.open(`receipts/${other}`)
  await page.evaluate((path) => {
    history.pushState(null, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, `/dashboard/receipts/${one}`)
  await page.getByText(one).first().waitFor()
  await page.getByRole('button', { name: 'Cancel the receipt' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Note').fill('of the first one')
  await page.goBack()
  await page.getByText(other).first().waitFor()
  assert.equal(await dialog.count(), 0)
  await page.getByRole('button', { name: 'Cancel the receipt' }).click()
  assert.equal(await dialog.getByLabel('Note').inputValue(), '')
})
