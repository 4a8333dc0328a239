// time limit: 120 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

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
    '/docs/concepts/audit#export-and-verify-offline',
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
