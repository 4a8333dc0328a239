// time limit: 180 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { listAccessibilityViolations, openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

const sentByUs = '8600495473316478'

test('the page Verification shows the cause of a failure without a click, and its card with one', async () => {
  const page = await dashboard.open('verification')
  await page.getByText('No codes in these days').waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
  const token = async (number: string): Promise<string> =>
    ((await dashboard.api('cards.create', { card: { number, expire: '0399' } })) as { card: { token: string } }).card.token
  const [failing, right] = [await token('4444445987459073'), await token(sentByUs)]
  await dashboard.api('cards.get_verify_code', { token: failing })
  await dashboard.api('cards.get_verify_code', { token: right })
  await dashboard.api('cards.verify', { token: right, code: '111111' })
  await dashboard.api('cards.verify', { token: right, code: '666666' })
  await page.reload()
  await page.getByText('The card is blocked.').waitFor()
  assert.equal(await page.locator('main > .table tbody tr').count(), 4)
  assert.match(await page.locator('.funnel').innerText(), /created\s+2[\s\S]*code sent\s+1\s+50 %[\s\S]*verified\s+1\s+50 %/)
  await page.getByLabel('Outcome').selectOption('failed')
  await page.waitForURL(/outcome=failed/)
  await page.locator('.funnel').waitFor({ state: 'detached' })
  await page.locator('main > .table tbody tr').nth(2).waitFor({ state: 'detached' })
  await page.locator('main > .table tbody tr').nth(1).waitFor()
  assert.equal(await page.locator('main > .table tbody tr').count(), 2)
  await page.locator('main > .table tbody tr', { hasText: 'The card is blocked.' }).getByRole('link', { name: '444444******9073' }).click()
  assert.match(page.url(), new RegExp(`/dashboard/cards/${failing.slice(0, 24)}$`))
  await page.goBack()
  await page.getByRole('link', { name: 'SMS inbox' }).click()
  await page.getByText(/code 666666 for card \*6478/).waitFor()
  assert.deepEqual(await listAccessibilityViolations(page), [])
})

test('a code is found by the phone, which stands in no address, and tells why its SMS did not come and what to do', async () => {
  const token = async (number: string): Promise<string> =>
    ((await dashboard.api('cards.create', { card: { number, expire: '0399' } })) as { card: { token: string } }).card.token
  const [sent, unsent] = [await token(sentByUs), await token('8600060921090842')]
  for (const each of [sent, unsent]) await dashboard.api('cards.get_verify_code', { token: each })
  const page = await dashboard.open('verification')
  const rows = page.locator('main > .table tbody tr')
  await rows.nth(1).waitFor()

  await page.getByLabel('Phone').fill('12 34')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('Type the whole phone, such as').waitFor()
  assert.equal(await rows.count(), 0, 'what was found before is not shown as the result')
  await page.getByLabel('Phone').fill('+998 90 111-11-11')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('No SMS to this phone in these days').waitFor()
  assert.doesNotMatch(page.url(), /998|111/)
  await page.reload()
  await page.getByText('No SMS to this phone in these days').waitFor()
  assert.equal(await page.getByLabel('Phone').inputValue(), '998901111111')
  await page.getByRole('button', { name: 'Clear filters' }).click()

  // A card number that is pasted never leaves the page: its last four digits are searched.
  await page.getByLabel('Card').fill(sentByUs)
  assert.equal(await page.getByLabel('Card').inputValue(), '6478')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.waitForURL(/card=6478/)
  await page.locator('main > .table', { hasText: '860049******6478' }).waitFor()
  await page.getByRole('link', { name: 'What happened' }).first().click()
  await page.getByRole('heading', { name: 'The SMS was sent, its delivery is not confirmed' }).waitFor()
  await page.waitForFunction(() => document.title.startsWith('SMS code · 860049******6478'))
  assert.deepEqual(await listAccessibilityViolations(page), [])
  const steps = await page.locator('.timeline li strong').allInnerTexts()
  assert.deepEqual(steps, ['Code requested', 'SMS given to the gateway', 'SMS accepted by the gateway'])
  await page.goBack()

  await page.getByLabel('Card').fill(unsent.slice(0, 24))
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByRole('link', { name: 'not sent' }).click()
  await page.getByRole('heading', { name: 'No SMS was sent' }).waitFor()
  const verdict = await page.locator('.verdict').innerText()
  assert.match(verdict, /The bank has no phone for this card\./)
  assert.match(verdict, /What to do\s+The cardholder has to connect SMS notifications for this card at their bank/)
})
