import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'

import { appearanceExamples } from '@tessera/contract/appearance-examples'

import type { StartedTessera } from '../tools/start-tessera.ts'
import { mountForm, type FormShop } from './form.fixture.ts'
import { tabKey, waitUntil, type OtherBrowser } from './other-browser.fixture.ts'
import { callAsServer, createOfferingSession, idOfToken, saveCards } from './saved-cards.fixture.ts'

/** What a browser other than Chromium does with a form of the service. */
export interface OtherBrowserForm {
  readonly browser: OtherBrowser
  readonly tessera: StartedTessera
  readonly shop: FormShop
}

const [success, other] = ['8600069195406311', '8600495473316478']

/** Mounts a form in a page of the shop, and waits until it and its deferred script are there. */
async function mount({ browser, tessera, shop }: OtherBrowserForm, options: object, body?: string): Promise<void> {
  await browser.open(shop.servePage(body === undefined ? {} : { body }))
  await browser.inPage(
    `(${mountForm.toString()})(${JSON.stringify({ merchant: tessera.merchantId, locale: 'en', save: 'ask', ...options })})`,
  )
  await waitForFrame(browser, `document.querySelector('form.done') !== null`)
  await waitForFrame(browser, 'document.documentElement.scrollHeight <= innerHeight')
}

function waitForFrame(browser: OtherBrowser, expression: string): Promise<void> {
  return waitUntil(() => browser.inFrame(expression), `${expression} in ${browser.name}`)
}

function waitForPage(browser: OtherBrowser, expression: string): Promise<void> {
  return waitUntil(() => browser.inPage(expression), `${expression} in ${browser.name}`)
}

function waitForText(browser: OtherBrowser, selector: string, text: string): Promise<void> {
  return waitForFrame(
    browser,
    `[...document.querySelectorAll(${JSON.stringify(selector)})].some((part) => part.checkVisibility() && part.textContent.replace(/\\s+/g, ' ').includes(${JSON.stringify(text)}))`,
  )
}

/** Clicks, and again when the click does not arrive: a frame that has just moved may discard it. */
async function clickUntil(browser: OtherBrowser, selector: string, expression: string): Promise<void> {
  await waitUntil(async () => {
    if ((await browser.inFrame(expression)) === true) return true
    await browser.click(selector)
    return browser.inFrame(expression)
  }, `${expression} after a click on ${selector} in ${browser.name}`)
}

async function typeInto(browser: OtherBrowser, id: string, keys: string, shown: string): Promise<void> {
  await clickUntil(browser, `#${id}`, `document.activeElement.id === '${id}'`)
  await browser.press(keys)
  await waitForFrame(browser, `document.getElementById('${id}').value === '${shown}'`)
}

async function sendCard(browser: OtherBrowser): Promise<void> {
  await typeInto(browser, 'number', success, '8600 0691 9540 6311')
  await typeInto(browser, 'expiry', '0399', '03/99')
  await clickUntil(
    browser,
    'form.card button.main',
    `document.querySelector('.root').getAttribute('aria-busy') === 'true' || !document.querySelector('form.code').hidden`,
  )
  await waitForFrame(browser, `document.activeElement.id === 'code'`)
}

/** A saved card is picked, after another one was asked for its removal and kept; the page and the merchant's server get its id. */
export async function pickSavedCard(context: OtherBrowserForm): Promise<void> {
  const { browser, tessera, shop } = context
  const bed = { tessera, shopOrigin: shop.origin }
  const tokens = await saveCards(bed, [success, other])
  const { session, readOutcome } = await createOfferingSession(bed, tokens)
  await mount(context, { session })
  await waitForText(browser, '.saved .mask', '8600 •••• 6311')
  await clickUntil(browser, '.saved-row .remove', `document.querySelector('.question') !== null`)
  await clickUntil(browser, '.keep', `document.querySelector('.question') === null`)
  await clickUntil(browser, '.saved-row:nth-child(2) input', `document.querySelectorAll('.saved input')[1].checked`)
  await clickUntil(browser, 'form.card button.main', `!document.querySelector('form.done').hidden`)
  await waitForText(browser, '.done h2', 'Card selected')
  await waitForPage(browser, `formEvents.pick?.[0] === '${idOfToken(tokens[1] ?? '')}'`)
  const { state, picked } = await readOutcome()
  assert.deepEqual([state, picked], ['done', idOfToken(tokens[1] ?? '')])
}

