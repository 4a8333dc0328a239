// time limit: 180 s
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Route } from 'playwright-core'

import { listAccessibilityViolations, openDashboard, signInByForm, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard({ isShared: false })
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('the page Get started makes a test payment, ticks its list, shows the token once, and says why a test card fails', async () => {
  const page = await dashboard.open('start')
  await page.getByText('0 of 4').waitFor()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.locator('.outcome').getByText('paid', { exact: true }).waitFor()
  await page.getByText('3 of 4').waitFor()
  const token = await page.locator('.once code').innerText()
  const { card } = (await dashboard.api('cards.check', { token })) as { card: { verify: boolean } }
  assert.equal(card.verify, true)
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await page.getByLabel('Test card').selectOption('9073')
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.locator('.outcome').getByText('card_blocked').waitFor()
  assert.equal(await page.locator('.once').count(), 0)
  await page.reload()
  await page.getByText('3 of 4').waitFor()
  assert.doesNotMatch(await page.locator('main').innerText(), /[0-9a-f]{24}_/)
  assert.equal(await page.getByText('tried here; not yet by a call of your own').count(), 3)
})

test('what is copied works as it is pasted: both forms of the curl commands pay, and so does the library that the service serves', async () => {
  const page = await dashboard.open('start', { permissions: ['clipboard-read', 'clipboard-write'] })
  const copy = async (label: string): Promise<string> => {
    await page.getByRole('button', { name: `Copy: ${label}`, exact: true }).click()
    return page.evaluate(() => navigator.clipboard.readText())
  }
  const folder = mkdtempSync(join(tmpdir(), 'tessera-start-page-'))
  try {
    for (const label of ['curl + jq', 'curl']) {
      if (label === 'curl') await page.getByText('curl', { exact: true }).click()
      const printed = await runShell(`${jqByNode}\n${await copy(label)}\necho "TOKEN=$TOKEN"`, folder)
      assert.match(printed, /"state": ?4/, label)
      assert.match(printed, /TOKEN=[0-9a-f]{24}_\S{43}$/m, label)
      process.env['TOKEN'] = /TOKEN=(\S+)/.exec(printed)?.[1] ?? ''
    }
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    await runShell(await copy('Install'), folder)
    writeFileSync(join(folder, 'pay.mjs'), await copy('Node.js'))
    assert.match(await runShell('node pay.mjs', folder), /^paid, receipt [0-9a-f]{24}$/m)
  } finally {
    delete process.env['TOKEN']
    rmSync(folder, { recursive: true })
  }
  await page.getByText('receipts.pay, by your server').waitFor()
  assert.equal(await page.getByText('tried here; not yet by a call of your own').count(), 0)
})

test('what is copied for the page is right: the integrity matches the script that is served, and a test card is copied by a click', async () => {
  const page = await dashboard.open('start', { permissions: ['clipboard-read', 'clipboard-write'] })
  const form = await page.locator('pre', { hasText: 'tessera.js' }).innerText()
  const [, src = '', integrity = ''] = /src="(\S+)"\s+integrity="(\S+)"/.exec(form) ?? []
  const script = Buffer.from(await (await fetch(src)).arrayBuffer())
  const digest = Buffer.from(await crypto.subtle.digest('SHA-384', script)).toString('base64')
  assert.equal(integrity, `sha384-${digest}`)
  await page.getByRole('button', { name: '8600 0691 9540 6311' }).click()
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '8600069195406311')
})

test('the page Get started shows a response that takes longer than its polling interval', async () => {
  const page = await dashboard.open('account')
  await page.clock.install()
  const held: Route[] = []
  await page.route('**/dashboard/api', (route) =>
    route.request().postData()?.includes('start.get') ? void held.push(route) : route.continue(),
  )
  const requested = page.waitForRequest((request) => request.postData()?.includes('start.get') ?? false)
  await page.getByRole('link', { name: 'Get started', exact: true }).click()
  await requested
  await page.clock.runFor(10_000)
  await held[0]?.continue()
  await page.getByRole('heading', { name: 'Test cards' }).waitFor()
})

test('a page that is left open stops polling, so that its session expires', async () => {
  const page = await (await dashboard.context()).newPage()
  await page.clock.install()
  await page.goto(`${dashboard.origin}/dashboard/start`)
  await signInByForm(page, dashboard.login)
  await page.getByRole('heading', { name: 'Test cards' }).waitFor()
  let requestCount = 0
  page.on('request', () => {
    requestCount++
  })
  while (requestCount < 2) await page.clock.runFor(3000)
  await page.clock.runFor(300_000)
  requestCount = 0
  await page.clock.runFor(60_000)
  assert.equal(requestCount, 0)
})

async function runShell(script: string, cwd: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-ec', script], { cwd })
  return stdout
}

/** jq, as far as the commands use it, for machines without one. */
const jqByNode = `jq() { node -e '
  let found = JSON.parse(require("fs").readFileSync(0, "utf8"))
  for (const name of process.argv.at(-1).split(".").filter(Boolean)) found = found[name]
  console.log(typeof found === "string" ? found : JSON.stringify(found, null, 2))
' -- "$@"; }`
