// time limit: 180 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { startTessera, type StartedTessera } from '../tools/start-tessera.ts'
import { startFirefox } from './firefox.fixture.ts'
import { mountForm, openShop, type Shop } from './form.fixture.ts'
import { enterKey, waitUntil, type OtherBrowser } from './other-browser.fixture.ts'
import { startWebKit } from './webkit.fixture.ts'

const pan = '8600495473316478'

describe('browsers of other makers', () => {
  let tessera: StartedTessera
  let shop: Shop
  before(async () => {
    tessera = await startTessera()
    shop = await openShop(tessera.url)
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

      it(`the card form goes its whole way in ${name}: a fault, the card, the box, a wrong code, the right one`, () => goWholeWay(browser))
      it(`the dashboard's cookie is kept by ${name} on plain http, and dropped when the person signs out`, () => signInAndOut(browser))
    })
  }

  async function goWholeWay(browser: OtherBrowser): Promise<void> {
    const { inPage, inFrame, click, press } = browser
    await browser.open(shop.place({}))
    await inPage(`(${mountForm.toString()})(${JSON.stringify({ merchant: tessera.merchantId, locale: 'en', save: 'ask' })})`)
    const said = async (event: string): Promise<unknown[]> => (await inPage(`said[${JSON.stringify(event)}] ?? []`)) as unknown[]
    const isShown = (selector: string, text = ''): Promise<void> =>
      waitUntil(
        () =>
          inFrame(
            `[...document.querySelectorAll(${JSON.stringify(selector)})].some((part) => part.checkVisibility() && part.textContent.includes(${JSON.stringify(text)}))`,
          ),
        `${selector} "${text}" in ${browser.name}`,
      )
    const isTrue = (expression: string): Promise<void> => waitUntil(() => inFrame(expression), `${expression} in ${browser.name}`)
    await waitUntil(async () => (await said('ready')).length === 1, `ready in ${browser.name}`)
    await isTrue(`!document.querySelector('form.card button.main').disabled`)
    // A page that is slow to give the form its height may tell of that before.
    await isTrue('document.documentElement.scrollHeight <= innerHeight')
    await waitUntil(async () => ['visible', 'unverified'].includes(String((await said('seen')).at(-1))), `seen in ${browser.name}`)
    const seenBefore = (await said('seen')).length

    await click('form.card button.main')
    await isShown('#number-fault', 'Enter the card number')
    // The focus and the keys come in their own time to a frame in another process.
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
    await isShown('#code-fault', 'not right')
    await press(`666666${enterKey}`)
    await isShown('.done h2')
    await waitUntil(async () => (await said('token')).length === 1, `the token in ${browser.name}`)
    const [told] = (await said('token')) as { token: string; card: { number: string; recurrent: boolean; verify: boolean } }[]
    assert.match(told?.token ?? '', /^[0-9a-f]{24}_/)
    assert.deepEqual([told?.card.number, told?.card.recurrent, told?.card.verify], ['8600***6478', true, true])
    const seen = await said('seen')
    assert.ok(!seen.slice(seenBefore).includes('hidden'), `${browser.name} says ${seen.join()}`)
    const page = JSON.stringify([await inPage('said'), await inPage('document.documentElement.outerHTML')]).replaceAll('8600***6478', '')
    assert.doesNotMatch(page, /8600|4954|7331|6478/)
  }

  /** WebKit keeps no cookie that asks for TLS on a page without it, localhost or not: the test environment's has another name and asks for none. */
  async function signInAndOut({ name, open, inPage, press }: OtherBrowser): Promise<void> {
    const isThere = (selector: string): Promise<void> =>
      waitUntil(() => inPage(`document.querySelector(${JSON.stringify(selector)}) !== null`), `${selector} in ${name}`)
    const focus = (selector: string): Promise<unknown> => inPage(`document.querySelector(${JSON.stringify(selector)}).focus()`)
    const account = `${tessera.url.replace('127.0.0.1', 'localhost')}/dashboard/account`
    await open(account)
    await isThere('input[type=password]')
    // A busy machine brings keys late: each field has all of its own before the next one is stood in.
    const type = async (selector: string, keys: string): Promise<void> => {
      await focus(selector)
      await press(keys)
      const value = `document.querySelector(${JSON.stringify(selector)}).value.replaceAll(' ', '')`
      await waitUntil(async () => (await inPage(value)) === keys, `${selector} filled in ${name}`)
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
