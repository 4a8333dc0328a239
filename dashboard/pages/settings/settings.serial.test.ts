// time limit: 120 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'

import { listAccessibilityViolations, openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

test('origins, amounts and account fields are saved, and what is invalid is explained in the user’s language', async () => {
  const page = await dashboard.open('settings/card-form')
  const show = (part: string) => page.locator(`.views a[href$="/settings/${part}"]`).click()
  const panel = (name: string) => page.locator('section', { has: page.getByRole('heading', { name, exact: true }) })
  const origins = panel('Origins of your pages')
  await origins.getByRole('textbox').fill('https://shop.example/checkout')
  await origins.getByRole('button', { name: 'Save' }).click()
  await origins.getByText('write https://shop.example').waitFor()
  const russian = await dashboard.open('settings/card-form', { locale: 'ru-RU' })
  await russian.locator('textarea').fill('https://shop.example/checkout')
  await russian
    .locator('form', { has: russian.locator('textarea') })
    .getByRole('button', { name: 'Сохранить' })
    .click()
  await russian.getByText('Только схема, имя и порт: напишите https://shop.example').waitFor()
  await origins.getByRole('textbox').fill('https://shop.example\n\nhttps://m.shop.example\n')
  await origins.getByRole('button', { name: 'Save' }).click()
  await origins.getByText('Saved.').waitFor()
  await show('payments')
  const amounts = panel('Amount of a receipt')
  await amounts.getByLabel('Minimum').fill('ten')
  await amounts.getByRole('button', { name: 'Save' }).click()
  await amounts.getByText('This is not an amount').waitFor()
  assert.equal(await amounts.getByLabel('Minimum').getAttribute('aria-invalid'), 'true')
  const largest = await amounts.getByLabel('Maximum').inputValue()
  await amounts.getByLabel('Maximum').fill('1500')
  await amounts.getByLabel('Minimum').fill('1 501')
  await amounts.getByRole('button', { name: 'Save' }).click()
  await amounts.getByText('The minimum is above the maximum').waitFor()
  await amounts.getByLabel('Minimum').fill('0')
  await amounts.getByLabel('Maximum').fill('9'.repeat(13))
  await amounts.getByRole('button', { name: 'Save' }).click()
  await amounts.getByText('more than zero').waitFor()
  await amounts.getByText('at most').waitFor()
  assert.doesNotMatch(await amounts.innerText(), /tiyin/)
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await amounts.getByLabel('Maximum').fill(largest)
  await amounts.getByLabel('Minimum').fill('1 500.5')
  await amounts.getByRole('button', { name: 'Save' }).click()
  await amounts.getByText('Saved.').waitFor()
  const fields = panel('Account fields of a receipt')
  await fields.getByRole('button', { name: 'Add a field' }).click()
  await fields.getByLabel('Name in the call').fill('order_id')
  for (const [language, title] of [
    ['Uzbek', 'Buyurtma'] as const,
    ['Russian', '<img src=x onerror=alert(1)>'] as const,
    ['English', 'Order'] as const,
  ])
    await fields.getByLabel(`Title, ${language}`).fill(title)
  // An order number that looks like a Visa card by its first digit alone.
  const createReceipt = () => dashboard.api('receipts.create', { amount: 200_000, account: { order_id: '4000000000000002' } })
  assert.equal(await createReceipt(), undefined, 'it is rejected before the field is an order number')
  const kind = fields.getByLabel('Kind')
  assert.equal(await kind.inputValue(), 'text')
  // With the keyboard: the first letter of an option selects it.
  await kind.focus()
  await page.keyboard.press('O')
  assert.equal(await kind.locator(':checked').textContent(), 'Order or contract number')
  await fields.getByText('A value that looks like a card number is rejected').waitFor()
  await fields.getByRole('button', { name: 'Save' }).click()
  await fields.getByText('Saved.').waitFor()
  const { receipt } = (await createReceipt()) as { receipt: { account: { value: string }[] } }
  assert.equal(receipt.account[0]?.value, '4000000000000002')
  await page.reload()
  assert.equal(await kind.inputValue(), 'reference')
  assert.equal(await amounts.getByLabel('Minimum').inputValue(), '1\u202f500.50')
  assert.equal(await fields.getByLabel('Title, Russian').inputValue(), '<img src=x onerror=alert(1)>')
  assert.equal(await page.locator('main img').count(), 0)
  await show('card-form')
  assert.equal(await origins.getByRole('textbox').inputValue(), 'https://shop.example\nhttps://m.shop.example')
})

test('an API password is rotated: shown once, both work, then the first is retired', async () => {
  const page = await dashboard.open('settings/api-keys')
  const panel = page.locator('section', { has: page.getByRole('heading', { name: 'API passwords' }) })
  await panel.getByRole('button', { name: 'Create a full password' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Label').fill('shop <b>')
  assert.deepEqual(await listAccessibilityViolations(page), [])
  await dialog.getByRole('button', { name: 'Create the password' }).click()
  await dialog.getByText('New API password').waitFor()
  const password = (await dialog.locator('code').textContent()) ?? ''
  assert.match(password, /^\S{36}$/)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.ok(!(await page.content()).includes(password))
  await panel.locator('li', { hasText: 'Password 2' }).getByText('shop <b>').waitFor()
  await panel.getByRole('button', { name: 'Rename Password 1' }).click()
  await dialog.getByLabel('Label').fill('old server')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await panel.getByText('old server').waitFor()
  await panel.getByRole('button', { name: 'Retire the old one Password 1' }).click()
  await dialog.getByText(/It was (never|last) used/).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Retire' }).click()
  await panel.locator('li', { hasText: 'Password 1' }).getByText('retired').waitFor()
  assert.deepEqual((await listReceipts(password)).result, [])
})

test('a developer creates a password for cards only, which is refused for receipts', async () => {
  const page = await dashboard.openAs('developer', 'settings/api-keys')
  const panel = page.locator('section', { has: page.getByRole('heading', { name: 'API passwords' }) })
  await panel.getByRole('button', { name: 'Create a password for cards only' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create the password' }).click()
  await page.getByRole('dialog').getByText('New API password').waitFor()
  assert.equal(await panel.getByRole('button', { name: 'Create a full password' }).count(), 0)
  const dialog = page.getByRole('dialog')
  const password = (await dialog.locator('code').textContent()) ?? ''
  await dialog.getByRole('button', { name: 'Close' }).click()
  await panel.locator('li', { hasText: 'cards and form sessions only' }).waitFor()
  assert.equal((await listReceipts(password)).error?.reason, 'password_scope')
})

async function listReceipts(password: string): Promise<{ readonly result?: unknown; readonly error?: { readonly reason: string } }> {
  const reply = await fetch(`${dashboard.tessera.url}/api/receipts.get_all`, {
    method: 'POST',
    headers: { 'x-auth': `${dashboard.tessera.merchantId}:${password}` },
    body: JSON.stringify({ id: 1, method: 'receipts.get_all', params: { count: 1, from: 1, to: 2 } }),
  })
  return (await reply.json()) as { result?: unknown; error?: { reason: string } }
}

for (const [scheme, locale] of [['light', 'en-GB'] as const, ['dark', 'ru-RU'] as const, ['dark', 'uz-UZ'] as const]) {
  test(`the page Settings is accessible and fits a phone: ${scheme}, ${locale}`, async () => {
    const page = await dashboard.open('settings', { colorScheme: scheme, locale, viewport: { width: 320, height: 740 } })
    await page.locator('.views a').first().waitFor()
    const parts = await page.locator('.views a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
    assert.equal(parts.length, 6)
    const titles = new Set<string>()
    for (const part of parts) {
      await page.locator(`.views a[href="${part}"]`).click()
      await page.locator(`.views a[href="${part}"][aria-current]`).waitFor()
      await page.locator('main h2').first().waitFor()
      const more = page.locator('button', { hasText: /Add a field|Добавить поле|Maydon qoʻshish/ })
      if ((await more.count()) > 0) await more.click()
      assert.deepEqual(await listAccessibilityViolations(page), [], part)
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, part)
      titles.add(await page.title())
    }
    assert.equal(titles.size, parts.length)
  })
}

test('a read-only user sees the settings, and no control to change them', async () => {
  const page = await dashboard.openAs('read', 'settings/api-keys')
  await page.getByRole('heading', { name: 'API passwords' }).waitFor()
  assert.equal(await page.locator('main button', { hasText: /Save|Create a|Retire|Add a field/ }).count(), 0)
  await page.locator('.views a[href$="/card-form"]').click()
  await page.locator('main textarea').waitFor()
  assert.equal(await page.locator('main textarea:enabled').count(), 0)
  assert.equal(await page.locator('main button', { hasText: 'Save' }).count(), 0)
})
