// time limit: 120 s
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

import { openDashboard, readDownload, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('the audit shows what people did and the history of one card, and exports both', async () => {
  const made = (await dashboard.api('cards.create', { card: { number: '8600495473316478', expire: '0399' } })) as {
    card: { token: string }
  }
  const page = await dashboard.open('audit')
  const table = page.getByRole('region', { name: 'What people did' })
  await table.getByText('+998').first().waitFor()
  assert.equal(await table.getByRole('link', { name: 'Card created' }).count(), 0)
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export as CSV' }).click()])
  assert.equal(file.suggestedFilename(), 'audit.csv')
  assert.match(await readDownload(file), /^\uFEFF"at","actor","userId"/)
  assert.equal(
    await page.getByRole('link', { name: 'How to check it offline' }).getAttribute('href'),
    '/docs/concepts/audit#what-a-merchant-exports-and-checks-offline',
  )
  // The export is an entry itself, and is found by its kind and by who it was.
  await page.getByLabel('What', { exact: true }).selectOption({ label: 'List exported' })
  const row = table.locator('tbody tr').first()
  await row.getByText('List exported').waitFor()
  assert.match(await row.innerText(), /rows: — → \d+/)
  await page.getByLabel('Who').selectOption({ index: 1 })
  await table.getByText('List exported').first().waitFor()
  assert.match(new URL(page.url()).search, /action=data\.exported&userId=[0-9a-f]{24}|userId=[0-9a-f]{24}&action=data\.exported/)
  await page.getByLabel('What', { exact: true }).selectOption({ label: 'Export begun' })
  await table
    .getByText(/list: — → Audit/)
    .first()
    .waitFor()
  const groups = await page
    .getByLabel('What', { exact: true })
    .locator('optgroup')
    .evaluateAll((all) => all.map((each) => each.getAttribute('label')))
  assert.deepEqual(groups, ['Payments', 'Cards', 'Verification', 'Webhooks', 'Team', 'Settings', 'Compliance', 'Sandbox'])
  assert.equal(await page.getByLabel('What', { exact: true }).locator('option', { hasText: 'Database backed up' }).count(), 0)
  await page.getByLabel('Id of a card').fill('nothing')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('An id has 24 characters').waitFor()
  await page.getByRole('heading', { name: 'Nothing for this id' }).waitFor()
  assert.equal(await table.count(), 0, 'no list that could be taken for what was found')
  await page.getByLabel('Id of a card').fill(made.card.token.slice(0, 24))
  await page.getByRole('button', { name: 'Show' }).click()
  await table.getByText('Card created').waitFor()
  const [json] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export as JSON' }).click()])
  const entries = JSON.parse(await readDownload(json)) as { action: string }[]
  assert.deepEqual(
    entries.map(({ action }) => action),
    ['card.created'],
  )
  await page.getByText('Entries exported: 1.').waitFor()
  const field = page.getByLabel('Id of a card')
  await field.fill('nothing')
  await page.keyboard.press('Enter')
  await page.getByText('An id has 24 characters').waitFor()
  await page.getByRole('link', { name: 'Audit' }).click()
  await table.getByText('+998').first().waitFor()
  assert.equal(await field.inputValue(), '', 'the field is cleared with the filter')
  assert.equal(await page.getByText('An id has 24 characters').count(), 0)
})

test('the signed export is checked offline by the command line, and a change in it is found', async () => {
  const page = await dashboard.open('audit')
  await page.getByRole('region', { name: 'What people did' }).getByText('+998').first().waitFor()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export signed file' }).click()])
  assert.equal(file.suggestedFilename(), 'audit-signed.jsonl')
  const folder = mkdtempSync(join(tmpdir(), 'tessera-audit-export-'))
  after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'audit-signed.jsonl')
  const text = await readDownload(file)
  writeFileSync(path, text)
  const { publicKey } = JSON.parse(text.slice(0, text.indexOf('\n'))) as { publicKey: string }
  const keyFile = join(folder, 'key.pem')
  writeFileSync(keyFile, publicKey)
  const right = verify(path, '--key', keyFile)
  assert.match(
    right.stdout,
    /entries of merchant [0-9a-f]{24}.*\n.*\nSigned with key [0-9a-f]{32} \(SHA-256 [0-9a-f]{64}\)\.\nNo findings\./,
  )
  assert.equal(right.status, 0)
  assert.match(verify(path).stdout, /verified with the key that it names itself/)
  writeFileSync(path, text.replace('"dashboard.signed_in"', '"dashboard.signed_out"'))
  const changed = verify(path, '--key', keyFile)
  assert.match(changed.stdout, /line 1: the entries of this page are not those that were signed/)
  assert.equal(changed.status, 1)
})

function verify(...args: string[]): { status: number | null; stdout: string } {
  const program = fileURLToPath(new URL('../../../service/bin/tessera.mjs', import.meta.url))
  return spawnSync(process.execPath, [program, 'audit', 'verify-export', ...args], { encoding: 'utf8' })
}
