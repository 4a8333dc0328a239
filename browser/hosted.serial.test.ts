// time limit: 240 s
import assert from 'node:assert/strict'
import axe from 'axe-core'
import { after, before, describe, it } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'

import { enterCard, enterCode, startStage, watch, type Opened, type Stage } from './form.fixture.ts'

const success = '8600069195406311'

describe('the hosted page, for who comes by a link', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  it('takes a card to its token, which the merchant’s server fetches, and the cardholder goes back with one word', async () => {
    const { session, page: link } = await create()
    const opened = await visit(link)
    const { page, form } = opened
    await form.locator('#number').waitFor()
    assert.equal(new URL(page.url()).hash, '', 'the session stays in the address')
    await enterCard(opened, success)
    await form.locator('#code').waitFor()
    assert.equal((await fetchState(session)).state, 'open')
    await enterCode(opened)
    await page.waitForURL(`${stage.shopOrigin}/**`)
    assert.equal(page.url(), `${stage.shopOrigin}/cards?order=1&tessera=done`)
    const { state, card } = await fetchState(session)
    assert.deepEqual([state, card?.verify, card?.recurrent], ['done', true, false])
    assert.match(card?.token ?? '', /^[0-9a-f]{24}_[0-9A-Za-z]{43}$/)
    // The back button does not come here again: nobody sends the card twice.
    await page.goBack().catch(() => null)
    assert.ok(!page.url().includes('/form/v1/page'))
    await page.close()
  })

  it('leaves no digit, no session and no token in an address, a store, a name or the page that it goes back to', async () => {
    const { session, page: link } = await create()
    const addresses: string[] = []
    const opened = await visit(link, {}, (page) =>
      page.on('request', (request) => addresses.push(`${request.url()} ${request.headers()['referer'] ?? ''}`)),
    )
    await enterCard(opened, success)
    await opened.form.locator('#code').waitFor()
    const kept = await opened.page.evaluate(() =>
      JSON.stringify([
        Object.entries(localStorage),
        Object.entries(sessionStorage),
        document.cookie,
        window.name,
        history.state,
        document.documentElement.outerHTML,
      ]),
    )
    await enterCode(opened)
    await opened.page.waitForURL(`${stage.shopOrigin}/**`)
    const { card } = await fetchState(session)
    const after = await opened.page.evaluate(() => JSON.stringify([location.href, document.referrer, window.name, history.state]))
    for (const text of [kept, after, ...addresses]) {
      assert.doesNotMatch(text, /8600069195406311|86000691|5406311/)
      assert.ok(!text.includes(session.slice(25)), 'the session')
      assert.ok(!text.includes(card?.token.slice(25) ?? '-'), 'the token')
    }
    assert.deepEqual(opened.lines, [])
    await opened.page.close()
  })

  it('lets who turns back go back, and tells the merchant’s server so', async () => {
    const { session, page: link } = await create()
    const { page } = await visit(link)
    await page.getByRole('button', { name: /Cancel and go back to localhost/ }).click()
    await page.waitForURL(`${stage.shopOrigin}/**`)
    assert.equal(new URL(page.url()).searchParams.get('tessera'), 'cancelled')
    assert.equal((await fetchState(session)).state, 'cancelled')
    await page.goto('about:blank')
    await page.goto(link)
    await page.getByRole('status').getByText('No card was added').waitFor()
    await page.getByRole('button', { name: /Go back to localhost/ }).click()
    await page.waitForURL(`${stage.shopOrigin}/**`)
    await page.close()
  })

  it('says what to do when it is loaded again, when the link is wrong, and when the service does not answer', async () => {
    const { page: link } = await create()
    const { page, form } = await visit(link)
    await form.locator('#number').waitFor()
    await page.reload()
    await page.getByRole('status').getByText('Open the link from').waitFor()
    assert.equal(await page.locator('iframe').count(), 0)
    // The link once more, in the same window: only what stands behind the # is new.
    await page.goto(link)
    await form.locator('#number').waitFor()
    await page.goto('about:blank')
    await page.goto(`${link.slice(0, -1)}${link.endsWith('a') ? 'b' : 'a'}`)
    await page.getByRole('status').getByText('This link is not right').waitFor()
    await page.goto('about:blank')
    await page.route('**/api/form.sessions.show', (route) => route.abort())
    await page.goto(link)
    await page.getByRole('status').getByText('The service did not answer').waitFor()
    await page.unroute('**/api/form.sessions.show')
    await page.getByRole('button', { name: 'Try again' }).click()
    await form.locator('#number').waitFor()
    await page.close()
  })

  it('says so when the form itself does not come, and shows it to who tries again', async () => {
    const { page: link } = await create()
    const { promise: loaded, resolve } = Promise.withResolvers<unknown>()
    const { page, form } = await visit(link, {}, async (fresh) => {
      await fresh.clock.install()
      await fresh.route('**/form/v1?**', (route) => route.abort())
      await fresh.exposeFunction('tellLoaded', resolve)
      await fresh.addInitScript(`document.addEventListener('load', ({ target }) => target.localName === 'iframe' && tellLoaded(), true)`)
    })
    // The form is waited for from when the frame has loaded, be it with nothing.
    await loaded
    await page.clock.fastForward(10_000)
    await page.getByRole('status').getByText('The service did not answer').waitFor()
    assert.equal(await page.locator('iframe').count(), 0)
    await page.unroute('**/form/v1?**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await form.locator('#number').waitFor()
    await page.close()
  })

  it('says when there are no more tries, and sends who comes again after it went well on', async () => {
    const { session, page: link } = await create({ attempts: 1 })
    const opened = await visit(link)
    await enterCard(opened, '8600060921090842')
    await opened.form.locator('form.card [role=alert], #number-fault, .fault').getByText(/./).first().waitFor()
    await enterCard(opened, success)
    await opened.page.getByRole('status').getByText('no more tries').waitFor()
    await opened.page.close()
    assert.equal((await fetchState(session)).state, 'open')
    const other = await create()
    const again = await visit(other.page)
    await enterCard(again, success)
    await enterCode(again)
    await again.page.waitForURL(`${stage.shopOrigin}/**`)
    // It stands for a moment only: the shop answers when it has been read.
    const read = Promise.withResolvers<undefined>()
    await again.page.route(`${stage.shopOrigin}/**`, (route) => read.promise.then(() => route.continue()))
    await again.page.goto(other.page)
    await again.page.getByRole('status').getByText('The card was added').waitFor()
    read.resolve(undefined)
    await again.page.waitForURL(`${stage.shopOrigin}/**`)
    await again.page.close()
  })

  it('a session of a merchant’s own page opens no hosted page, and the hosted page stands in nobody’s frame', async () => {
    const { session } = await create({ return: null })
    const { page: link } = await create()
    const { page } = await visit(`${link.split('#')[0] ?? ''}#${session}`)
    await page.getByRole('status').getByText('This link is not right').waitFor()
    const headers = (await fetch(link)).headers
    assert.match(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('cache-control'), 'no-store')
    await page.goto(stage.place({ body: `<div id="card"></div><iframe id="x" src="${link}"></iframe>` }))
    const framed = page.frames().find((frame) => frame !== page.mainFrame())
    assert.ok(framed !== undefined)
    assert.equal(await framed.locator('main.page').count(), 0)
    await page.close()
  })

  it('can be used by everybody: in each language, at 320 px, in the dark, by keys alone', async () => {
    const { page: link } = await create({ save: 'ask' })
    for (const [locale, colorScheme] of [
      ['uz-UZ', 'light'],
      ['ru-RU', 'dark'],
      ['en-GB', 'dark'],
    ] as const) {
      const opened = await visit(link, { locale, colorScheme, reducedMotion: 'reduce', viewport: { width: 320, height: 640 } })
      await opened.form.locator('#number').waitFor()
      assert.equal(await opened.page.locator('html').getAttribute('lang'), locale.slice(0, 2))
      await expectUsable(opened.page)
      await opened.page.close()
    }
    const { page, form } = await visit(link)
    await form.locator('#number').waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.locator('body').press('Tab')
    await page.getByRole('button', { name: 'Русский' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Добавить карту' }).waitFor()
    await form.getByText('Номер карты').first().waitFor()
    await page.close()
  })

  async function create(other: object = {}): Promise<{ session: string; page: string }> {
    const asked = { origin: stage.shopOrigin, save: 'off', return: `${stage.shopOrigin}/cards?order=1`, ...other }
    return (await asServer('form.sessions.create', asked)) as { session: string; page: string }
  }

  async function fetchState(session: string): Promise<{ state: string; card?: { token: string; verify: boolean; recurrent: boolean } }> {
    return (await asServer('form.sessions.get', { session })) as { state: string }
  }

  async function asServer(method: string, params: object): Promise<unknown> {
    const { url, merchantId, password } = stage.tessera
    const headers = { 'content-type': 'application/json', 'x-auth': `${merchantId}:${password}` }
    const reply = await fetch(`${url}/api/${method}`, { method: 'POST', headers, body: JSON.stringify({ id: 1, method, params }) })
    const { result, error } = (await reply.json()) as { result?: unknown; error?: unknown }
    return result ?? assert.fail(JSON.stringify(error))
  }

  async function visit(link: string, options: BrowserContextOptions = {}, prepare?: (page: Page) => unknown): Promise<Opened> {
    const page = await stage.browser.newPage({ locale: 'en-GB', ...options })
    await prepare?.(page)
    const opened = watch(page)
    await page.goto(link)
    return opened
  }
})

async function expectUsable(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
  assert.deepEqual(
    violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
    [],
  )
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false)
}
