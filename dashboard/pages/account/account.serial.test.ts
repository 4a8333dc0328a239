import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'

import { fillSignIn, listAccessibilityViolations, openDashboard, readDownload, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

for (const isSynced of [false, true]) {
  test(`a ${isSynced ? 'synced' : 'device-bound'} passkey is added after a confirmation, signs in, is a second factor and confirms`, async () => {
    const { page, login } = await dashboard.openNew('developer', 'account')
    const authenticator = await addAuthenticator(page, { isSynced })
    await page.reload()
    await page.getByLabel('Name of the new passkey').fill('Office laptop')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const codes = page.getByRole('dialog', { name: 'Your recovery codes' })
    await codes.waitFor()
    assert.equal(await codes.getByRole('listitem').count(), 10)
    assert.deepEqual(await listAccessibilityViolations(page), [])
    const [download] = await Promise.all([page.waitForEvent('download'), codes.getByRole('button', { name: 'Download' }).click()])
    assert.match(await readDownload(download), /^([b-z]{4}-[b-z]{4}-[b-z]{4}\n){10}$/)
    const recoveryCode = await codes.getByRole('listitem').first().innerText()
    await codes.getByRole('checkbox').check()
    await codes.locator('footer button').click()
    const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Passkeys' }) })
    await panel.getByText('Office laptop').first().waitFor()
    assert.equal(await panel.getByText('synced', { exact: true }).count(), isSynced ? 1 : 0)

    await signOut(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'My account' }).waitFor()

    // As the second factor: refused while the user cancels, then accepted.
    await signOut(page)
    await fillSignIn(page, login)
    await page.getByRole('heading', { name: 'Second factor' }).waitFor()
    await authenticator.setUserVerified(false)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('No passkey was given').waitFor()
    await authenticator.setUserVerified(true)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'My account' }).waitFor()

    // As a confirmation: the dialog takes the focus, closes on Escape, and the call is repeated after it.
    const renew = page.getByRole('button', { name: 'Create new codes' })
    await renew.click()
    const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
    await dialog.getByRole('button', { name: 'Use a passkey' }).waitFor()
    assert.deepEqual(await listAccessibilityViolations(page), [])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Confirm that it is you, then repeat this.').waitFor()
    await renew.click()
    await dialog.getByRole('button', { name: 'Use a passkey' }).click()
    await codes.waitFor()
    const renewed = await codes.getByRole('listitem').first().innerText()
    assert.notEqual(renewed, recoveryCode)
    await codes.getByRole('checkbox').check()
    await codes.locator('footer button').click()

    // A recovery code in place of the passkey; the earlier ones have ended.
    await signOut(page)
    await fillSignIn(page, login)
    const code = page.getByLabel('Recovery code')
    await code.fill(recoveryCode)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await code.fill(renewed)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('9 of 10 left').waitFor()
  })
}

test('a user without a second factor confirms by the password, and a wrong one keeps the dialog open', async () => {
  const page = await dashboard.open('account', { isConfirmed: false, login: (await dashboard.openNew('developer', 'account')).login })
  await page.getByRole('button', { name: 'Create new codes' }).click()
  const dialog = page.getByRole('dialog', { name: 'Confirm it’s you' })
  const password = dialog.getByLabel('Current password')
  await password.waitFor()
  assert.equal(await password.evaluate((field) => field === document.activeElement), true)
  await page.keyboard.type('not the password')
  await page.keyboard.press('Enter')
  await dialog.getByText('The password is wrong.').waitFor()
  await password.fill('four plain words here')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Your recovery codes' }).waitFor()
})

async function signOut(page: Page): Promise<void> {
  await page.locator('.account summary').click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

interface VirtualAuthenticator {
  /** Whether the user passes the PIN or the fingerprint. */
  setUserVerified(isUserVerified: boolean): Promise<void>
}

/** An authenticator of the browser's own (Chrome DevTools Protocol, WebAuthn). */
async function addAuthenticator(page: Page, { isSynced }: { isSynced: boolean }): Promise<VirtualAuthenticator> {
  const client: CDPSession = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
      defaultBackupEligibility: isSynced,
      defaultBackupState: isSynced,
    },
  })
  return {
    async setUserVerified(isUserVerified) {
      await client.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified })
    },
  }
}
