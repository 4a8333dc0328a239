// time limit: 480 s
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import type { Page } from 'playwright-core'

import { naughtyTexts } from '../tools/corpora.ts'
import { listAccessibilityViolations, openDashboard, type OpenDashboard } from './dashboard.fixture.ts'

// What holds for every page in the navigation, and for the one in the menu of the account. A new page is tested here without a change to this file.

let dashboard: OpenDashboard
let names: readonly string[]
before(async () => {
  dashboard = await openDashboard({ isShared: false })
  await createNaughtyData()
  const page = await dashboard.open('account')
  names = await namesIn(page)
})
afterEach(() => dashboard.closePages())
after(() => dashboard.stop())

/** Puts strings that break careless programs into every member that a merchant controls. */
async function createNaughtyData(): Promise<void> {
  const callApi = (method: string, params: object) =>
    dashboard.api(method, params) as Promise<{ card: { token: string }; receipt: { _id: string } } | undefined>
  const card = { number: '8600495473316478', expire: '0399' }
  for (const customer of bundle(naughtyTexts(), 128)) await callApi('cards.create', { card, customer, save: true })
  for (const description of bundle(naughtyTexts(), 1000)) {
    const created = await callApi('receipts.create', { amount: 100_000, description, detail: { [description]: description } })
    if (created?.receipt === undefined) continue
    const token = (await callApi('cards.create', { card, customer: '<img src=x onerror=alert(1)>', save: true }))?.card.token
    await callApi('cards.get_verify_code', { token })
    await callApi('cards.verify', { token, code: '666666' })
    await callApi('receipts.pay', { id: created.receipt._id, token })
  }
}

/** Joins texts up to a maximum length. */
function bundle(texts: readonly string[], lengthMax: number): string[] {
  const bundles: string[] = []
  for (const text of texts.filter((each) => each.length < lengthMax)) {
    const last = bundles.at(-1)
    if (last !== undefined && last.length + text.length < lengthMax) bundles[bundles.length - 1] = `${last} ${text}`
    else bundles.push(text)
  }
  return bundles
}

/** The page of the account, at which each test begins, is the last one: so every visit leads to another page. */
async function namesIn(page: Page): Promise<string[]> {
  // The documentation is no page of the dashboard: dashboard/docs/docs.serial.test.ts.
  const links = await page.locator(':is(nav, .account) a[href^="/dashboard"]').all()
  const names = await Promise.all(links.map(async (link) => ((await link.getAttribute('href')) ?? '').replace('/dashboard/', '')))
  return [...names.filter((name) => name !== 'account'), 'account']
}

/** Opens a page by its link in the navigation or in the menu of the account, and waits until it is idle. */
async function visit(page: Page, name: string): Promise<void> {
  const link = page.locator(`:is(nav, .account) a[href="/dashboard/${name}"]`)
  await link.evaluate((each) => (each as HTMLElement).click())
  await link.and(page.locator('[aria-current=page]')).waitFor({ state: 'attached' })
  await waitUntilIdle(page)
}

/** In the page: the number of requests in flight. */
declare let inFlight: number

/** Opens a page that counts its requests in flight, so that a test can wait until it is idle. */
async function openCountingRequests(options?: Parameters<OpenDashboard['open']>[1]): Promise<Page> {
  const page = await dashboard.open('account', options)
  await countRequests(page)
  return page
}

async function countRequests(page: Page): Promise<void> {
  const count = (): void => {
    const { fetch } = globalThis
    Object.assign(globalThis, {
      inFlight: 0,
      fetch: async (...args: Parameters<typeof fetch>) => {
        inFlight++
        try {
          const response = await fetch(...args)
          const text = await response.clone().text()
          // json() resolves within the current task, so the page has rendered the response when that task ends.
          return Object.assign(response, { json: async () => JSON.parse(text) as unknown })
        } finally {
          inFlight--
        }
      },
    })
  }
  await page.addInitScript(count)
  await page.evaluate(count)
}

async function waitUntilIdle(page: Page): Promise<void> {
  await page.locator('main h1').waitFor()
  // Not waitForFunction, which takes the promise of an async function for true.
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    // Effects run in a timer set by the next frame, and an effect may render and send requests.
    const effects = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    const isQuiet = () => inFlight === 0 && document.querySelector('main [aria-busy=true]') === null
    for (let isIdle = false; !isIdle; isIdle = isQuiet()) {
      while (!isQuiet()) await frame()
      await effects()
      await effects()
    }
  })
}

