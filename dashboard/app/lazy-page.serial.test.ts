// time limit: 60 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { openDashboard, type OpenDashboard } from '../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('a page whose script cannot be loaded says so, the others go on, and its button loads the document again', async () => {
  const page = await dashboard.open('cards')
  await page.getByRole('heading', { name: 'Cards', exact: true }).waitFor()
  await page.route('**/dashboard/assets/part-*.js', (route) => route.abort())
  await page.getByRole('link', { name: 'Audit' }).click()
  const retry = page.getByRole('main').getByRole('button', { name: 'Try again' })
  await retry.waitFor()
  await page.getByRole('link', { name: 'Cards' }).click()
  await page.getByLabel('Find a card').waitFor()
  await page.goBack()
  await retry.waitFor()
  await page.unroute('**/dashboard/assets/part-*.js')
  await retry.click()
  await page.getByRole('button', { name: 'Export' }).first().waitFor()
  assert.equal(await retry.count(), 0)
  assert.match(page.url(), /\/dashboard\/audit$/)
})

test('the script of the page in the address is requested once, before the session is known', async () => {
  const page = await dashboard.open('cards')
  await page.getByLabel('Find a card').waitFor()
  const order: string[] = []
  page.on('request', (request) => order.push(request.url()))
  page.on('response', (response) => order.push(`response of ${response.url()}`))
  await page.reload()
  await page.getByLabel('Find a card').waitFor()
  const scripts = order.filter((url) => /^http.*\/assets\/part-\w+\.js$/.test(url))
  assert.equal(new Set(scripts).size, scripts.length, scripts.join())
  const session = order.indexOf(`response of ${dashboard.origin}/dashboard/api`)
  assert.ok(
    scripts.every((script) => order.indexOf(script) < session),
    order.join('\n'),
  )
})
