// time limit: 120 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Page } from 'playwright-core'

import { fillSignIn, listAccessibilityViolations, openDashboard, type Login, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

async function openSignIn(): Promise<{ page: Page; faults: string[] }> {
  const page = await (await dashboard.context()).newPage()
  const faults: string[] = []
  page.on('pageerror', (err) => faults.push(String(err)))
  page.on('console', (line) => {
    if (/Content Security Policy|TrustedScript/.test(line.text())) faults.push(line.text())
  })
  await page.goto(`${dashboard.origin}/dashboard/cards`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  return { page, faults }
}

/** Replies to the next sign-in in place of the service. */
async function replyOnce(page: Page, body: object): Promise<void> {
  await page.route(
    '**/dashboard/api',
    (route) =>
      route.request().postData()?.includes('session.signIn') === true
        ? route.fulfill({ contentType: 'application/json', body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }) })
        : route.continue(),
    { times: 1 },
  )
}

test('a page that is asked for a proof of work says so, solves it in a worker and signs in; it can be cancelled', async () => {
  const { page, faults } = await openSignIn()
  const asked = (bits: number): object => ({ result: { needs: 'proof', passkey: null, proof: { challenge: 'ab'.repeat(32), bits } } })
  await replyOnce(page, asked(32))
  await fillSignIn(page, dashboard.login)
  await page.getByRole('status').filter({ hasText: 'Your browser is solving a task' }).waitFor()
  await page.getByRole('progressbar', { name: 'Task of your browser' }).waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('progressbar').waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('alert').count(), 0, 'a cancelled sign-in is no error')
  await replyOnce(page, asked(12))
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('nav a').first().waitFor({ state: 'attached' })
  assert.deepEqual(faults, [])
})

test('a page that waits in line says so, and Cancel leaves the line', async () => {
  const { page } = await openSignIn()
  await replyOnce(page, { error: { code: -32400, message: 'busy', reason: 'overloaded', retry_after: 600_000 } })
  await fillSignIn(page, dashboard.login)
  await page.getByRole('status').filter({ hasText: 'You are in line' }).waitFor()
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
  await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('button', { name: 'Sign in', exact: true }).isEnabled(), true)
})

test('a login that strangers have locked says what to do, and opens on the device where its user has signed in before', async () => {
  const { page: own, login } = await dashboard.openNew('read', 'cards')
  const { page } = await openSignIn()
  const reasons = await guessPasswords(page, login)
  assert.deepEqual([...new Set(reasons)], ['sign_in_refused', 'sign_in_locked'])
  await fillSignIn(page, login)
  await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
  await page.getByRole('alert').getByText('Or wait 30 min.').waitFor()
  assert.equal(await page.getByLabel('Code from your authenticator app').evaluate((input) => input === document.activeElement), true)
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await own.locator('.account summary').click()
  await own.getByRole('button', { name: 'Sign out' }).click()
  await own.getByRole('heading', { name: 'Sign in' }).waitFor()
  await fillSignIn(own, login)
  await own.locator('nav a').first().waitFor({ state: 'attached' })
})

/** Eleven wrong passwords from the page, whose proofs of work are not asked for while nobody else waits. */
function guessPasswords(page: Page, { phone }: Login): Promise<string[]> {
  return page.evaluate(async (attacked) => {
    const reasons: string[] = []
    while (reasons.length < 11) {
      const params = { phone: attacked, password: 'a wrong password' }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'dashboard.session.signIn', params })
      const response = await fetch('/dashboard/api', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      const { error } = (await response.json()) as { error?: { reason: string } }
      if (error !== undefined) reasons.push(error.reason)
    }
    return reasons
  }, phone)
}
