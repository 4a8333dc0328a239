// time limit: 480 s
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'

import { naughtyTexts } from '../tools/corpora.ts'
import { faultsFor, openDashboard, type OpenDashboard } from './dashboard.fixture.ts'

// What holds for every page of the navigation, whatever it is: a page that is added is looked at here without a line.

let dashboard: OpenDashboard
let names: readonly string[]
before(async () => {
  dashboard = await openDashboard()
  await fillIn()
  const page = await dashboard.open('account')
  names = await namesIn(page)
})
after(() => dashboard.stop())

/** Every text that breaks careless programs, in every member that is the merchant's own. */
async function fillIn(): Promise<void> {
  const ask = (method: string, params: object) =>
    dashboard.api(method, params) as Promise<{ card: { token: string }; receipt: { _id: string } } | undefined>
  const card = { number: '8600495473316478', expire: '0399' }
  for (const customer of bundle(naughtyTexts(), 128)) await ask('cards.create', { card, customer, save: true })
  for (const description of bundle(naughtyTexts(), 1000)) {
    const made = await ask('receipts.create', { amount: 100_000, description, detail: { [description]: description } })
    if (made?.receipt === undefined) continue
    const token = (await ask('cards.create', { card, customer: '<img src=x onerror=alert(1)>', save: true }))?.card.token
    await ask('cards.get_verify_code', { token })
    await ask('cards.verify', { token, code: '666666' })
    await ask('receipts.pay', { id: made.receipt._id, token })
  }
}

/** Joins texts up to a length, those with markup first. */
function bundle(texts: readonly string[], lengthMax: number): string[] {
  const bundles: string[] = []
  for (const text of texts.filter((each) => each.length < lengthMax)) {
    const last = bundles.at(-1)
    if (last !== undefined && last.length + text.length < lengthMax) bundles[bundles.length - 1] = `${last} ${text}`
    else bundles.push(text)
  }
  return bundles
}

async function namesIn(page: Page): Promise<string[]> {
  return page.locator('nav a').evaluateAll((links) => links.map((link) => (link.getAttribute('href') ?? '').replace('/dashboard/', '')))
}

/** Goes to a page by its link in the navigation, and waits until nothing is asked for. */
async function visit(page: Page, name: string): Promise<void> {
  await page.locator(`nav a[href="/dashboard/${name}"]`).evaluate((link) => (link as HTMLElement).click())
  await page.locator(`nav a[href="/dashboard/${name}"][aria-current=page]`).waitFor({ state: 'attached' })
  await settled(page)
}

/** How many requests of the page have no answer yet. */
declare let asking: number

/** Opens a page that counts what it asks for, so that a test can wait until it has been told everything. */
async function openCounting(options?: Parameters<OpenDashboard['open']>[1]): Promise<Page> {
  const page = await dashboard.open('account', options)
  await countAsking(page)
  return page
}

async function countAsking(page: Page): Promise<void> {
  const count = (): void => {
    const { fetch } = globalThis
    Object.assign(globalThis, {
      asking: 0,
      fetch: async (...asked: Parameters<typeof fetch>) => {
        asking++
        try {
          const answer = await fetch(...asked)
          const text = await answer.clone().text()
          // Whoever reads it has it before the next task begins, and has shown it when this one ends.
          return Object.assign(answer, { json: async () => JSON.parse(text) as unknown })
        } finally {
          asking--
        }
      },
    })
  }
  await page.addInitScript(count)
  await page.evaluate(count)
}

async function settled(page: Page): Promise<void> {
  await page.locator('main h1').waitFor()
  // Not waitForFunction: to it, the promise of an async function is a yes.
  await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
    // What was rendered has its effects in a timer that the next frame sets; an effect may render, and ask.
    const effects = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    const isQuiet = () => asking === 0 && document.querySelector('main [aria-busy=true]') === null
    for (let isOver = false; !isOver; isOver = isQuiet()) {
      while (!isQuiet()) await frame()
      await effects()
      await effects()
    }
  })
}

test('no text of a merchant becomes a live node on any page, list or detail', async () => {
  const page = await openCounting()
  const alien: string[] = []
  page.on('dialog', (dialog) => {
    alien.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    const { origin, pathname, protocol } = new URL(request.url())
    // The form builder holds the form itself, which is of the form's own origin.
    const isPreview = origin === dashboard.tessera.url && pathname === '/form/v1/preview'
    if (origin !== dashboard.origin && protocol !== 'blob:' && !isPreview) alien.push(request.url())
  })
  const seen: string[] = []
  for (const name of names) {
    await visit(page, name)
    alien.push(...(await liveNodes(page)).map((node) => `${name}: ${node}`))
    seen.push((await page.locator('main').textContent()) ?? '')
    for (const href of (await detailsIn(page, name)).slice(0, 4)) {
      await page.goto(`${dashboard.origin}${href}`)
      await settled(page)
      alien.push(...(await liveNodes(page)).map((node) => `${href}: ${node}`))
      seen.push((await page.locator('main').textContent()) ?? '')
    }
  }
  assert.deepEqual(alien, [])
  const planted = await page
    .evaluate(() => {
      const image = document.createElement('img')
      document.body.append(image)
    })
    .then(() => liveNodes(page))
  assert.deepEqual(planted, ['img'], 'one that is there is found')
  // They are there, as texts.
  const shown = seen.join('\n')
  for (const text of ['<script>', '<img src=x', 'javascript:', 'onerror=']) assert.ok(shown.includes(text), `${text} was shown nowhere`)
})

