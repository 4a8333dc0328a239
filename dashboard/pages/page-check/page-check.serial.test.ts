// time limit: 120 s
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import type { Response } from 'playwright-core'

import { listAccessibilityViolations, openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
/** A shop's server on this machine. */
const shop = createServer((_request, reply) => void reply.end(served))
let served = ''
before(async () => {
  dashboard = await openDashboard({ isShared: false })
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
})
afterEach(() => dashboard.closePages())
after(() => {
  shop.closeAllConnections()
  shop.close()
  return dashboard.stop()
})

const naughty = '<img src=x onerror=alert(1)>'

test('a pasted page gets a report with lines and advice, as text and as SARIF, and none of its markup is rendered', async () => {
  const page = await dashboard.open('page-check', { permissions: ['clipboard-read', 'clipboard-write'] })
  await page.getByText('No pages checked yet').waitFor()
  await page.getByText('Paste the source').click()
  const source = page.getByLabel('Source of the page')
  await source.fill('x'.repeat(70_000))
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('too long to paste').waitFor()
  await source.fill(`<form action="/pay">\n<input autocomplete="cc-number" placeholder='${naughty} 8600 0691 9540 6311'></form>`)
  await page.getByRole('button', { name: 'Check' }).click()
  const rule = page.locator('.report li', { hasText: 'The page has no card input of its own' }).first()
  await rule.getByText('line 2, column 1').waitFor()
  await rule.getByText('Remove the input').waitFor()
  assert.equal(await page.locator('main img').count(), 0)
  assert.doesNotMatch(await page.locator('.report').innerText(), /8600 0691/)
  await page.getByRole('button', { name: 'Copy as SARIF' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const sarif = JSON.parse(await page.evaluate(() => navigator.clipboard.readText())) as { version: string; runs: { results: unknown[] }[] }
  assert.equal(sarif.version, '2.1.0')
  assert.ok((sarif.runs[0]?.results.length ?? 0) >= 3)
  await page.evaluate(() => (navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'))))
  await page.getByRole('button', { name: 'Copy as JSON' }).click()
  await page.getByRole('button', { name: 'could not copy: select the text instead' }).waitFor()
})

test('a page is checked by its address, and the authorization of its scripts holds until they change', async () => {
  const url = `http://127.0.0.1:${String((shop.address() as AddressInfo).port)}/pay`
  const page = await dashboard.open('page-check')
  const check = async (address: string): Promise<void> => {
    await page.getByLabel('Address of the page').fill(address)
    const isRun = (reply: Response): boolean => reply.request().postData()?.includes('dashboard.pageCheck.run') === true
    await Promise.all([page.waitForResponse(isRun), page.getByLabel('Address of the page').press('Enter')])
  }
  await check('https://shop.example/pay')
  await page.getByText('its origin is not registered').waitFor()
  served = `<script src="${dashboard.tessera.url}/sdk/v1/tessera.js" integrity="sha384-one" crossorigin="anonymous"></script>`
  await check(`${url}?order=1`)
  await page.locator('.report', { hasText: 'Scripts in the inventory: 1' }).getByText(url, { exact: true }).waitFor()
  await page.getByRole('button', { name: `Stop reading again: ${url}` }).click()
  const dialog = page.locator('dialog')
  await dialog.getByText('No alert is raised any more').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await dialog.getByRole('button', { name: 'Stop reading again' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: `Stop reading again: ${url}` }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Open the inventory' }).click()
  const script = page.locator('.scripts li', { hasText: 'tessera.js' })
  await script.getByRole('button').click()
  assert.equal(await page.getByRole('button', { name: 'Authorize' }).isDisabled(), true)
  await page.getByLabel('Why').fill(`takes the card ${naughty}`)
  await page.getByRole('button', { name: 'Authorize' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  await script.getByText('authorized', { exact: true }).waitFor()
  await script.getByText(naughty).waitFor()
  served = served.replace('sha384-one', 'sha384-two')
  await page.getByRole('link', { name: 'Page check', exact: true }).click()
  await check(url)
  await page.locator('.report', { hasText: 'Scripts in the inventory: 1' }).waitFor()
  await page.getByRole('link', { name: 'Open the inventory' }).click()
  await script.getByText('changed since it was authorized').waitFor()
  assert.equal(await page.locator('main img').count(), 0)
})

for (const [colorScheme, locale] of [['light', 'en-GB'] as const, ['dark', 'ru-RU'] as const, ['dark', 'uz-UZ'] as const]) {
  test(`the page Page check with a report is accessible and fits a phone: ${colorScheme}, ${locale}`, async () => {
    const page = await dashboard.open('page-check?page=pasted', {
      colorScheme,
      locale,
      viewport: { width: 360, height: 740 },
      reducedMotion: 'reduce',
    })
    await page.locator('.report li').first().waitFor()
    await page.locator('.page-check table').waitFor()
    assert.deepEqual(await listAccessibilityViolations(page), [])
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  })
}

test('a check that ends after its page was left does not navigate back', async () => {
  const page = await dashboard.open('page-check')
  const left = Promise.withResolvers<null>()
  await page.route('**/dashboard/api', async (route) => {
    if (route.request().postData()?.includes('dashboard.pageCheck.run') === true) await left.promise
    await route.continue()
  })
  await page.getByText('Paste the source', { exact: true }).click()
  await page.getByLabel('Source of the page').fill('<p>Shop')
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByRole('link', { name: 'Cards', exact: true }).click()
  await page.waitForURL('**/dashboard/cards')
  // The list is loaded again as soon as the check has ended.
  const listed = page.waitForRequest((request) => request.postData()?.includes('dashboard.pageCheck.list') === true)
  left.resolve(null)
  await listed
  assert.equal(new URL(page.url()).pathname, '/dashboard/cards')
})