test('no text of a merchant becomes an element or a script on any page, list or detail', async () => {
  const page = await openCountingRequests()
  const violations: string[] = []
  page.on('dialog', (dialog) => {
    violations.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const { origin, pathname, protocol } = new URL(request.url())
    // The preview of the form builder is an iframe of the form's own origin, with the form's scripts.
    const isPreview = origin === dashboard.tessera.url && /^\/form\/v1\/(preview|\w+-[0-9a-f]{16}\.js)$/.test(pathname)
    if (origin !== dashboard.origin && protocol !== 'blob:' && !isPreview) violations.push(request.url())
  })
  const seen: string[] = []
  for (const name of names) {
    await visit(page, name)
    violations.push(...(await liveNodes(page)).map((node) => `${name}: ${node}`))
    seen.push((await page.locator('main').textContent()) ?? '')
    for (const href of (await detailsIn(page, name)).slice(0, 12)) {
      await page.goto(`${dashboard.origin}${href}`)
      await waitUntilIdle(page)
      violations.push(...(await liveNodes(page)).map((node) => `${href}: ${node}`))
      seen.push((await page.locator('main').textContent()) ?? '')
    }
  }
  assert.deepEqual(violations, [])
  const planted = await page
    .evaluate(() => {
      const image = document.createElement('img')
      document.body.append(image)
    })
    .then(() => liveNodes(page))
  assert.deepEqual(planted, ['img'], 'the check finds an element that is there')
  // They are on the pages, as text.
  const shown = seen.join('\n')
  for (const text of ['<script>', '<img src=x', 'javascript:', 'onerror=']) assert.ok(shown.includes(text), `${text} is on no page`)
})

/** The links of a list to its detail pages. */
function detailsIn(page: Page, name: string): Promise<string[]> {
  return page.locator(`main a[href^="/dashboard/${name}/"]`).evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
}

/** Elements and attributes that the dashboard never renders, and error messages: a page that failed to load would prove nothing. */
function liveNodes(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const live = [...document.querySelectorAll('main [role=alert]:not(:empty)')].map((alert) => `refused: ${alert.textContent}`)
    for (const element of document.querySelectorAll('body *')) {
      const tag = element.tagName.toLowerCase()
      if (['img', 'script', 'object', 'embed', 'link', 'base', 'meta', 'marquee', 'video', 'audio', 'math'].includes(tag)) live.push(tag)
      for (const { name, value } of element.attributes) {
        if (name.startsWith('on')) live.push(`${tag} ${name}`)
        if (/^(href|src|action|formaction|xlink:href)$/.test(name) && !/^(\/|#|https?:\/\/|blob:)/.test(value))
          live.push(`${tag} ${name}=${value}`)
      }
    }
    return live
  })
}

// Contrast depends on the theme and width on the language, and no element exists in one language only (messages.test.ts).
test('every page is accessible in light and dark, and fits 320 px in each language', async () => {
  for (const [locale, colorScheme] of [
    ['uz-UZ', 'dark'],
    ['ru-RU', 'light'],
    ['en-GB', null],
  ] as const) {
    const page = await openCountingRequests({ colorScheme, locale, reducedMotion: 'reduce', viewport: { width: 320, height: 640 } })
    for (const name of names) {
      await visit(page, name)
      if (colorScheme !== null) assert.deepEqual(await listAccessibilityViolations(page), [], `${name}, ${locale}, ${colorScheme}`)
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
      assert.equal(isWide, false, `${name} is wider than the screen, ${locale}`)
    }
  }
})

test('the parts of pages and the object that a row leads to fit 390 px in each language', async () => {
  for (const locale of ['uz-UZ', 'ru-RU', 'en-GB']) {
    const page = await openCountingRequests({ locale, viewport: { width: 390, height: 844 } })
    const hrefs = new Set<string>()
    for (const name of names) {
      await visit(page, name)
      const [first] = await detailsIn(page, name)
      if (first !== undefined) hrefs.add(first)
      for (const href of await listParts(page)) hrefs.add(href)
    }
    assert.ok(hrefs.size > 15, [...hrefs].join(' '))
    for (const href of hrefs) {
      await page.goto(`${dashboard.origin}${href}`)
      await waitUntilIdle(page)
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      assert.equal(excess, 0, `${href} is wider than the screen, ${locale}`)
    }
  }
})