/** Variables, rules of parts and states, floating labels and the scheme of the page are applied; legal texts keep their own. */
export async function takeAppearance(context: OtherBrowserForm): Promise<void> {
  const { browser } = context
  await mount(context, { appearance: appearanceExamples.meadow })
  await waitForFrame(browser, `document.documentElement.dataset.labels === 'floating'`)
  const styleOf = (selector: string, property: string): Promise<unknown> =>
    browser.inFrame(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).getPropertyValue('${property}')`)
  const readStyles = async (): Promise<unknown[]> => [
    await styleOf('.main', 'border-top-left-radius'),
    await styleOf('.main', 'background-color'),
    await styleOf('.box input', 'color'),
    await styleOf('footer', 'background-color'),
  ]
  /** Colors change in a transition. */
  const expectStyles = (expected: readonly string[]): Promise<void> => {
    let styles: unknown[] = []
    return waitUntil(
      async () => isDeepStrictEqual((styles = await readStyles()), expected),
      () => `the styles ${expected.join()} in ${browser.name}; they are ${styles.join()}`,
    )
  }
  await expectStyles(['28px', 'rgb(10, 107, 77)', 'rgb(16, 49, 43)', 'rgb(243, 245, 248)'])
  const labelTop = `document.querySelector('label[for=number]').getBoundingClientRect().top`
  const restingTop = Number(await browser.inFrame(labelTop))
  await typeInto(browser, 'number', '8600', '8600')
  await waitForFrame(browser, `${labelTop} < ${String(restingTop)}`)
  await browser.inPage(`document.body.style.cssText = 'background:#101418;color:#fff'`)
  await waitForFrame(browser, `document.documentElement.dataset.scheme === 'dark'`)
  await expectStyles(['28px', 'rgb(111, 224, 180)', 'rgb(231, 245, 239)', 'rgb(32, 37, 45)'])
}

/** The hosted page shows amount and order, survives a reload, confirms a code by itself, and returns to the shop. */
export async function completeHostedPage({ browser, tessera, shop }: OtherBrowserForm): Promise<void> {
  const bed = { tessera, shopOrigin: shop.origin }
  const params = {
    origin: shop.origin,
    save: 'off',
    return: `${shop.origin}/cards?order=1`,
    amount: 12_500_050,
    order: '197',
    locale: 'en',
  }
  const { session, page } = await callAsServer<{ session: string; page: string }>(bed, 'form.sessions.create', params)
  await browser.open(page)
  await waitForText(browser, 'form.card button.main', 'Pay 125,000.50 soʻm')
  assert.equal(await browser.inPage('location.hash'), '')
  await browser.inPage(`void (globalThis.isOld = true, setTimeout(() => location.reload()))`)
  await waitForPage(browser, 'globalThis.isOld === undefined')
  await waitForText(browser, 'form.card button.main', 'Pay 125,000.50 soʻm')
  assert.deepEqual(await browser.inPage(`[...document.querySelectorAll('h1, .order, .ribbon')].map((part) => part.textContent)`), [
    'Test environment: nothing is charged',
    'Pay by card',
    'Order 197',
  ])
  await waitForFrame(browser, `document.querySelector('form.done') !== null`)
  await sendCard(browser)
  await waitForText(browser, 'form.code button.main', 'Confirm 125,000.50 soʻm')
  await browser.press('666666')
  await waitForPage(browser, `location.href === '${shop.origin}/cards?order=1&tessera=done'`)
  const { state } = await callAsServer<{ state: string }>(bed, 'form.sessions.get', { session })
  assert.equal(state, 'done')
}

/** Tab leads from the page through the form and out of it, in the order in which it is read; a code of digits needs no button. */
export async function walkByKeyboard(context: OtherBrowserForm): Promise<void> {
  const { browser } = context
  await mount(context, {}, '<button id="before">Cart</button><div id="card"></div><button id="after">Help</button>')
  await waitForFrame(browser, `!document.querySelector('form.card button.main').disabled`)
  const readFocus = async (): Promise<string> => {
    const inPage = String(await browser.inPage(`document.activeElement.tagName === 'IFRAME' ? '' : document.activeElement.id`))
    return inPage === '' ? String(await browser.inFrame(`(${focusedName.toString()})()`)) : inPage
  }
  await browser.inPage(`document.getElementById('before').focus()`)
  const visited: string[] = []
  for (let steps = 0; steps < maxTabs && visited.at(-1) !== 'after'; steps++) {
    const previous = await readFocus()
    let current = ''
    await browser.press(tabKey)
    await waitUntil(
      async () => (current = await readFocus()) !== '' && current !== previous,
      () => `Tab in ${browser.name} moves the focus away from ${previous}; visited ${visited.join()}`,
    )
    visited.push(current)
  }
  assert.deepEqual(
    visited.map((text) => text.slice(0, 12)),
    ['Card number', 'Expiry date', 'I agree that', 'Terms (opens', 'Powered by T', 'Terms (opens', 'Privacy (ope', 'Continue', 'after'],
  )
  await sendCard(browser)
  await browser.press('666666')
  await waitForPage(browser, 'formEvents.token?.length === 1')
  assert.match(String(await browser.inFrame(`(${focusedName.toString()})()`)), /confirmed/)
}

/** The accessible name of the focused element: the label of an input, the text of a button or link. */
function focusedName(): string {
  const part = document.activeElement as HTMLInputElement | null
  if (part === document.body) return ''
  return part?.labels?.[0]?.textContent ?? part?.getAttribute('aria-label') ?? part?.textContent ?? ''
}

const maxTabs = 12
