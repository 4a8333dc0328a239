import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { listAccessibilityViolations, openDashboard, waitForResponseTo, type OpenDashboard } from './dashboard.fixture.ts'

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