// A table may be scrolled sideways, but nobody sees that what is right of the edge is there.
test('at 390 and 1280 px no page and no table of one is wider than its place, in Russian and Uzbek', async () => {
  for (const locale of ['uz-UZ', 'ru-RU']) {
    for (const width of [390, 1280]) {
      const page = await openCountingRequests({ locale, viewport: { width, height: 900 } })
      const wide: string[] = []
      for (const name of names) {
        await visit(page, name)
        for (const found of await page.evaluate(listTooWide)) wide.push(`${name}: ${found}`)
      }
      assert.deepEqual(wide, [], `${locale}, ${String(width)} px`)
    }
  }
})

/** Runs in the page: what is wider than its place, and by how much. A table behind a chart is there once it is opened. */
function listTooWide(): string[] {
  const places = [document.documentElement, ...document.querySelectorAll<HTMLElement>('main .table')]
  return places
    .filter((each) => each.checkVisibility() && each.closest('details:not([open]) > :not(summary)') === null)
    .filter((each) => each.scrollWidth > each.clientWidth)
    .map((each) => `${each.getAttribute('aria-label') ?? 'the page'} by ${String(each.scrollWidth - each.clientWidth)} px`)
}

test('on a phone every control is at least 24 px high and wide, with its label', async () => {
  const page = await openCountingRequests({ locale: 'uz-UZ', viewport: { width: 390, height: 844 } })
  for (const name of names) {
    await visit(page, name)
    assert.deepEqual(await page.evaluate(listTooSmall), [], name)
  }
})

/** Runs in the page: buttons and fields that a thumb misses (WCAG 2.2, 2.5.8). Links in a text are as high as its lines. */
function listTooSmall(): string[] {
  const controls = [...document.querySelectorAll<HTMLElement>('button, summary, input, select, textarea')]
  const shown = controls.filter((each) => each.checkVisibility() && each.getBoundingClientRect().width > 1)
  return shown.flatMap((each) => {
    const labels = each instanceof HTMLInputElement ? [...(each.labels ?? [])] : []
    const boxes = [each, ...labels].map((target) => target.getBoundingClientRect())
    const isLarge = boxes.some(({ width, height }) => width >= 24 && height >= 24)
    return isLarge ? [] : [`${each.outerHTML.slice(0, 80)} ${boxes.map(({ width, height }) => `${width}×${height}`).join(', ')}`]
  })
}

/** The tabs of a page. */
function listParts(page: Page): Promise<string[]> {
  return page.locator('main :is(.tabs, .views) a').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
}

test('on a phone a row of payments shows status, amount and time without scrolling', async () => {
  for (const locale of ['uz-UZ', 'ru-RU', 'en-GB']) {
    const page = await openCountingRequests({ locale, viewport: { width: 390, height: 844 } })
    await visit(page, 'receipts')
    const row = page.locator('main tbody tr').first()
    for (const part of ['.tag', '.money', 'time']) {
      const box = await row.locator(part).first().boundingBox()
      assert.ok(box !== null && box.width > 0 && box.x >= 0 && box.x + box.width <= 390, `${part}, ${locale}: ${JSON.stringify(box)}`)
    }
  }
})

test('every control of every page is reached with Tab, and its focus is visible', async () => {
  const page = await openCountingRequests({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } })
  for (const name of names) {
    await visit(page, name)
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'page', `${name}: the focus was not moved to the page`)
    await page.evaluate(() => {
      document.querySelectorAll('[data-seen]').forEach((each) => each.removeAttribute('data-seen'))
      document.body.tabIndex = -1
      document.body.focus()
      document.body.removeAttribute('tabindex')
    })
    const unseen: string[] = []
    for (let step = 0; step < 400; step++) {
      await page.keyboard.press('Tab')
      const found = await page.evaluate(markFocused)
      if (found === 'over') break
      if (found !== '') unseen.push(found)
    }
    assert.deepEqual(unseen, [], `${name}: focused without a visible focus`)
    assert.deepEqual(await page.evaluate(listUnreached), [], `${name}: cannot be reached by Tab`)
  }
})

/**
 * Runs in the page: marks the focused element. Returns 'over' if it was focused before, or a description if its focus is not visible. After the last
 * element, and on its way out of a cross-process frame, the focus is on the body: the next Tab shows which of the two it was.
 */
