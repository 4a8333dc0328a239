// time limit: 300 s
// needs: npm run example:data
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Locator, Page } from 'playwright-core'

import { plainEnvironment } from '../tools/service-child.ts'
import { callDashboard, openDashboard, readDownload, type Login, type OpenDashboard } from './dashboard.fixture.ts'

// Nine things that somebody comes for, from the page after the sign-in, on two weeks of example data. docs/reference/dashboard-tasks.md is printed from a run:
// TESSERA_TEST_PRINT_TASKS=1 npm test -- dashboard/tasks

const root = fileURLToPath(new URL('..', import.meta.url))
const data = mkdtempSync(join(tmpdir(), 'tessera-tasks-'))
const login: Login = { phone: '998900000000', password: 'sandbox' }
const report: TaskReport[] = []
let dashboard: OpenDashboard

interface TaskReport {
  readonly task: string
  readonly limit: number
  readonly clicks: number
  readonly typed: number
  readonly seconds: number
}

before(async () => {
  const folder = join(data, 'filled')
  const args = ['examples/example-data/start.ts', '--size', 'small', '--data', folder]
  await promisify(execFile)(process.execPath, args, { cwd: root, env: plainEnvironment() })
  dashboard = await openDashboard({ isShared: false, dataFolder: folder })
})
afterEach(() => dashboard.closePages())
after(async () => {
  await dashboard.stop()
  rmSync(data, { recursive: true, force: true })
  for (const { task, clicks, limit, typed, seconds } of report)
    process.stdout.write(
      `${task}: ${String(clicks)} of ${String(limit)} clicks, ${String(typed)} texts and keys typed, ${seconds.toFixed(1)} s\n`,
    )
  if (process.env.TESSERA_TEST_PRINT_TASKS === '1') printTable()
})

/** Somebody at the dashboard, whose clicks and typed texts are counted. */
interface Worker {
  readonly page: Page
  click(target: Locator): Promise<void>
  /** Into the search, or another field. */
  type(text: string, field?: Locator): Promise<void>
  press(key: string): Promise<void>
  /** One of a list, which is a click too. */
  choose(list: Locator, index: number): Promise<void>
  link(name: string): Promise<void>
  button(name: string | RegExp): Promise<void>
}

/** Does a task from the page Overview, and compares the clicks with what is allowed. */
async function perform(task: string, limit: number, work: (worker: Worker) => Promise<void>): Promise<void> {
  const page = await dashboard.open('overview', { login, viewport: { width: 1440, height: 900 } })
  page.setDefaultTimeout(8000)
  await page.locator('.money-head').waitFor()
  let [clicks, typed] = [0, 0]
  const worker: Worker = {
    page,
    async click(target) {
      clicks += 1
      await target.click()
    },
    async type(text, field = page.getByRole('combobox', { name: 'Search' })) {
      typed += 1
      await field.pressSequentially(text)
    },
    async press(key) {
      typed += 1
      await page.keyboard.press(key)
    },
    async choose(list, index) {
      clicks += 1
      await list.selectOption({ index })
    },
    link: (name) => worker.click(page.getByRole('link', { name, exact: true }).first()),
    button: (name) => worker.click(page.getByRole('button', { name }).first()),
  }
  const startedAt = performance.now()
  await work(worker)
  report.push({ task, limit, clicks, typed, seconds: (performance.now() - startedAt) / 1000 })
  assert.ok(clicks <= limit, `${task} took ${String(clicks)} clicks; ${String(limit)} are allowed`)
}

/** Calls an operation as the owner, for what the task begins with. */
async function look<T>(work: (page: Page) => Promise<T>): Promise<T> {
  const page = await dashboard.open('account', { login })
  const result = await work(page)
  await page.context().close()
  return result
}

test('a token is in hand', () =>
  perform('A token in hand', 2, async ({ page, link, button }) => {
    await link('Get started')
    await button('Pay')
    await page.locator('.once .copy').waitFor()
  }))

test('the cause of a failed payment is found by its order number, from any page', async () => {
  const failed = await look(async (page) => (await callDashboard(page, 'dashboard.receipts.list', { status: 'failed' })).receipts)
  const receipt = failed.find(({ reason }) => reason === 'insufficient_funds')
  assert.ok(receipt !== undefined, 'no payment failed')
  await perform('The cause of a failed payment, by its order number', 2, async ({ page, button, type }) => {
    await button(/^Search/)
    await type(receipt.order)
    await page.getByRole('option', { name: receipt.order }).getByText('Insufficient funds').waitFor()
  })
})

test("a customer's card is found", async () => {
  const cards = await look(async (page) => (await callDashboard(page, 'dashboard.cards.list', { search: '6311' })).cards)
  const card = cards.find(({ customer, state }) => customer !== null && state === 'live')
  assert.ok(card?.customer !== undefined && card.customer !== null, 'no customer has this card')
  const { customer, cardId } = card
  await perform("A customer's card 6311", 2, async ({ page, button, type, click }) => {
    await button(/^Search/)
    await type(customer)
    await click(page.getByRole('option', { name: '6311' }).first())
    await page.getByRole('heading', { name: /6311/ }).waitFor()
    await page.getByText(cardId).first().waitFor()
  })
})

