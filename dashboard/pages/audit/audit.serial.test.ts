// time limit: 120 s
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'

import { faultsFor, openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
after(() => dashboard.stop())

test('a person finds who did what, then what was done to one card, and takes both along as files', async () => {
  const made = (await dashboard.api('cards.create', { card: { number: '8600495473316478', expire: '0399' } })) as {
    card: { token: string }
  }
  const page = await dashboard.open('audit')
  const table = page.getByRole('region', { name: 'What people did' })
  await table.getByText('+998').first().waitFor()
  assert.equal(await table.getByText('card.created').count(), 0)
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export as CSV' }).click()])
  assert.equal(file.suggestedFilename(), 'audit.csv')
  assert.match(readFileSync(await file.path(), 'utf8'), /^\uFEFF"at","actor","userId"/)
  await page.getByLabel('Id of a card').fill('nothing')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('An id has 24 characters').waitFor()
  await page.getByLabel('Id of a card').fill(made.card.token.slice(0, 24))
  await page.getByRole('button', { name: 'Show' }).click()
  await table.getByText('card.created').waitFor()
  const [json] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export as JSON' }).click()])
  const entries = JSON.parse(readFileSync(await json.path(), 'utf8')) as { action: string }[]
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
  assert.equal(await field.inputValue(), '', 'the field says what the list is of')
  assert.equal(await page.getByText('An id has 24 characters').count(), 0)
})

test('everybody can use the page Audit', async () => {
  for (const [colorScheme, locale] of [['light', 'uz-UZ'] as const, ['dark', 'ru-RU'] as const]) {
    const page = await dashboard.open('audit', { colorScheme, locale, viewport: { width: 360, height: 740 } })
    await page.locator('tbody tr').first().waitFor()
    assert.deepEqual(await faultsFor(page), [])
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
  }
})
