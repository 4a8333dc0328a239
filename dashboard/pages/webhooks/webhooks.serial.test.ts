// time limit: 120 s
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'

import { listAccessibilityViolations, openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
/** The merchant's server on this machine, with the last request it received and the status it responds with. */
const server = createServer((request, reply) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const)
    lastRequest = { body: Buffer.concat(chunks).toString(), headers: Object.fromEntries(headers) }
    reply.writeHead(status).end()
  })
})
let lastRequest: { readonly body: string; readonly headers: Record<string, string> }
let status = 200
let address: string

/** The event, verified by the Standard Webhooks library. */
function verifyEvent(secret: string): { type: string } {
  return new Webhook(secret).verify(lastRequest.body, lastRequest.headers) as { type: string }
}

before(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/events`
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(async () => {
  await dashboard.stop()
  server.closeAllConnections()
  server.close()
})

/** Presses Refresh until the locator is visible. */
async function refreshUntil(page: Page, shown: Locator): Promise<void> {
  for (let turn = 0; turn < 100 && !(await shown.isVisible()); turn++) {
    await Promise.all([
      page.waitForResponse((reply) => reply.url().endsWith('/dashboard/api')),
      page.getByRole('button', { name: 'Refresh' }).click(),
    ])
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)))
  }
  await shown.waitFor()
}

async function readIssuedSecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Endpoint secret' })
  const secret = (await dialog.locator('code').textContent()) ?? ''
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.ok(!(await page.content()).includes(secret), 'shown once')
  return secret
}

test('an endpoint is added and its signature verified; a failed delivery shows its cause and is delivered again', async () => {
  const page = await dashboard.open('webhooks', { reducedMotion: 'reduce', viewport: { width: 1280, height: 900 } })
  await page.getByText('No endpoints yet').waitFor()
  await page.getByText('No deliveries yet').waitFor()
  await page.getByLabel('Address of your server').fill('https://192.168.0.1/hooks')
  await page.keyboard.press('Enter')
  await page.getByText('This address is not on the public internet.').waitFor()
  await page.getByLabel('Address of your server').fill(address)
  await page.keyboard.press('Enter')
  const secret = await readIssuedSecret(page)
  await page.getByRole('button', { name: `Send a test event ${address}` }).click()
  await page.getByRole('status').getByText('delivered').waitFor()
  assert.equal(verifyEvent(secret).type, 'tessera.test')

  status = 500
  const { receipt } = (await dashboard.api('receipts.create', { amount: 100_000 })) as { receipt: { _id: string } }
  await dashboard.api('receipts.cancel', { id: receipt._id })
  await refreshUntil(page, page.getByRole('link', { name: 'receipt.cancelled' }))
  await page.getByRole('link', { name: 'receipt.cancelled' }).click()
  await refreshUntil(page, page.getByText('HTTP 500').first())
  await page.getByText(receipt._id).first().waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  status = 200
  await page.getByRole('button', { name: 'Deliver again' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deliver again' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  await refreshUntil(page, page.getByText('HTTP 200').first())
  await page.locator('.breadcrumbs a').click()
  await page.getByLabel('State').selectOption('dead')
  await page.getByText('No deliveries found').waitFor()
  await page.getByLabel('State').selectOption('delivered')
  await page.getByRole('link', { name: 'receipt.cancelled' }).waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])

  await page.getByRole('button', { name: `Deliver failed events again ${address}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Deliver failed events again' }).click()
  await page.getByRole('status').getByText('Events sent again: 0').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])

  await page.getByRole('button', { name: `More actions ${address}` }).click()
  await page.getByRole('button', { name: `New secret ${address}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'New secret' }).click()
  const next = await readIssuedSecret(page)
  await page.getByText('two secrets').waitFor()
  await page.getByRole('button', { name: 'Send a test event' }).click()
  await page.getByRole('status').getByText('delivered').waitFor()
  for (const each of [secret, next]) assert.equal(verifyEvent(each).type, 'tessera.test')
})

test('the page Webhooks fits a phone in dark, and an endpoint is removed', async () => {
  const page = await dashboard.open('webhooks', { viewport: { width: 390, height: 844 }, colorScheme: 'dark', reducedMotion: 'reduce' })
  await page.getByText(address).first().waitFor()
  await page.locator('summary', { hasText: 'Python' }).click()
  await page.getByText('def verify_webhook').waitFor()
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.getByRole('button', { name: `More actions ${address}` }).click()
  await page.getByRole('button', { name: `Remove ${address}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No endpoints yet').waitFor()
})

test('a developer chooses the events of an endpoint, disables it and enables it again', async () => {
  const page = await dashboard.openAs('developer', 'webhooks')
  const url = `${address}?choices`
  await page.getByLabel('Address of your server').fill(url)
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await readIssuedSecret(page)
  const endpoint = page.locator('.endpoint', { hasText: url })
  await endpoint.getByText('all events').waitFor()
  await endpoint.getByText('No deliveries yet.').waitFor()
  await endpoint.getByRole('button', { name: `More actions ${url}` }).click()
  await endpoint.getByRole('button', { name: `Events ${url}` }).click()
  const dialog = page.getByRole('dialog', { name: 'Events of the endpoint' })
  await dialog.getByRole('checkbox').first().waitFor()
  for (const box of await dialog.getByRole('checkbox').all()) await box.uncheck()
  await dialog.getByRole('button', { name: 'Save', disabled: true }).waitFor()
  await dialog.getByRole('checkbox', { name: 'receipt.paid' }).check()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await endpoint.getByText('receipt.paid').waitFor()
  await endpoint.getByRole('button', { name: `More actions ${url}` }).click()
  await endpoint.getByRole('button', { name: `Disable ${url}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
  await endpoint.getByText('disabled', { exact: true }).waitFor()
  assert.equal(await endpoint.getByRole('button', { name: /Deliver failed/ }).count(), 0)
  await endpoint.getByRole('button', { name: `Enable ${url}` }).click()
  await endpoint.getByText('enabled', { exact: true }).waitFor()
})
