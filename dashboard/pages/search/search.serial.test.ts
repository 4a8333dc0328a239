// time limit: 120 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import type { Page } from 'playwright-core'

import { listAccessibilityViolations, openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

const pan = '8600495473316478'

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

async function pay(order: string, customer: string): Promise<{ readonly cardId: string; readonly receiptId: string }> {
  const callApi = (method: string, params: object) => dashboard.api(method, params) as Promise<ApiResult>
  const { token } = (await callApi('cards.create', { card: { number: pan, expire: '0399' }, customer, save: true })).card
  await callApi('cards.get_verify_code', { token })
  await callApi('cards.verify', { token, code: '666666' })
  const { _id: receiptId } = (await callApi('receipts.create', { amount: 5_417_400, account: { order } })).receipt
  await callApi('receipts.pay', { id: receiptId, token })
  return { cardId: token.slice(0, 24), receiptId }
}

/** Everything that the page sends, and the addresses that it has shown. */
function watch(page: Page): string[] {
  const sent: string[] = []
  page.on('request', (request) => void sent.push(request.url(), request.postData() ?? ''))
  page.on('framenavigated', (frame) => void sent.push(frame.url()))
  return sent
}

const options = (page: Page) => page.locator('.search-list [role=option]')
const box = (page: Page) => page.getByRole('combobox', { name: 'Search' })

/** A change is found a second after it. */
async function searchUntilFound(page: Page, text: string): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await box(page).fill('')
    await box(page).fill(text)
    await page.locator('.search-status', { hasText: /Results|Nothing/ }).waitFor()
    if ((await options(page).count()) > 0) return
    await page.waitForTimeout(500)
  }
  assert.fail(`${text} was not found`)
}

test('what is typed while the search is still being loaded is in its field', async () => {
  const page = await dashboard.open('account')
  await page.route('**/part-*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300))
    await route.continue()
  })
  await page.keyboard.type('/10 766')
  const field = page.getByRole('combobox', { name: 'Search' })
  await field.waitFor()
  assert.equal(await field.inputValue(), '10 766')
  await page.keyboard.type('1')
  assert.equal(await field.inputValue(), '10 7661')
})

test('a payment is found by its order number with the keyboard alone, from any page, and its order stays out of the address', async () => {
  const { receiptId } = await pay('Mark-7712', 'payer-7712')
  const page = await dashboard.open('settings')
  await page.locator('main h1').waitFor()
  const sent = watch(page)
  await page.keyboard.press('/')
  await box(page).waitFor()
  await searchUntilFound(page, 'mark-7712')
  const option = options(page).first()
  assert.equal(await option.getAttribute('aria-selected'), 'true')
  assert.equal(await box(page).getAttribute('aria-activedescendant'), await option.getAttribute('id'))
  await option.getByText('Paid', { exact: true }).waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.keyboard.press('Enter')
  await page.locator('dialog').waitFor({ state: 'detached' })
  await page.waitForURL(`**/dashboard/receipts/${receiptId}`)
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'page')
  assert.ok(!sent.filter((each) => each.startsWith('http')).some((url) => url.includes('7712')))
})

test('results are grouped by kind, the arrow keys go through all of them, and Escape gives the focus back', async () => {
  const { cardId } = await pay('6478', '6478')
  const page = await dashboard.open('audit', { colorScheme: 'dark', viewport: { width: 390, height: 844 } })
  await page.getByRole('button', { name: 'Search' }).click()
  await searchUntilFound(page, '6478')
  await page.getByRole('group', { name: 'Cards' }).getByText('860049******6478').first().waitFor()
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  assert.deepEqual(await listAccessibilityViolations(page), [])
  const count = await options(page).count()
  const seen = new Set<string | null>()
  for (let step = 0; step < count; step++) {
    seen.add(await box(page).getAttribute('aria-activedescendant'))
    await page.keyboard.press('ArrowDown')
  }
  assert.equal(seen.size, count)
  await page.keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.match(await page.evaluate(() => document.activeElement?.className ?? ''), /search-open/)
  await page.keyboard.press('Control+k')
  await box(page).fill(cardId)
  await options(page).first().click()
  await page.waitForURL(`**/dashboard/cards/${cardId}`)
})

for (const [how, put] of [
  ['pasted', (page: Page, text: string) => page.keyboard.insertText(text)],
  ['typed', (page: Page, text: string) => page.keyboard.type(text, { delay: 30 })],
] as const) {
  test(`a card number that is ${how} into the search never leaves the page, nor its first digits; its last four are searched instead`, async () => {
    const { cardId } = await pay(`o-${how}`, `c-${how}`)
    const page = await dashboard.open('overview')
    await page.locator('main h1').waitFor()
    const sent = watch(page)
    await page.keyboard.press('Control+k')
    await box(page).waitFor()
    await put(page, '8600 4954 7331 6478')
    await page.getByText('A full card number never leaves this page').first().waitFor()
    await options(page).first().waitFor()
    assert.equal(await box(page).inputValue(), '6478')
    await options(page)
      .filter({ hasText: `c-${how}` })
      .first()
      .waitFor()
    const all = sent.join('\n').replace(/\s/g, '')
    assert.ok(all.includes('"text":"6478"'))
    assert.ok(!all.includes('8600495'), 'more than six of its first digits were sent')
    assert.ok(cardId.length === 24)
  })
}

test('a long number that is being typed waits for Enter, and the search says so', async () => {
  const page = await dashboard.open('overview')
  const sent = watch(page)
  await page.keyboard.press('Control+k')
  await box(page).waitFor()
  await page.keyboard.type('86004954', { delay: 200 })
  await page.getByText('Press Enter to search.').waitFor()
  assert.ok(!sent.join('').includes('8600495'))
  await page.keyboard.press('Enter')
  await page.getByText('Nothing found').waitFor()
  assert.ok(sent.join('').includes('86004954'))
})

test('a card number in a filter becomes its last four digits before the address sees it, and in another field stays unsent', async () => {
  const page = await dashboard.open('cards')
  const sent = watch(page)
  await page.getByLabel('Find a card').fill(pan)
  await page.locator('.card-number-notice:popover-open').getByText('6478').waitFor()
  assert.equal(await page.getByLabel('Find a card').inputValue(), '6478')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/cards?search=6478')
  // What may be the name or the phone of a customer is in no address, and survives a reload.
  await page.getByLabel('Find a card').fill('+998 90 700-11-22')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard/cards')
  await page.reload()
  await page.getByText('No card found').waitFor()
  assert.equal(await page.getByLabel('Find a card').inputValue(), '+998 90 700-11-22')
  // An id of an earlier version, with the digits of a card number in it, is an id.
  await page.getByLabel('Find a card').fill(`a${pan}abcdefa`)
  assert.equal(await page.getByLabel('Find a card').inputValue(), `a${pan}abcdefa`)
  await page.locator('nav a[href="/dashboard/requests"]').click()
  await page.getByText('More filters').click()
  await page.getByLabel('Card', { exact: false }).first().fill(pan)
  assert.equal(await page.getByLabel('Card', { exact: false }).first().inputValue(), '6478')
  await page.locator('.account summary').click()
  await page.getByRole('link', { name: 'My account' }).click()
  await page.getByLabel('Current password').first().fill(pan)
  await page.locator('.card-number-notice:popover-open').getByText('or nothing is sent').waitFor()
  assert.ok(!sent.join('').includes(pan))
})
