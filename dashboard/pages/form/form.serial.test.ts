// time limit: 180 s
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import type { Frame, Page } from 'playwright-core'

import { pressInFrame } from '../../../tools/press-in-frame.ts'
import { listAccessibilityViolations, openDashboard, type OpenDashboard } from '../../dashboard.fixture.ts'

let dashboard: OpenDashboard
before(async () => {
  dashboard = await openDashboard()
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

async function openBuilder(options?: Parameters<OpenDashboard['open']>[1]): Promise<[Page, () => Promise<Frame>]> {
  const page = await dashboard.open('form', options)
  await page.frameLocator('iframe').locator('form.card .main').waitFor()
  const frame = async (): Promise<Frame> => (await (await page.waitForSelector('iframe')).contentFrame()) ?? assert.fail('no frame')
  return [page, frame]
}

const choose = (page: Page, group: string, word: string): Promise<void> =>
  page.getByRole('group', { name: group, exact: true }).getByText(word, { exact: true }).click()

test('the preview shows every choice at once, at each step of the form, and sends nothing', async () => {
  const [page, frame] = await openBuilder()
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  const form = page.frameLocator('iframe')
  await page.getByRole('textbox', { name: 'Button accent', exact: true }).fill('rgb(1, 2, 3)')
  await page.getByLabel('Focus: pick a color').fill('#040506')
  await page.getByRole('textbox', { name: 'Corners radius', exact: true }).fill('3px')
  await (
    await frame()
  ).waitForFunction(() => {
    const { backgroundColor, borderTopLeftRadius } = getComputedStyle(document.querySelector('.card .main') ?? document.body)
    return backgroundColor === 'rgb(1, 2, 3)' && borderTopLeftRadius === '3px'
  })
  assert.equal(await (await frame()).evaluate(() => document.documentElement.style.getPropertyValue('--focus')), '#040506')
  await choose(page, 'Preset', 'Compact')
  await choose(page, 'Direction', 'Right to left')
  await form.locator('html[data-layout=compact][dir=rtl]').waitFor()
  await choose(page, 'Colors of the scheme', 'Dark')
  await form.locator('html[data-scheme=dark]').waitFor()
  await page.getByRole('heading', { name: 'Labels' }).click()
  await page.getByLabel('Card button').fill('Pay <b>now</b>')
  await form.locator('.card .main', { hasText: 'Pay <b>now</b>' }).waitFor()
  await choose(page, 'Step', 'Errors')
  await form.locator('#number-fault:not(:empty)').waitFor()
  await choose(page, 'Step', 'Code')
  await form.locator('#code').waitFor()
  await choose(page, 'Step', 'Done')
  await form.locator('.done h2').waitFor()
  assert.ok(await page.evaluate(() => document.activeElement?.tagName !== 'IFRAME'), 'the frame took the focus')
  await choose(page, 'Step', 'Card')
  await form.locator('#number').fill('4444445987459073')
  await form.locator('#expiry').fill('0399')
  await pressInFrame(form.locator('.card .main'))
  await form.locator('#code').fill('111111')
  await form.locator('#code-fault:not(:empty)').waitFor()
  // The form's own scripts are loaded after it was painted.
  const sent = requests.filter((url) => !/\/form\/v1\/\w+-[0-9a-f]{16}\.js$/.test(url))
  assert.deepEqual(sent, [], 'a request was sent')
  await choose(page, 'Language of the form', 'Русский')
  await form.locator('html[lang=ru] label', { hasText: 'Номер карты' }).waitFor()
  await form.locator('html[data-layout=compact][dir=rtl]').waitFor()
  const code = await page.locator('pre', { hasText: 'CardForm' }).innerText()
  for (const line of [
    "layout: 'compact'",
    "direction: 'rtl'",
    "locale: 'ru'",
    "accent: 'rgb(1, 2, 3)'",
    "radius: '3px'",
    "submit: 'Pay \\u003cb\\u003enow",
  ])
    assert.ok(code.includes(line), `${line} is not in ${code}`)
})

test('low contrast is reported while choosing and fixed by a button, and an invalid value is in no snippet', async () => {
  const [page] = await openBuilder()
  const status = page.locator('.builder-contrast [role=status]')
  await status.getByText('passes WCAG').waitFor()
  await page.getByRole('textbox', { name: 'Text text', exact: true }).fill('#aaaaaa')
  await status.getByText('Too little contrast for WCAG 2.2 AA: 2').waitFor()
  await page.locator('.builder-contrast li', { hasText: '2.32:1' }).first().waitFor()
  // A color with enough contrast on white has too little in the dark scheme, unless that has its own.
  await page.getByRole('button', { name: /^Use/ }).first().click()
  await page.locator('.builder-contrast li', { hasText: 'Dark' }).first().waitFor()
  await page.locator('.builder-contrast li', { hasText: 'on field' }).getByRole('button').click()
  await status.getByText('passes WCAG').waitFor()
  await page.getByRole('textbox', { name: 'Background background', exact: true }).fill('#fff')
  await page.locator('.builder-contrast li', { hasText: 'Dark' }).first().waitFor()
  await page.getByRole('button', { name: 'Background: reset to the default' }).click()
  await status.getByText('passes WCAG').waitFor()
  await page.getByRole('textbox', { name: 'Button accent', exact: true }).fill('url(https://evil.example)')
  await page.getByText('#rgb, #rrggbb').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Button accent', exact: true }).getAttribute('aria-invalid'), 'true')
  assert.doesNotMatch(await page.locator('.builder-code').innerText(), /evil|accent/)
  await page.getByRole('textbox', { name: 'Button accent', exact: true }).fill('#000')
  // With the keyboard only: reset the field, then choose another layout.
  await page.getByRole('textbox', { name: 'Button accent', exact: true }).press('Tab')
  await page.keyboard.press('Enter')
  assert.equal(await page.getByRole('textbox', { name: 'Button accent', exact: true }).inputValue(), '')
  await page.getByRole('radio', { name: 'Stacked' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.frameLocator('iframe').locator('html[data-layout=row]').waitFor()
})

test('each copied snippet loads the form as chosen on a page with the policy shown beside it', async () => {
  const [page] = await openBuilder()
  await page.getByRole('textbox', { name: 'Button accent', exact: true }).fill('#0a6b4d')
  await choose(page, 'Preset', 'Row')
  for (const way of ['Script tag', 'Module', 'Element']) {
    await choose(page, 'Integration', way)
    const [html = '', script = '', policy = ''] = await page.locator('.builder-code pre').allInnerTexts()
    const shop = createServer((request, reply) => {
      const isScript = request.url === '/checkout.js'
      reply.writeHead(200, {
        'content-type': isScript ? 'text/javascript' : 'text/html',
        'content-security-policy': policy.replace(/^[^:]+: /, ''),
      })
      reply.end(isScript ? script : `<!doctype html><title>Shop</title>${html}`)
    })
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
    const visit = await dashboard.browser.newPage()
    await visit.goto(`http://localhost:${String((shop.address() as AddressInfo).port)}/`)
    const button = visit.frameLocator('iframe').locator('html[data-layout=row] .card .main')
    await button.waitFor()
    assert.equal(await button.evaluate((part) => getComputedStyle(part).backgroundColor), 'rgb(10, 107, 77)', way)
    await visit.close()
    shop.close().closeAllConnections()
  }
  await choose(page, 'Integration', 'React')
  await page.locator('pre', { hasText: 'TesseraCardForm' }).waitFor()
})

test('the form builder is accessible in three languages, on a phone and a desktop, in light and dark', async () => {
  for (const [locale, width, colorScheme] of [
    ['uz', 390, 'light'],
    ['ru', 390, 'dark'],
    ['en', 1280, 'dark'],
  ] as const) {
    const [page] = await openBuilder({ locale, colorScheme, reducedMotion: 'reduce', viewport: { width, height: 844 } })
    await page.locator('.builder-variable input:not([type=color])').first().fill('#777')
    await page.locator('.builder summary').click()
    assert.deepEqual(await listAccessibilityViolations(page), [], locale)
    const wide = await page.evaluate(() => document.documentElement.scrollWidth)
    assert.ok(wide <= width, `${locale}: ${String(wide)} pixels wide`)
    await page.context().close()
  }
})
