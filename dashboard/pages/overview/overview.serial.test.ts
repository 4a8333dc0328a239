// time limit: 240 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { listAccessibilityViolations, openDashboard, type OpenDashboard, readDownload } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('the page Overview explains itself while it is empty, then shows its numbers as charts and as tables', async () => {
  const page = await dashboard.open('overview')
  await page.getByText('Make a first token').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  for (const number of ['8600069195406311', '4444445987459073']) {
    const { card } = (await dashboard.api('cards.create', { card: { number, expire: '0399' } })) as { card: { token: string } }
    await dashboard.api('cards.get_verify_code', { token: card.token })
    await dashboard.api('cards.verify', { token: card.token, code: '666666' })
    const { receipt } = (await dashboard.api('receipts.create', { amount: 70_000, account: {} })) as { receipt: { _id: string } }
    await dashboard.api('receipts.pay', { id: receipt._id, token: card.token })
  }
  const causes = page.locator('.bar-list')
  // Counters are stored after the calls, and appear when the page is loaded again.
  const isThere = async (): Promise<boolean> => {
    await page.reload()
    await page.locator('.totals, .empty').waitFor()
    return causes
      .nth(2)
      .waitFor({ timeout: 3000 })
      .then(
        () => true,
        () => false,
      )
  }
  const until = Date.now() + 60_000
  while (!(await isThere()) && Date.now() < until);
  assert.equal(await causes.count(), 3)
  const money = (await page.locator('.money-head').innerText()).replace(/\s+/g, ' ')
  assert.match(money, /^Net 700 soʻm nothing before Paid 700 soʻm Payments: 1 nothing before Refunded 0 soʻm Refunds: 0 compared with/)
  const totals = (await page.locator('.totals').innerText()).replace(/\s+/g, ' ')
  assert.match(totals, /Approved payments 50 % 1 of 2 Declined 1 .*Tokens 2 .*Verified of created 100 % 2 of 2/)
  await page.getByText('As a table').first().click()
  assert.match((await page.locator('.chart').first().locator('tbody tr').nth(6).innerText()).replace(/\s+/g, ' '), /700 soʻm 0 soʻm$/)
  assert.deepEqual(await listAccessibilityViolations(page), [])
})

test('a chart says the values of a step under the pointer and by the arrow keys, in a box and to assistive technology', async () => {
  const page = await dashboard.open('overview')
  const chart = page.getByRole('slider', { name: 'Payments', exact: true })
  await chart.waitFor()
  const box = page.locator('.values')
  await chart.hover({ position: { x: ((await chart.boundingBox())?.width ?? 0) - 10, y: 60 } })
  await box.waitFor()
  assert.match((await box.innerText()).replace(/\s+/g, ' '), /^\d\d \w{3} \d{4} paid: 1 declined: 1 Enter or a click opens the list$/)
  await page.mouse.move(0, 0)
  await box.waitFor({ state: 'detached' })

  await chart.focus()
  assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /, paid: 1, declined: 1$/)
  await page.keyboard.press('ArrowLeft')
  assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /, paid: 0, declined: 0$/)
  assert.match((await box.innerText()).replace(/\s+/g, ' '), /paid: 0 declined: 0 Enter or a click opens the list$/)
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.keyboard.press('Home')
  await page.keyboard.press('ArrowLeft')
  assert.equal(await chart.getAttribute('aria-valuenow'), '1')
  await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })
  // Round numbers at the gridlines.
  assert.deepEqual(await chart.locator('text[text-anchor=end]').allTextContents(), ['0', '1'])
})

test('a bar opens the rows that it stands for, by a click, by Enter and by a link in its table', async () => {
  const page = await dashboard.open('overview')
  const declines = page.getByRole('slider', { name: 'Why payments were declined' })
  await declines.locator('li', { hasText: 'The card is blocked' }).click()
  await page.waitForURL(/receipts\?from=[\d-]{10}&to=[\d-]{10}&reason=card_blocked$/)
  await page.locator('tbody tr').first().waitFor()
  assert.equal(await page.locator('tbody tr').count(), 1)
  await page.goBack()
  const payments = page.getByRole('slider', { name: 'Payments', exact: true })
  await payments.focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.waitForURL(/receipts\?from=([\d-]{10})&to=\1$/)
  await page.locator('tbody tr').nth(1).waitFor()
  await page.goBack()
  const money = page.locator('.chart').first()
  await money.getByText('As a table').click()
  await money.locator('tbody a').last().click()
  await page.waitForURL(/receipts\?date=paid&from=/)
  await page.locator('tbody tr').first().waitFor()
  assert.equal(await page.locator('tbody tr').count(), 1)
})

test('the period is part of the address, names its days, and is the same on the daily totals', async () => {
  const page = await dashboard.open('overview')
  await page.getByLabel('Period').selectOption({ label: 'Yesterday' })
  await page.waitForURL(/from=(\d{4}-\d\d-\d\d)&to=\1$/)
  await page.getByText('whole days in UTC+5').waitFor()
  await page.getByText('Nothing happened in this period').waitFor()
  await page.getByLabel('Period').selectOption({ label: 'Last 30 days' })
  await page.getByRole('link', { name: 'Daily totals' }).click()
  await page.locator('tfoot').waitFor()
  assert.equal(await page.getByLabel('Period').inputValue(), 'last30')
  assert.equal(await page.locator('.day-totals tbody tr').count(), 30)
  assert.match((await page.locator('tfoot').innerText()).replace(/\s+/g, ' '), /^Total 700 1 0 0 0 700 —$/)
  assert.deepEqual(await listAccessibilityViolations(page), [])
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
  const lines = (await readDownload(file)).trim().split('\r\n')
  assert.equal(lines.length, 31)
  assert.match(lines.at(-1) ?? '', /^"\d{4}-\d\d-\d\d","1","700\.00","0","0\.00","0\.00","700\.00","70000","0","0\.00"$/)
  await page.locator('tbody a').first().click()
  await page.waitForURL(/receipts\?date=paid&from=/)
  await page.locator('tbody tr').first().waitFor()
  assert.equal(await page.locator('tbody tr').count(), 1)
})
