import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import type { Result } from '@tessera/contract/operations'
import { readXlsx } from 'hucre/xlsx'
import { readFileSync } from 'node:fs'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Download, Page, Route } from 'playwright-core'

import { listAccessibilityViolations, openDashboard, type OpenDashboard, readDownload } from '../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('a small list is saved at once, as CSV and as a workbook', async () => {
  const { receipt } = (await dashboard.api('receipts.create', { amount: 5_417_450, account: { order: '=1+1' } })) as ApiResult
  const page = await dashboard.open('receipts')
  const [csv] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
  assert.match(csv.suggestedFilename(), /^receipts-\d{4}-\d\d-\d\d\.csv$/)
  const lines = (await readDownload(csv)).split('\r\n')
  assert.match(lines[0] ?? '', /"Amount, so’m","Amount, tiyin".*"Created \(UTC\+5\)"/)
  assert.match(lines[0] ?? '', /"Order","account\.order","Other account fields"/)
  const names = [...(lines[0] ?? '').matchAll(/"[^"]*"/g)].map(([name]) => name)
  assert.equal(new Set(names).size, names.length, 'no two columns have one name')
  const line = lines.find((each) => each.includes(receipt._id)) ?? ''
  assert.match(line, /^"Open","54174\.50","5417450","0\.00","0","0\.00","0","0\.00","0","'=1\+1",.*\+05:00","","","",/)
  const [xlsx] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Excel' }).click()])
  const [head = [], ...rows] = (await readXlsx(await readBytes(xlsx))).sheets[0]?.rows ?? []
  const row = rows.find((cells) => cells.includes(receipt._id)) ?? []
  const cell = (name: string): unknown => row[head.indexOf(name)]
  assert.deepEqual([cell('Amount, so’m'), cell('Amount, tiyin'), cell('Order'), cell('Card')], [54_174.5, 5_417_450, '=1+1', cell('Card')])
  await page.getByRole('status').filter({ hasText: 'saved' }).first().waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
})

test('every other list has its file, with the words of the page and its times in UTC+5', async () => {
  const { card } = (await dashboard.api('cards.create', { card: { number: '4444445987459073', expire: '0399' }, customer: '=payer' })) as {
    card: { token: string }
  }
  await dashboard.api('cards.get_verify_code', { token: card.token })
  const page = await dashboard.open('cards')
  // The request log is written a second after the call.
  for (const [name, head, row] of [
    [
      'cards',
      /"Card","State","Saved","Customer","Created \(UTC\+5\)","Card id"/,
      /"444444\*{6}9073","not verified","one payment","'=payer","[^"]+\+05:00"/,
    ],
    ['customers', /"Customer","Cards","Newest card","[^"]+ \(UTC\+5\)"/, /"'=payer","1","444444\*{6}9073"/],
    ['verification', /"Card","Outcome","Cause","When \(UTC\+5\)"/, /"444444\*{6}9073","not sent","The card is blocked\."/],
    ['requests', /"[^"]+ \(UTC\+5\)","[^"]+","[^"]+","Outcome"/, /"cards\.get_verify_code","-31301","[^"]+"/],
  ] as const) {
    await page.goto(`${dashboard.origin}/dashboard/${name}`)
    await page
      .locator('main > .table tbody tr', { hasText: name === 'requests' ? 'cards.get_verify_code' : '' })
      .first()
      .waitFor()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()])
    const csv = await readDownload(file)
    assert.match(csv, head, name)
    assert.match(csv, row, name)
  }
})

test('a large list shows how far it is, survives a service that is gone for a while, and is saved by its button', async () => {
  const page = await dashboard.open('receipts')
  const service = await replaceExport(page, 24)
  service.holdAt = 10
  await page.getByRole('button', { name: 'CSV' }).click()
  await page.getByText('5 000 rows, of at most 12 000').waitFor()
  await page.getByText('You can go on working').waitFor()
  // It goes on while another page is looked at.
  await page.locator('nav a[href="/dashboard/cards"]').click()
  service.isGone = true
  service.release()
  await page.getByText('The service does not respond.').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  service.isGone = false
  await page.getByText('Rows in the file: 12 000').waitFor({ timeout: 20_000 })
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()])
  const ids = (await readDownload(file)).match(/[0-9a-f]{24}(?="\r\n)/g) ?? []
  assert.deepEqual([ids.length, new Set(ids).size], [12_000, 12_000])
})

test('an export is stopped by its button, and one that a reload has ended says so', async () => {
  const page = await dashboard.open('receipts')
  const service = await replaceExport(page, 24)
  service.holdAt = 3
  await page.getByRole('button', { name: 'Excel' }).click()
  await page.getByText('1 500 rows, of at most 12 000').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  service.release()
  await page.getByText('Stopped. There is no file.').waitFor()
  const asked = service.calls
  await page.getByRole('button', { name: 'Remove from the list' }).click()
  assert.equal(await page.locator('.exports').count(), 0)
  assert.equal(service.calls, asked)

  service.holdAt = service.calls + 2
  page.on('dialog', (dialog) => void dialog.accept())
  await page.getByRole('button', { name: 'CSV' }).click()
  await page.getByText('rows, of at most').waitFor()
  await page.reload()
  await page.getByText('This page was loaded again before the file was complete. Begin the export again.').waitFor()
})

interface ApiResult {
  readonly receipt: { readonly _id: string }
}

interface FakeExport {
  calls: number
  /** The call that waits for `release`. */
  holdAt: number
  isGone: boolean
  release(): void
}

/** The service's pages of 500 receipts, of which it has `pages`. */
async function replaceExport(page: Page, pages: number): Promise<FakeExport> {
  let release = (): void => undefined
  const state: FakeExport = { calls: 0, holdAt: -1, isGone: false, release: () => release() }
  await page.route('**/dashboard/api', async (route: Route) => {
    const { method, params } = route.request().postDataJSON() as { method: string; params: { after: string | null } }
    if (method !== 'dashboard.receipts.export') return route.continue()
    state.calls++
    if (state.calls - 1 === state.holdAt) await new Promise<void>((resolve) => (release = resolve))
    if (state.isGone) return route.abort()
    const at = Number(params.after ?? 0)
    const receipts = Array.from({ length: 500 }, (_, number) => makeReceipt(at * 500 + number))
    const next = at + 1 < pages ? String(at + 1) : null
    const result: Result<'dashboard.receipts.export'> = {
      receipts,
      next,
      atMost: at === 0 ? pages * 500 : null,
      accountFields: [],
      unreadEntries: 0,
    }
    return route.fulfill({ json: { jsonrpc: '2.0', id: 1, result } }).catch(() => undefined)
  })
  return state
}

function makeReceipt(number: number): Result<'dashboard.receipts.export'>['receipts'][number] {
  const money = { amountTiyin: 100, takenTiyin: 100, capturedTiyin: 100, refundedTiyin: 0, capturedAt: 1, refundedAt: 0 }
  const texts = { number: '', cardId: '', description: '', reason: null, order: `o-${number}`, customer: null }
  const receiptId = number.toString(16).padStart(24, '0')
  return { receiptId, state: 4, status: 'paid', ...money, ...texts, flagged: false, createdAt: 1, paidAt: 1, account: [] }
}

async function readBytes(download: Download): Promise<Uint8Array> {
  const path = join(mkdtempSync(join(tmpdir(), 'tessera-download-')), 'file')
  await download.saveAs(path)
  return readFileSync(path)
}