/** The links of a page to its own details. */
function detailsIn(page: Page, name: string): Promise<string[]> {
  return page.locator(`main a[href^="/dashboard/${name}/"]`).evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
}

/** Elements and attributes that nobody who wrote this dashboard put there, and refusals: what is not shown tells nothing. */
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

test('every page can be used by everybody: at 320 px, in the dark, in each language', async () => {
  for (const [colorScheme, locale] of [
    ['dark', 'uz-UZ'],
    ['light', 'ru-RU'],
    ['dark', 'en-GB'],
  ] as const) {
    const page = await openCounting({ colorScheme, locale, reducedMotion: 'reduce', viewport: { width: 320, height: 640 } })
    for (const name of names) {
      await visit(page, name)
      assert.deepEqual(await faultsFor(page), [], `${name}, ${locale}`)
      const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
      assert.equal(isWide, false, `${name} is wider than the screen, ${locale}`)
    }
  }
})

test('every page is gone through by Tab alone: all that can be used is reached, and is seen when it is', async () => {
  const page = await openCounting({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } })
  for (const name of names) {
    await visit(page, name)
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'page', `${name}: the focus did not come along`)
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
    assert.deepEqual(unseen, [], `${name}: focused, and nobody sees it`)
    assert.deepEqual(await page.evaluate(leftOut), [], `${name}: cannot be reached by Tab`)
  }
})

/**
 * In the page: marks what has the focus; 'over' when what has it has had it before, a description when the focus is not to be seen. Behind the last
 * element, and on its way out of a frame of another process, the focus is on the body: the next Tab tells which it was.
 */
function markFocused(): string {
  const focused = document.activeElement
  // A date has three parts, and Tab goes through them without leaving it.
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
  if (bottom <= 0 || top >= innerHeight) return `${label} is out of sight`
  if (focused.tagName === 'IFRAME' || focused.getAttribute('role') === 'region') return ''
  const isShown = shows(focused) || shows(focused.nextElementSibling) || shows(focused.parentElement)
  return isShown && width * height > 0 ? '' : `${label} has no ring`
}

/** In the page: what can be used and was never focused. One of a group of radio buttons stands for the group. */
function leftOut(): string[] {
  const all = document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')
  const left = [...all].filter((each) => {
    if (each.hasAttribute('data-seen') || each.matches(':disabled, [tabindex="-1"]')) return false
    if (each instanceof HTMLInputElement && (each.type === 'radio' || each.type === 'hidden')) return false
    return each.checkVisibility({ visibilityProperty: true })
  })
  return left.map((each) => each.outerHTML.slice(0, 120))
}

/** Users are the owner's, and the form builder is the developer's. */
const pagesOf = {
  read: (name: string) => name !== 'users' && name !== 'form',
  support: (name: string) => name !== 'users' && name !== 'form',
  developer: (name: string) => name !== 'users',
}

for (const role of ['read', 'support', 'developer'] as const) {
  test(`a user of role ${role} is shown what is theirs, and no button that the service would refuse them`, async () => {
    const page = await dashboard.openAs(role, 'account')
    await countAsking(page)
    assert.deepEqual(await namesIn(page), names.filter(pagesOf[role]))
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
      // One's own account is for every role; its buttons end the session.
      if (name !== 'account') await pressEverything(page)
    }
    assert.deepEqual(refused, [])
    await page.goto(`${dashboard.origin}/dashboard/users`)
    await page.getByRole('alert').waitFor()
    assert.equal(await page.locator('main .list li').count(), 0)
  })
}

/** Presses each button of the page once, and closes what it opens. */
async function pressEverything(page: Page): Promise<void> {
  const buttons = page.locator('main button:enabled')
  for (let at = 0; at < Math.min(await buttons.count(), 30); at++) {
    const button = buttons.nth(at)
    if (!(await button.isVisible()) || !(await button.isEnabled())) continue
    await button.click()
    await settled(page)
    if ((await page.locator('dialog[open]').count()) > 0) {
      await page.keyboard.press('Escape')
      await page.locator('dialog[open]').waitFor({ state: 'detached' })
    }
  }
}
