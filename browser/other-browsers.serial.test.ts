// time limit: 300 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { startTessera, type StartedTessera } from '../tools/start-tessera.ts'
import { startFirefox } from './firefox.fixture.ts'
import { mountForm, startFormShop, type FormShop } from './form.fixture.ts'
import { enterKey, waitUntil, type OtherBrowser } from './other-browser.fixture.ts'
import { takeAppearance, completeHostedPage, pickSavedCard, walkByKeyboard } from './other-browser-form.fixture.ts'
import { startWebKit } from './webkit.fixture.ts'

const pan = '8600495473316478'
const keysTimeoutMs = 4000

describe('browsers other than Chromium', () => {
  let tessera: StartedTessera
  let shop: FormShop
  before(async () => {
    tessera = await startTessera()
    shop = await startFormShop(tessera.url)
  })
  after(async () => {
    shop.server.close().closeAllConnections()
    await tessera.stop()
  })

  for (const [name, start] of [
    ['Firefox', startFirefox],
    ['WebKitGTK', startWebKit],
  ] as const) {
    describe(name, () => {
      let browser: OtherBrowser
      before(async () => {
        browser = await start()
      })
      after(() => browser.stop())

      it(`the card form accepts a card in ${name}: after an error, with consent, after a wrong code`, () => completeForm(browser))
      it(`the card form offers saved cards in ${name}`, () => pickSavedCard({ browser, tessera, shop }))
      it(`the card form takes an appearance and the scheme of its page in ${name}`, () => takeAppearance({ browser, tessera, shop }))
      it(`the card form is left and entered by Tab in ${name}, and confirms a code by itself`, () =>
        walkByKeyboard({ browser, tessera, shop }))
      it(`the hosted page works in ${name}: amount, reload, code, return`, () => completeHostedPage({ browser, tessera, shop }))
      it(`the dashboard's cookie works in ${name} over plain HTTP, and is deleted at sign-out`, () => signInAndOut(browser))
    })
  }

  async function completeForm(browser: OtherBrowser): Promise<void> {
    const { inPage, inFrame, click, press } = browser
    await browser.open(shop.servePage({}))
    await inPage(`(${mountForm.toString()})(${JSON.stringify({ merchant: tessera.merchantId, locale: 'en', save: 'ask' })})`)
    const eventValues = async (event: string): Promise<unknown[]> =>
      (await inPage(`formEvents[${JSON.stringify(event)}] ?? []`)) as unknown[]
    const isShown = (selector: string, text = ''): Promise<void> =>
      waitUntil(
        () =>
          inFrame(
            `[...document.querySelectorAll(${JSON.stringify(selector)})].some((part) => part.checkVisibility() && part.textContent.includes(${JSON.stringify(text)}))`,
          ),
        `${selector} "${text}" in ${browser.name}`,
      )
    const isTrue = (expression: string): Promise<void> => waitUntil(() => inFrame(expression), `${expression} in ${browser.name}`)
    await waitUntil(async () => (await eventValues('ready')).length === 1, `ready in ${browser.name}`)
    await isTrue(`!document.querySelector('form.card button.main').disabled`)
    // While a slow page has not resized the frame yet, another value may come first.
    await isTrue('document.documentElement.scrollHeight <= innerHeight')
    await waitUntil(async () => ['visible', 'unverified'].includes(String((await eventValues('seen')).at(-1))), `seen in ${browser.name}`)
    const seenBefore = (await eventValues('seen')).length

    await click('form.card button.main')
    await isShown('#number-fault', 'Enter the card number')
    // Focus and keys reach a frame in another process asynchronously.
    await isTrue(`document.activeElement.id === 'number'`)
    await press(pan)
    await isTrue(`document.getElementById('number').value === '8600 4954 7331 6478'`)
    await click('#expiry')
    await isTrue(`document.activeElement.id === 'expiry'`)
    await press('0399')
    await isTrue(`document.getElementById('expiry').value.replaceAll(' ', '') === '03/99'`)
    await click('.consent input')
    await isTrue(`document.querySelector('.consent input').checked`)
    await press(enterKey)
    await isShown('#code')
    await isTrue(`document.activeElement.id === 'code'`)
    await press(`111111${enterKey}`)
    await isShown('#code-fault', 'incorrect')
    await press(`666666${enterKey}`)
    await isShown('.done h2')
    await waitUntil(async () => (await eventValues('token')).length === 1, `the token in ${browser.name}`)
    const [result] = (await eventValues('token')) as { token: string; card: { number: string; recurrent: boolean; verify: boolean } }[]
    assert.match(result?.token ?? '', /^[0-9a-f]{24}_/)
    assert.deepEqual([result?.card.number, result?.card.recurrent, result?.card.verify], ['8600***6478', true, true])
    const seen = await eventValues('seen')
    assert.ok(!seen.slice(seenBefore).includes('hidden'), `${browser.name} says ${seen.join()}`)
    // Random ports, ids and tokens may contain the same digits.
    const random = new RegExp(`localhost:\\d+|127\\.0\\.0\\.1:\\d+|${tessera.merchantId}|[0-9a-f]{32}|${result?.token ?? ''}`, 'g')
    const page = JSON.stringify([await inPage('formEvents'), await inPage('document.documentElement.outerHTML')])
      .replaceAll('8600***6478', '')
      .replace(random, '')
    assert.doesNotMatch(page, /8600|4954|7331|6478/)
  }

  /** WebKit stores no Secure cookie on a page without TLS, not even on localhost. The test environment's cookie has another name and no Secure. */
  async function signInAndOut({ name, open, inPage, press }: OtherBrowser): Promise<void> {
    const isThere = (selector: string): Promise<void> =>
      waitUntil(() => inPage(`document.querySelector(${JSON.stringify(selector)}) !== null`), `${selector} in ${name}`)
    const focus = (selector: string): Promise<unknown> => inPage(`document.querySelector(${JSON.stringify(selector)}).focus()`)
    const account = `${tessera.url.replace('127.0.0.1', 'localhost')}/dashboard/account`
    await open(account)
    await isThere('input[type=password]')
    // On a busy machine keys arrive late, so each field is complete before the next one is focused; and WebKitGTK may lose some, so they are typed again.
    const type = async (selector: string, keys: string): Promise<void> => {
      const field = `document.querySelector(${JSON.stringify(selector)})`
      const typed: unknown[] = []
      const isFilled = async (): Promise<boolean> => {
        await focus(selector)
        await inPage(`${field}.select()`)
        await press(keys)
        for (const endsAt = performance.now() + keysTimeoutMs; performance.now() < endsAt;) {
          typed[0] = await inPage(`${field}.value.replaceAll(' ', '')`)
          if (typed[0] === keys) return true
        }
        return false
      }
      await waitUntil(isFilled, () => `${selector} filled in ${name}; it holds ${JSON.stringify(typed[0])}`)
    }
    await type('form input', '998900000000')
    await type('input[type=password]', 'sandbox')
    await press(enterKey)
    await isThere('nav a')
    await open(account)
    await isThere('nav a')
    assert.equal(await inPage('document.cookie'), '')
    await inPage(`[...document.querySelectorAll('.account button')].at(-1).click()`)
    await isThere('input[type=password]')
    await open(account)
    await isThere('input[type=password]')
  }
})
