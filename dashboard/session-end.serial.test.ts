import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import {
  callDashboard,
  fillSignIn,
  listAccessibilityViolations,
  openDashboard,
  waitForResponseTo,
  type OpenDashboard,
} from './dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('the end of a session is announced two minutes before, a button keeps it, and so does typing', async () => {
  const page = await dashboard.open('cards')
  await page.clock.install()
  await page.reload()
  await page.locator('nav a').first().waitFor()
  const dialog = page.getByRole('dialog', { name: 'Are you still there?' })
  await page.clock.runFor('11:50')
  assert.equal(await dialog.count(), 0)
  await page.clock.runFor('00:20')
  await dialog.getByText('ends in 2 min').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await Promise.all([waitForResponseTo(page, 'dashboard.session.get'), dialog.getByRole('button', { name: 'Stay signed in' }).click()])
  await dialog.waitFor({ state: 'detached' })
  await page.clock.runFor('09:30')
  await page.getByRole('searchbox').first().fill('6311')
  await Promise.all([waitForResponseTo(page, 'dashboard.session.get'), page.clock.runFor('00:10')])
  await page.clock.runFor('05:00')
  assert.equal(await dialog.count(), 0)
  assert.equal(await page.getByRole('searchbox').first().inputValue(), '6311')
})

test('a tab that rests knows of the calls of another one, and announces no end', async () => {
  const page = await dashboard.open('cards')
  await page.clock.install()
  await page.reload()
  await page.locator('nav a').first().waitFor()
  await page.clock.runFor('11:50')
  const other = await page.context().newPage()
  await other.goto(`${dashboard.origin}/dashboard/receipts`)
  await other.locator('nav a').first().waitFor()
  await page.clock.runFor('00:30')
  const dialog = page.getByRole('dialog', { name: 'Are you still there?' })
  assert.equal(await dialog.count(), 0)
  await page.clock.runFor('12:00')
  await dialog.waitFor()
})

test('a session that ends covers the page with the form to sign in, and what was typed is there afterwards, also in an open dialog', async () => {
  const { receipt } = (await dashboard.api('receipts.create', { amount: 5_000_000, account: {} })) as { receipt: { _id: string } }
  const { page, login } = await dashboard.openNew('support', `receipts/${receipt._id}`)
  await page.getByRole('button', { name: 'Cancel the receipt' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel the receipt' })
  await dialog.getByLabel('Reason').selectOption({ label: 'wrong amount' })
  await dialog.getByLabel('Note').fill('typed before the end')
  await callDashboard(page, 'dashboard.session.signOut', {})
  await dialog.getByRole('button', { name: 'Cancel the receipt' }).click()
  const again = page.getByRole('dialog', { name: 'Sign in' })
  await again.getByText('with what you typed').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  assert.ok(await again.isVisible())
  const box = await again.boundingBox()
  assert.deepEqual([box?.x, box?.y, box?.width], [0, 0, page.viewportSize()?.width], 'nothing of the page is to be seen')
  await fillSignInAgain()
  await again.waitFor({ state: 'detached' })
  assert.equal(await dialog.getByLabel('Note').inputValue(), 'typed before the end')
  await dialog.getByRole('button', { name: 'Cancel the receipt' }).click()
  await page.getByText('The receipt was cancelled.').waitFor()

  async function fillSignInAgain(): Promise<void> {
    await again.getByRole('textbox', { name: 'Phone' }).fill(login.phone)
    await again.locator('input[type=password]').fill(login.password)
    await again.locator('button[type=submit]').click()
  }
})

test('the lists that could not be loaded after the end of a session are loaded once somebody has signed in again, and show no error', async () => {
  const { page, login } = await dashboard.openNew('support', 'cards')
  await callDashboard(page, 'dashboard.session.signOut', {})
  await page.locator('nav a[href="/dashboard/verification"]').click()
  const again = page.getByRole('dialog', { name: 'Sign in' })
  await again.getByText('Your session has ended').waitFor()
  await again.getByRole('textbox', { name: 'Phone' }).fill(login.phone)
  await again.locator('input[type=password]').fill(login.password)
  await again.locator('button[type=submit]').click()
  await again.waitFor({ state: 'detached' })
  await page.locator('.funnel').waitFor()
  await page.locator('main > .table, main .empty').first().waitFor()
  assert.equal(await page.getByText('Your session has ended').count(), 0)
})

test('another user who signs in finds nothing of what was typed before', async () => {
  const page = await dashboard.open('cards')
  await page.getByRole('searchbox').first().fill('typed by the first')
  const { login } = await dashboard.openNew('read', 'cards')
  await callDashboard(page, 'dashboard.session.signOut', {})
  await page.reload()
  await fillSignIn(page, login)
  await page.locator('nav a').first().waitFor()
  await page.getByRole('searchbox').first().fill('typed by the second')
  await callDashboard(page, 'dashboard.session.signOut', {})
  await page.keyboard.press('Enter')
  const again = page.getByRole('dialog', { name: 'Sign in' })
  await again.getByRole('textbox', { name: 'Phone' }).fill(dashboard.login.phone)
  await again.locator('input[type=password]').fill(dashboard.login.password)
  await again.locator('button[type=submit]').click()
  await again.waitFor({ state: 'detached' })
  await page.waitForURL(/\/dashboard\/(?:start|overview)$/)
  assert.equal(await page.getByText('typed by the second').count(), 0)
  await page.locator('nav a[href="/dashboard/cards"]').click()
  assert.equal(await page.getByRole('searchbox').first().inputValue(), '')
})
