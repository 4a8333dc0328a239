// time limit: 240 s
import assert from 'node:assert/strict'
import axe from 'axe-core'
import { after, before, describe, it } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'

import { awaitWithin } from '../tools/await-within.ts'
import { pressInFrame } from '../tools/press-in-frame.ts'
import { enterCard, enterCode, startTestBed, observeForm, type OpenForm, type TestBed } from './form.fixture.ts'
import { callAsServer, idOfToken, createOfferingSession, saveCards } from './saved-cards.fixture.ts'

const success = '8600069195406311'

describe('the hosted page', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  it('verifies a card, whose token the merchant’s server fetches, and returns the cardholder with the outcome', async () => {
    const { session, page: link } = await create()
    const opened = await visit(link)
    const { page, form } = opened
    await form.locator('#number').waitFor()
    assert.equal(new URL(page.url()).hash, '', 'the session is still in the address')
    await enterCard(opened, success)
    await form.locator('#code').waitFor()
    assert.equal((await fetchState(session)).state, 'open')
    await enterCode(opened)
    await page.waitForURL(`${testBed.shopOrigin}/**`)
    assert.equal(page.url(), `${testBed.shopOrigin}/cards?order=1&tessera=done`)
    const { state, card } = await fetchState(session)
    assert.deepEqual([state, card?.verify, card?.recurrent], ['done', true, false])
    assert.match(card?.token ?? '', /^[0-9a-f]{24}_[0-9A-Za-z]{43}$/)
    // The back button does not lead to the page again, so no card is sent twice.
    await page.goBack().catch(() => null)
    assert.ok(!page.url().includes('/form/v1/page'))
    await page.close()
  })

  it('leaves no digit, session or token in an address, in a window name or in the page it returns to, and in storage the session alone', async () => {
    const { session, page: link } = await create()
    const addresses: string[] = []
    const opened = await visit(link, {}, (page) =>
      page.on('request', (request) => addresses.push(`${request.url()} ${request.headers()['referer'] ?? ''}`)),
    )
    await enterCard(opened, success)
    await opened.form.locator('#code').waitFor()
    const stored = await opened.page.evaluate(
      (kept) =>
        JSON.stringify([
          Object.entries(localStorage),
          Object.values(sessionStorage).map((text) => String(text).replace(kept, '')),
          document.cookie,
          window.name,
          history.state,
          document.documentElement.outerHTML,
        ]),
      session,
    )
    await enterCode(opened)
    await opened.page.waitForURL(`${testBed.shopOrigin}/**`)
    const { card } = await fetchState(session)
    const after = await opened.page.evaluate(() => JSON.stringify([location.href, document.referrer, window.name, history.state]))
    for (const text of [stored, after, ...addresses]) {
      assert.doesNotMatch(text, /8600069195406311|86000691|5406311/)
      assert.ok(!text.includes(session.slice(25)), 'the session')
      assert.ok(!text.includes(card?.token.slice(25) ?? '-'), 'the token')
    }
    assert.deepEqual(opened.consoleLines, [])
    await opened.page.close()
  })

  it('lets the cardholder cancel, and reports it to the merchant’s server', async () => {
    const { session, page: link } = await create()
    const { page } = await visit(link)
    await page.getByRole('button', { name: /Cancel and go back to localhost/ }).click()
    await page.waitForURL(`${testBed.shopOrigin}/**`)
    assert.equal(new URL(page.url()).searchParams.get('tessera'), 'cancelled')
    assert.equal((await fetchState(session)).state, 'cancelled')
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('status').getByText('No card was added').waitFor()
    await page.getByRole('button', { name: /Go back to localhost/ }).click()
    await page.waitForURL(`${testBed.shopOrigin}/**`)
    await page.close()
  })

  it('survives a reload and a tab that the browser dropped, also at the code, and shows no session in the address', async () => {
    const { session, page: link } = await create()
    const opened = await visit(link)
    const { page, form } = opened
    await form.locator('#number').waitFor()
    await page.reload()
    await enterCard(opened, success)
    await form.locator('#code').waitFor()
    // A dropped tab is loaded again from the address that it had.
    await page.goto('about:blank')
    await page.goBack()
    await form.locator('#number').waitFor()
    assert.equal(new URL(page.url()).hash, '')
    assert.equal(await form.locator('#number').inputValue(), '')
    await enterCard(opened, success)
    await enterCode(opened)
    await page.waitForURL(`${testBed.shopOrigin}/**`)
    assert.equal((await fetchState(session)).state, 'done')
    await page.goto(`${testBed.formOrigin}/form/v1/page?merchant=${testBed.merchant}&locale=en`)
    await page.getByRole('status').getByText('This page is opened by a link').waitFor()
    assert.equal(await page.evaluate(() => sessionStorage.length), 0, 'the session is still stored')
    await page.close()
  })

  it('shows the outcome alone after the code, and the back button does not lead to a second card', async () => {
    const { page: link } = await create()
    const opened = await visit(link)
    await opened.form.locator('#number').waitFor()
    const reply = Promise.withResolvers<undefined>()
    await opened.page.route(`${testBed.shopOrigin}/**`, (route) => reply.promise.then(() => route.continue()))
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.page.getByRole('heading', { name: 'Your card is confirmed' }).waitFor()
    assert.equal(await opened.page.locator('iframe').count(), 0)
    reply.resolve(undefined)
    await opened.page.waitForURL(`${testBed.shopOrigin}/**`)
    await opened.page.goBack().catch(() => null)
    assert.ok(!opened.page.url().includes('/form/v1/page'))
    await opened.page.close()
  })

  it('shows amount and order, with the amount in the buttons, and marks the test environment', async () => {
    const { page: link } = await create({ amount: 12_500_050, order: '№ 197/б', locale: 'ru' })
    const opened = await visit(link)
    const { page, form } = opened
    await form.getByRole('button', { name: 'Оплатить 125 000,50 сум' }).waitFor()
    await page.getByRole('heading', { name: 'Оплата картой' }).waitFor()
    for (const text of ['125 000,50 сум', 'Заказ № 197/б', 'Тестовая среда: деньги не списываются', new URL(testBed.shopOrigin).host])
      await page.getByText(text, { exact: true }).waitFor()
    await page.getByRole('button', { name: 'English' }).click()
    await form.getByRole('button', { name: 'Pay 125,000.50 soʻm' }).waitFor()
    await enterCard(opened, success)
    await form.getByRole('button', { name: 'Confirm 125,000.50 soʻm' }).waitFor()
    await page.close()
  })

  it('offers the saved cards, and returns with the picked one, which the merchant’s server reads', async () => {
    const tokens = await saveCards(testBed, [success, '8600495473316478'])
    const returnTo = { return: `${testBed.shopOrigin}/cards?order=1`, amount: 500_000 }
    const { page: link, readOutcome } = await createOfferingSession(testBed, tokens, returnTo)
    const { page, form, callCount } = await visit(link)
    await form.getByRole('radio', { name: 'ending in 6 4 7 8' }).check()
    const shown = Promise.withResolvers<undefined>()
    await page.route(`${testBed.shopOrigin}/**`, (route) => shown.promise.then(() => route.continue()))
    await pressInFrame(form.getByRole('button', { name: 'Pay 5,000 soʻm' }))
    await page.getByRole('heading', { name: 'Your card is selected' }).waitFor()
    assert.equal(await page.locator('iframe').count(), 0)
    await page.getByRole('link', { name: /Powered by/ }).waitFor()
    shown.resolve(undefined)
    await page.waitForURL(`${testBed.shopOrigin}/cards?order=1&tessera=done`)
    assert.equal(callCount('cards.create'), 0)
    const { state, picked } = await readOutcome()
    assert.deepEqual([state, picked], ['done', idOfToken(tokens[1] ?? '')])
    // Whoever opens the link again is led back, and picks nothing.
    const again = await visit(link)
    await again.page.waitForURL(`${testBed.shopOrigin}/cards?order=1&tessera=done`)
    await again.page.close()
    await page.close()
  })

  it('ends as done when the session was completed in another window, also without attempts left', async () => {
    const tokens = await saveCards(testBed, [success, '8600495473316478'])
    const returnTo = { return: `${testBed.shopOrigin}/cards?order=1`, attempts: 1 }
    for (const outcome of ['picked', 'verified'] as const) {
      const { page: link } = await createOfferingSession(testBed, tokens, returnTo)
      const [first, second] = [await visit(link), await visit(link)]
      for (const { form } of [first, second]) await form.locator('.saved').waitFor()
      if (outcome === 'picked') await pressInFrame(first.form.locator('form.card button.main'))
      else {
        await pressInFrame(first.form.getByRole('button', { name: 'Add a card' }))
        await enterCard(first, success)
        await enterCode(first)
      }
      await first.page.waitForURL(`${testBed.shopOrigin}/cards?order=1&tessera=done`)
      // The message is shown for a moment only, so the shop's response is held until it has been read.
      const read = Promise.withResolvers<undefined>()
      await second.page.route(`${testBed.shopOrigin}/**`, (route) => read.promise.then(() => route.continue()))
      if (outcome === 'picked') await second.form.getByRole('radio', { name: 'ending in 6 4 7 8' }).check()
      else {
        await pressInFrame(second.form.getByRole('button', { name: 'Add a card' }))
        await second.form.locator('#number').fill(success)
        await second.form.locator('#expiry').fill('0399')
      }
      await pressInFrame(second.form.locator('form.card button.main'))
      const title = outcome === 'picked' ? 'Your card is selected' : 'Your card is confirmed'
      await second.page.getByRole('heading', { name: title }).waitFor()
      read.resolve(undefined)
      await second.page.waitForURL(`${testBed.shopOrigin}/cards?order=1&tessera=done`)
      await first.page.close()
      await second.page.close()
    }
  })

  it('asks to choose a card when nothing is to be paid, and goes on when one is removed', async () => {
    const tokens = await saveCards(testBed, [success])
    const { page: link, readOutcome } = await createOfferingSession(testBed, tokens, { return: `${testBed.shopOrigin}/cards` })
    const opened = await visit(link)
    await opened.page.getByRole('heading', { name: 'Choose a card' }).waitFor()
    await pressInFrame(opened.form.locator('.remove'))
    await pressInFrame(opened.form.locator('.danger'))
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.page.waitForURL(`${testBed.shopOrigin}/cards?tessera=done`)
    const { state, picked, removals } = await readOutcome()
    assert.deepEqual([state, picked, removals], ['done', undefined, tokens.map(idOfToken)])
    await opened.page.close()
  })

  it('says what to do without a link, with an invalid one, and when the service does not respond', async () => {
    const { page: link } = await create()
    const { page, form } = await visit(link.split('#')[0] ?? '')
    await page.getByRole('status').getByText('Open the link from').waitFor()
    assert.equal(await page.locator('iframe').count(), 0)
    // The same link in the same window: only the fragment changes.
    await page.goto(link)
    await form.locator('#number').waitFor()
    await page.goto('about:blank')
    await page.goto(`${link.slice(0, -1)}${link.endsWith('a') ? 'b' : 'a'}`)
    await page.getByRole('status').getByText('This link is not valid').waitFor()
    // Whether it was a payment is not known: the page says neither.
    await page.locator('.ending h2[aria-level="1"]', { hasText: 'This link is not valid' }).waitFor()
    assert.equal(await page.getByRole('heading').count(), 1)
    assert.match(await page.title(), /^This link is not valid · /)
    await page.goto('about:blank')
    await page.route('**/api/form.sessions.show', (route) => route.abort())
    await page.goto(link)
    await page.getByRole('status').getByText('The service did not respond').waitFor()
    await page.unroute('**/api/form.sessions.show')
    await page.getByRole('button', { name: 'Try again' }).click()
    await form.locator('#number').waitFor()
    await page.close()
  })

  it('reports when the form does not load, and shows it on the next try', async () => {
    const { page: link } = await create()
    const { promise: loaded, resolve } = Promise.withResolvers<unknown>()
    const { page, form } = await visit(link, {}, async (fresh) => {
      await fresh.clock.install()
      await fresh.route('**/form/v1?**', (route) => route.abort())
      await fresh.exposeFunction('reportLoaded', resolve)
      await fresh.addInitScript(`document.addEventListener('load', ({ target }) => target.localName === 'iframe' && reportLoaded(), true)`)
    })
    // The timeout starts when the frame has loaded, even when it is empty.
    await awaitWithin(loaded, 'the empty frame has loaded')
    await page.clock.fastForward(10_000)
    await page.getByRole('status').getByText('The service did not respond').waitFor()
    assert.equal(await page.locator('iframe').count(), 0)
    await page.unroute('**/form/v1?**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await form.locator('#number').waitFor()
    await page.close()
  })

  it('reports when no attempts are left, and returns a cardholder who opens a used link to the merchant', async () => {
    const { session, page: link } = await create({ attempts: 1 })
    const opened = await visit(link)
    await enterCard(opened, '8600060921090842')
    await opened.form.locator('form.card [role=alert], #number-fault, .fault').getByText(/./).first().waitFor()
    await enterCard(opened, success)
    await opened.page.getByRole('status').getByText('No attempts left').waitFor()
    await opened.page.close()
    assert.equal((await fetchState(session)).state, 'open')
    const other = await create()
    const again = await visit(other.page)
    await enterCard(again, success)
    await enterCode(again)
    await again.page.waitForURL(`${testBed.shopOrigin}/**`)
    // The message is shown for a moment only, so the shop's response is held until it has been read.
    const read = Promise.withResolvers<undefined>()
    await again.page.route(`${testBed.shopOrigin}/**`, (route) => read.promise.then(() => route.continue()))
    await again.page.goto(other.page)
    await again.page.getByRole('status').getByText('Your card is confirmed').waitFor()
    read.resolve(undefined)
    await again.page.waitForURL(`${testBed.shopOrigin}/**`)
    await again.page.close()
  })

  it('rejects a session without a return address, and cannot be framed', async () => {
    const { session } = await create({ return: null })
    const { page: link } = await create()
    const { page } = await visit(`${link.split('#')[0] ?? ''}#${session}`)
    await page.getByRole('status').getByText('This link is not valid').waitFor()
    const headers = (await fetch(link)).headers
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('cache-control'), 'no-store')
    await page.goto(testBed.servePage({ body: `<div id="card"></div><iframe id="x" src="${link}"></iframe>` }))
    const framed = page.frames().find((frame) => frame !== page.mainFrame())
    assert.ok(framed !== undefined)
    assert.equal(await framed.locator('.page').count(), 0)
    await page.close()
  })

  it('is accessible: in each language, at 320 px, in the dark scheme, with the keyboard alone', async () => {
    const { page: link } = await create({ save: 'ask' })
    for (const [locale, colorScheme] of [
      ['uz-UZ', 'light'],
      ['ru-RU', 'dark'],
      ['en-GB', 'dark'],
    ] as const) {
      const opened = await visit(link, { locale, colorScheme, reducedMotion: 'reduce', viewport: { width: 320, height: 640 } })
      await opened.form.locator('#number').waitFor()
      assert.equal(await opened.page.locator('html').getAttribute('lang'), locale.slice(0, 2))
      await expectAccessible(opened.page)
      await opened.page.close()
    }
    const { page, form } = await visit(link)
    await form.locator('#number').waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.locator('body').press('Tab')
    await page.getByRole('button', { name: 'Русский' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Добавление карты' }).waitFor()
    await form.getByText('Номер карты').first().waitFor()
    await page.close()
  })

  function create(other: object = {}): Promise<{ session: string; page: string }> {
    const params = { origin: testBed.shopOrigin, save: 'off', return: `${testBed.shopOrigin}/cards?order=1`, ...other }
    return callAsServer(testBed, 'form.sessions.create', params)
  }

  function fetchState(session: string): Promise<{ state: string; card?: { token: string; verify: boolean; recurrent: boolean } }> {
    return callAsServer(testBed, 'form.sessions.get', { session })
  }

  async function visit(link: string, options: BrowserContextOptions = {}, prepare?: (page: Page) => unknown): Promise<OpenForm> {
    const page = await testBed.browser.newPage({ locale: 'en-GB', ...options })
    await prepare?.(page)
    const opened = observeForm(page)
    await page.goto(link)
    return opened
  }
})

async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
    [],
  )
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
}