function markFocused(): string {
  const focused = document.activeElement
  // A date input has three parts, and Tab moves between them without leaving it.
  const isWithin = focused?.getAttribute('data-seen') === 'last'
  if (isWithin) return ''
  if (focused === null || focused === document.body) return ''
  if (focused.hasAttribute('data-seen')) return 'over'
  document.querySelector('[data-seen=last]')?.setAttribute('data-seen', '')
  focused.setAttribute('data-seen', 'last')
  const shows = (element: Element | null): boolean => {
    if (element === null) return false
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element)
    return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
  }
  const { width, height, bottom, top } = focused.getBoundingClientRect()
  const label = `${focused.tagName.toLowerCase()} "${focused.textContent.trim().slice(0, 30) || (focused.getAttribute('aria-label') ?? '')}"`
  if (bottom <= 0 || top >= innerHeight) return `${label} is outside of the viewport`
  if (focused.tagName === 'IFRAME' || focused.getAttribute('role') === 'region') return ''
  const isShown = shows(focused) || shows(focused.nextElementSibling) || shows(focused.parentElement)
  return isShown && width * height > 0 ? '' : `${label} has no focus ring`
}

/** Runs in the page: controls that were never focused. One radio button stands for its group. */
function listUnreached(): string[] {
  const all = document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')
  const left = [...all].filter((each) => {
    if (each.hasAttribute('data-seen') || each.matches(':disabled, [tabindex="-1"]')) return false
    if (each instanceof HTMLInputElement && (each.type === 'radio' || each.type === 'hidden')) return false
    return each.checkVisibility({ visibilityProperty: true })
  })
  return left.map((each) => each.outerHTML.slice(0, 120))
}

/** Only owners see Team, and only developers and owners the form builder. */
const isPageOfRole = {
  read: (name: string) => name !== 'users' && name !== 'form',
  support: (name: string) => name !== 'users' && name !== 'form',
  developer: (name: string) => name !== 'users',
}

for (const role of ['read', 'support', 'developer'] as const) {
  test(`a user with role ${role} sees the pages of that role, and no button that the service would reject`, async () => {
    const page = await dashboard.openAs(role, 'account')
    await countRequests(page)
    assert.deepEqual(await namesIn(page), names.filter(isPageOfRole[role]))
    const refused: string[] = []
    page.on('response', (response) => {
      if (!response.url().endsWith('/dashboard/api')) return
      void response.text().then(
        (text) => {
          if (/role_too_low|"code":-32504/.test(text)) refused.push(`${response.request().postData() ?? ''} ${text}`)
        },
        () => undefined,
      )
    })
    for (const name of await namesIn(page)) {
      await visit(page, name)
      // The account page is for every role, and its buttons end the session.
      if (name !== 'account') await pressEverything(page)
    }
    assert.deepEqual(refused, [])
    await page.goto(`${dashboard.origin}/dashboard/users`)
    await page.getByRole('alert').waitFor()
    assert.equal(await page.locator('main .list li').count(), 0)
  })
}

/** Presses each button of the page, but of those that a list repeats in its rows only two, and closes the dialogs that open. */
async function pressEverything(page: Page): Promise<void> {
  const pressed: Record<string, number> = {}
  for (let count = 0; count < 60; count++) {
    const button = (await page.evaluateHandle(findUnpressed, pressed)).asElement()
    if (button === null) return
    const kind = (await button.getAttribute('data-kind')) ?? ''
    pressed[kind] = (pressed[kind] ?? 0) + 1
    await button.click()
    await waitUntilIdle(page)
    if ((await page.locator('dialog[open]').count()) > 0) {
      await page.keyboard.press('Escape')
      await page.locator('dialog[open]').waitFor({ state: 'detached' })
    }
  }
}

/** Runs in the page: the next button to press, or null. Buttons are of one kind when their place among classes and their text are the same. */
function findUnpressed(pressed: Readonly<Record<string, number>>): HTMLElement | null {
  const readKind = (button: Element): string => {
    const names: string[] = []
    for (let part: Element | null = button; part !== null && part.tagName !== 'MAIN'; part = part.parentElement)
      names.push(`${part.tagName}.${part.className}`)
    return `${names.join(' ')} ${button.textContent}`
  }
  const buttons = [...document.querySelectorAll<HTMLElement>('main button:enabled')]
  const next = buttons.find((button) => {
    const isNew = (pressed[readKind(button)] ?? 0) < 2 && !button.hasAttribute('data-pressed')
    return isNew && button.checkVisibility({ visibilityProperty: true })
  })
  if (next === undefined) return null
  next.setAttribute('data-pressed', '')
  next.setAttribute('data-kind', readKind(next))
  return next
}
