// time limit: 240 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Page } from 'playwright-core'

import { listAccessibilityViolations, openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard({ isShared: false })
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

const success = '8600069195406311'
const demoId = '65f0c0ffee0000000000cafe'

/** Calls the API as the merchant's server, and returns the whole response. */
async function callApi(
  method: string,
  params: object,
): Promise<{ result?: Record<string, never>; error?: { code: number; reason: string } }> {
  const { url, merchantId, password } = dashboard.tessera
  const headers = { 'x-auth': `${merchantId}:${password}` }
  const reply = await fetch(`${url}/api/${method}`, { method: 'POST', headers, body: JSON.stringify({ id: 1, method, params }) })
  return (await reply.json()) as { result?: Record<string, never>; error?: { code: number; reason: string } }
}

async function reasonOf(method: string, params: object): Promise<string> {
  return (await callApi(method, params)).error?.reason ?? 'ok'
}

async function newToken(number: string): Promise<string> {
  const { result } = await callApi('cards.create', { card: { number, expire: '0399' }, save: true })
  return String((result?.['card'] as { token?: string } | undefined)?.token)
}

function waitForStatus(page: Page, text: string): Promise<void> {
  return page.locator('.status-bar', { hasText: text }).waitFor()
}

test('a dialog stays open while its action is running, shows why it failed, and restores the focus', async () => {
  const page = await dashboard.open('sandbox')
  const opener = page.getByRole('button', { name: 'Empty…' })
  await opener.focus()
  await opener.press('Enter')
  const dialog = page.locator('dialog')
  await dialog.getByRole('textbox').fill(demoId)
  const released = Promise.withResolvers<null>()
  await page.route('**/dashboard/api', async (route) => {
    if (route.request().postData()?.includes('dashboard.sandbox.reset') !== true) return route.continue()
    await released.promise
    return route.abort()
  })
  await dialog.getByRole('textbox').press('Enter')
  await dialog.locator('button[disabled]', { hasText: 'Cancel' }).waitFor()
  await page.keyboard.press('Escape')
  assert.equal(await dialog.isVisible(), true)
  released.resolve(null)
  await dialog.locator('.error-message').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  // The focus returns with the page's next effects, a moment after the dialog has gone.
  await opener.and(page.locator(':focus')).waitFor()
})

test('a control applies from the next call on, until all controls are reset', async () => {
  const page = await dashboard.open('sandbox')
  await page.getByText('no failures simulated').waitFor()
  await page.getByLabel('cards.get_verify_code', { exact: true }).selectOption('card_blocked')
  await waitForStatus(page, 'Set: cards.get_verify_code, card is blocked.')
  const token = await newToken(success)
  assert.equal(await reasonOf('cards.get_verify_code', { token }), 'card_blocked')
  assert.equal(await reasonOf('cards.verify', { token, code: '666666' }), 'ok')
  await page.getByLabel('receipts.pay', { exact: true }).selectOption('insufficient_funds')
  await waitForStatus(page, 'Set: receipts.pay')
  const { result } = await callApi('receipts.create', { amount: 5000, account: {} })
  const id = String((result?.['receipt'] as { _id?: string } | undefined)?._id)
  assert.equal(await reasonOf('receipts.pay', { id, token }), 'insufficient_funds')
  await page.getByLabel('receipts.pay', { exact: true }).selectOption('late')
  await page.getByLabel('Seconds at receipts.pay').selectOption('1 s')
  await waitForStatus(page, 'Set: receipts.pay, delayed by 1 s.')
  const startedAt = performance.now()
  assert.equal(await reasonOf('receipts.pay', { id, token }), 'ok')
  assert.ok(performance.now() - startedAt >= 990)
  await page.getByLabel('Failing step: card has expired').selectOption('create')
  await waitForStatus(page, 'Set: card has expired, cards.create.')
  assert.equal(await reasonOf('cards.create', { card: { number: '3333336415804657', expire: '0399' } }), 'card_expired')
  await page.getByText('Controls set: 3').waitFor()
  await page.getByRole('button', { name: 'Reset all controls' }).click()
  await waitForStatus(page, 'All controls are reset.')
  assert.equal(await reasonOf('cards.get_verify_code', { token: await newToken(success) }), 'ok')
  assert.equal(await page.getByLabel('Failing step: card has expired').inputValue(), 'get_verify_code')
})

test('production rate limits apply while they are switched on', async () => {
  const page = await dashboard.open('sandbox')
  const limits = page.getByRole('checkbox', { name: 'Production rate limits' })
  const codes = async (): Promise<string[]> => {
    const reasons = []
    for (let turn = 0; turn < 2; turn++) reasons.push(await reasonOf('cards.get_verify_code', { token: await newToken(success) }))
    return reasons
  }
  await limits.check()
  await waitForStatus(page, 'The limits are on')
  await page.getByText('Counting since').waitFor()
  assert.deepEqual(await codes(), ['ok', 'send_limit_card'])
  await limits.uncheck()
  await waitForStatus(page, 'The limits are off')
  assert.deepEqual(await codes(), ['ok', 'ok'])
})

test('a moved clock expires a code, is shown on every page, and is reset', async () => {
  const page = await dashboard.open('sandbox')
  const token = await newToken(success)
  assert.equal(await reasonOf('cards.get_verify_code', { token }), 'ok')
  await page.getByRole('button', { name: '+3 min' }).click()
  await waitForStatus(page, 'The clock is now 3 min 1 s ahead.')
  assert.equal(await reasonOf('cards.verify', { token, code: '666666' }), 'code_expired')
  await page.getByLabel('Move ahead by').fill('2')
  await page.getByLabel('Unit').selectOption('days')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await waitForStatus(page, 'The clock is now 2 d 3 min ahead.')
  await page.locator('nav a[href="/dashboard/cards"]').click()
  await page.getByText('2 d 3 min ahead of real time').waitFor()
  const other = await dashboard.open('audit', { locale: 'ru-RU' })
  await other.getByText('переведены вперёд на 2 д 3 мин').waitFor()
  await other.locator('main .table tbody').getByText('Время сдвинуто').first().waitFor()
  await page.getByText('ahead of real time').getByRole('link').click()
  await page.getByRole('button', { name: 'Reset to real time' }).click()
  await page.locator('.moved-time').waitFor({ state: 'detached' })
  await other.locator('nav a[href="/dashboard/cards"]').click()
  await other.locator('.moved-time').waitFor({ state: 'detached' })
  const fresh = await newToken(success)
  assert.equal(await reasonOf('cards.get_verify_code', { token: fresh }), 'ok')
  assert.equal(await reasonOf('cards.verify', { token: fresh, code: '666666' }), 'ok')
})

test('the sandbox is emptied with the keyboard, and only once the merchant’s id is typed', async () => {
  const page = await dashboard.open('sandbox')
  const token = await newToken(success)
  await page.getByRole('button', { name: 'Empty…' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Merchant id').fill(demoId.slice(1))
  assert.equal(await dialog.getByRole('button', { name: 'Empty' }).isDisabled(), true)
  await page.keyboard.press('Enter')
  assert.equal(await reasonOf('cards.check', { token }), 'ok')
  await dialog.getByLabel('Merchant id').fill(demoId)
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.keyboard.press('Enter')
  await waitForStatus(page, 'The sandbox is empty.')
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.equal(await reasonOf('cards.check', { token }), 'card_not_found')
  await page.locator('nav a[href="/dashboard/receipts"]').click()
  await page.locator('main .empty').waitFor()
})

test('a read-only user sees the controls, and all of them are disabled', async () => {
  const page = await dashboard.openAs('read', 'sandbox')
  await page.locator('.faults').waitFor()
  assert.equal(await page.locator('main select:enabled, main input:enabled').count(), 0)
  assert.equal(await page.getByRole('button', { name: /Empty|Reset|\+|Move/ }).count(), 0)
})