test('the password of the API is rotated, and both are valid until the old one is revoked', () =>
  perform('The API password rotated without downtime', 5, async ({ page, link, button, type, press, click }) => {
    await link('Settings')
    await link('API keys')
    const works = async (password: string): Promise<boolean> => {
      const headers = { 'x-auth': `${dashboard.tessera.merchantId}:${password}` }
      const body = JSON.stringify({ id: 1, method: 'receipts.get_all', params: { from: 0, to: Date.now(), count: 1 } })
      const reply = await fetch(`${dashboard.tessera.url}/api`, { method: 'POST', headers, body })
      return 'result' in ((await reply.json()) as object)
    }
    await button('Create a full password')
    await type('from December', page.getByRole('dialog').getByRole('textbox'))
    await press('Enter')
    const issued = await page.locator('dialog .copy').innerText()
    const password = issued.trim()
    assert.deepEqual([await works(dashboard.tessera.password), await works(password)], [true, true])
    await press('Escape')
    await click(page.getByRole('button', { name: /^Retire.*Password 1$/ }))
    await click(page.locator('dialog').getByRole('button', { name: /^Retire/ }))
    await page.locator('dialog').waitFor({ state: 'detached' })
    assert.deepEqual([await works(dashboard.tessera.password), await works(password)], [false, true])
  }))

test('a payment is refunded', async () => {
  const [receipt] = await look(async (page) => (await callDashboard(page, 'dashboard.receipts.list', { status: 'paid' })).receipts)
  assert.ok(receipt !== undefined, 'nothing was paid')
  await perform('A refund', 3, async ({ page, button, type, press, choose, click }) => {
    await press('/')
    await type(receipt.order)
    await page.getByRole('option', { name: receipt.order }).waitFor()
    await press('Enter')
    await button('Refund')
    await choose(page.locator('dialog select'), 1)
    await click(page.locator('dialog').getByRole('button', { name: /^Refund/ }))
    await page
      .locator('.tag')
      .getByText(/^Refund(ing|ed)$/)
      .first()
      .waitFor()
  })
})

test('webhooks that failed are sent again', () =>
  perform('Failed webhooks sent again', 3, async ({ page, link, click }) => {
    await link('Webhooks')
    await click(
      page
        .locator('.endpoint')
        .filter({ hasText: '/legacy' })
        .getByRole('button', { name: /^Deliver failed/ }),
    )
    await click(page.locator('dialog').getByRole('button', { name: /^Deliver failed/ }))
    await page.getByRole('status').filter({ hasText: /[1-9]/ }).first().waitFor()
  }))

test("the last week's report is saved", () =>
  perform("The last week's report", 3, async ({ page, link, click }) => {
    await link('Daily totals')
    await page.getByRole('table').waitFor()
    const [file] = await Promise.all([page.waitForEvent('download'), click(page.getByRole('button', { name: 'CSV' }))])
    assert.equal((await readDownload(file)).trim().split('\n').length, 1 + 7)
  }))

test('why no SMS came to a phone is answered in words', () =>
  perform('Why the SMS to a phone failed', 2, async ({ page, button, type }) => {
    await button(/^Search/)
    await type('+998 90 123 45 66')
    await page.getByRole('option').getByText('The SMS gateway refused the message.').first().waitFor()
  }))

test('who changed a limit, from what to what', () =>
  perform('Who changed a limit, from what to what', 2, async ({ page, link, choose }) => {
    await link('Audit')
    // How many entries are newer depends on the hour of the day at which the example data was made.
    const what = page.getByLabel('What', { exact: true })
    await what.locator('option', { hasText: 'Settings changed' }).waitFor({ state: 'attached' })
    await choose(what, (await what.locator('option').allTextContents()).indexOf('Settings changed'))
    const row = page
      .getByRole('row')
      .filter({ hasText: 'Nodira Saidova' })
      .filter({ hasText: /20.000.000.*30.000.000/s })
    await row.first().waitFor({ timeout: 8000 })
  }))

/** The page of the documentation, from this run. */
function printTable(): void {
  const path = join(root, 'docs/reference/dashboard-tasks.md')
  const head = readFileSync(path, 'utf8').split('| task |', 1)[0] ?? ''
  const rows = report.map(
    ({ task, clicks, limit, typed, seconds }) =>
      `| ${task} | ${String(clicks)} | ${String(limit)} | ${String(typed)} | ${seconds.toFixed(1)} |`,
  )
  writeFileSync(path, `${head}| task | clicks | allowed | texts and keys typed | seconds |\n|---|---|---|---|---|\n${rows.join('\n')}\n`)
}
