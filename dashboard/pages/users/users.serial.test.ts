import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { callDashboard, listAccessibilityViolations, openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('an owner names, resets, disables and deletes users after a confirmation, and the controls of each row name its user', async () => {
  const page = await dashboard.open('users', { reducedMotion: 'reduce' })
  await callDashboard(page, 'dashboard.users.create', { phone: '998901110001', role: 'support' })
  await page.getByRole('button', { name: 'Add a user' }).click()
  const dialog = page.getByRole('dialog')
  const choose = async (action: string, whom: string): Promise<void> => {
    await page.getByRole('button', { name: `More actions ${whom}` }).click()
    await page.getByRole('button', { name: `${action} ${whom}` }).click()
  }
  const waitUntilClosed = () => page.locator('dialog').waitFor({ state: 'detached' })
  await dialog.getByLabel('Name').fill('Dilnoza Karimova')
  await dialog.getByLabel('Phone').fill('998 90 111 00 02')
  await dialog.getByLabel('Role').selectOption('support')
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await dialog.getByRole('button', { name: 'Add a user' }).click()
  await page.getByRole('dialog', { name: 'Temporary password' }).getByRole('button', { name: 'Close' }).click()
  await waitUntilClosed()
  const row = page.locator('li', { hasText: 'Dilnoza Karimova' })
  await row.getByText('+998 90 111 00 02').waitFor()
  await row.getByText('never').waitFor()
  await choose('Reset password', '+998901110001')
  await dialog.getByText('the second factor').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await waitUntilClosed()
  await choose('Reset password', 'Dilnoza Karimova')
  await dialog.getByRole('button', { name: 'Reset password' }).click()
  await page.getByRole('dialog', { name: 'Temporary password' }).getByRole('button', { name: 'Close' }).click()
  await waitUntilClosed()
  await choose('Disable', 'Dilnoza Karimova')
  // A key pressed before the dialog is open has no effect.
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await waitUntilClosed()
  assert.equal(await row.getByText('disabled').count(), 0, 'nobody is disabled after Escape')
  assert.equal(
    await page.evaluate(() => document.activeElement?.textContent.trim()),
    'More actions Dilnoza Karimova',
    'the focus is back at the menu',
  )
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Disable Dilnoza Karimova' }).waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Disable Dilnoza Karimova' }).waitFor({ state: 'detached' })
  await choose('Disable', 'Dilnoza Karimova')
  await dialog.getByRole('button', { name: 'Disable' }).click()
  await row.getByText('disabled').waitFor()
  await waitUntilClosed()
  await choose('Enable', 'Dilnoza Karimova')
  await row.getByText('disabled').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Edit Dilnoza Karimova' }).click()
  await dialog.getByLabel('Role').selectOption('read')
  await dialog.getByText('The role changes from “support” to “read only” at once').waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row.getByText('read only').waitFor()
  await waitUntilClosed()
  await choose('Delete', 'Dilnoza Karimova')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await row.waitFor({ state: 'detached' })
  const { entries } = await callDashboard(page, 'dashboard.audit.list', { after: null })
  assert.equal(entries.filter(({ action }) => action === 'dashboard_user.password_reset').length, 1, 'only the confirmed reset')
})
