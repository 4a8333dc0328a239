// time limit: 150 s
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

import { fillCard, type FilledCard } from '../../browser/testing/fill-card.ts'
import { chromiumFlags, findTestBrowser } from '../../tools/chromium.ts'
import { pressInFrame } from '../../tools/press-in-frame.ts'
import { expectAccessible } from './page-checks.fixture.ts'
import type { Records } from './records.ts'
import { repositoryRoot, runProgram, runTesseraForShop, startShop, type RunningShop } from './running-shop.fixture.ts'

const success = '8600069195406311'

describe('the example shop in a real browser', () => {
  let folder: string
  let shop: RunningShop
  let browser: Browser
  const consoleErrors: string[] = []
  let scenarios: Promise<void>
  let waiting: Promise<void>
  let refunded: Promise<void>

  before(async () => {
    // As `npm run example:shop` does. The example imports the built library, as a merchant does.
    await runProgram(process.execPath, ['tools/build-client.ts'], { cwd: repositoryRoot })
    folder = mkdtempSync(join(tmpdir(), 'tessera-shop-test-'))
    const executablePath = findTestBrowser() ?? assert.fail('no Chromium')
    ;[shop, browser] = await Promise.all([startShop(folder), chromium.launch({ executablePath, args: chromiumFlags() })])
    // One of these cards fails after ten seconds. Other tests run in the meantime.
    scenarios = inBackground(tryScenarios())
  })
  after(async () => {
    await browser.close()
    assert.equal(await shop.stop('SIGTERM'), 0, shop.output())
    rmSync(folder, { recursive: true, force: true })
  })

  /** Visits the shop as a new buyer. Console errors are recorded: policy violations and exceptions. */
  async function visit(
    action: (page: Page, context: BrowserContext) => Promise<void>,
    complaints: string[] = consoleErrors,
  ): Promise<void> {
    const context = await browser.newContext({ locale: 'en-GB' })
    const page = await context.newPage()
    page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()))
    page.on('pageerror', (err) => complaints.push(err.message))
    await page.goto(shop.url)
    await action(page, context)
    await context.close()
  }

  async function order(page: Page, plan: 'once' | 'monthly' = 'once'): Promise<void> {
    await page.goto(shop.url)
    await page.locator(`input[value=${plan}]`).check()
    await page.getByRole('button', { name: 'Buy' }).click()
    await page.frameLocator('iframe').locator('#number').waitFor()
  }

  const pay = (page: Page, entry: Partial<Parameters<typeof fillCard>[1]> = {}): Promise<FilledCard> =>
    fillCard(page, { number: success, expire: '0399', ...entry })
  const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { name }).waitFor()
  const records = (): Records => JSON.parse(readFileSync(join(folder, 'shop', 'records.json'), 'utf8')) as Records
  const failNextStep = (step: string): Promise<unknown> => runTesseraForShop(folder, 'sandbox', 'step', 'network', step)

  async function tryScenarios(): Promise<void> {
    const cards: [pan: string, message: RegExp][] = [
      ['8600060921090842', /SMS notifications are not enabled/],
      ['3333336415804657', /expired/],
      ['4444445987459073', /blocked/],
      ['8600143417770323', /Something failed at the bank/],
      ['8600134301849596', /did not respond/],
    ]
    await visit(async (page) => {
      await order(page)
      for (const [number, message] of cards) {
        const filled = await pay(page, { number })
        assert.match(filled.ok ? 'nothing' : filled.message, message)
      }
      // The session allows five attempts. This is the sixth, so the page creates another session by itself.
      assert.equal((await pay(page)).ok, false)
      await page.getByText('ready again').waitFor()
      assert.equal((await pay(page)).ok, true)
      await heading(page, 'Paid')
    })
  }

  describe('while the card that fails after ten seconds is tried', { concurrency: true }, () => {
    it('charges a box every month with consent, and the next one when the month has passed', async () => {
      await visit(async (page) => {
        await expectAccessible(page, 'the shop')
        await order(page, 'monthly')
        await expectAccessible(page, 'an order')
        assert.deepEqual(await pay(page, { save: true }), { ok: true, step: 'done' })
        await heading(page, 'Paid. Thank you!')
        await page.getByText('Card 8600***6311').waitFor()
        await page.getByText('The next box comes on').waitFor()
        await expectAccessible(page, 'an order that is paid')
        await page.getByRole('link', { name: 'My boxes' }).first().click()
        for (let month = 1; month <= 2; month++) {
          await page.getByRole('button', { name: 'Advance by a month' }).click()
          await page.getByText('A month has passed').waitFor()
        }
        assert.deepEqual(await page.locator('.orders .state').allTextContents(), ['paid', 'paid', 'paid'])
        await expectAccessible(page, 'my boxes')
        const days = await page.locator('.orders a').allTextContents()
        assert.equal(new Set(days).size, 3, days.join())
      })
    })

    it('saves one card per buyer, pays with it by one press, replaces it by another card, and removes it on request', async () => {
      await visit(async (page, context) => {
        const id = (await context.cookies()).find(({ name }) => name === 'buyer')?.value ?? ''
        const savedToken = (): string => records().buyers[id]?.card?.token ?? ''
        await order(page)
        await pay(page, { save: true })
        await heading(page, 'Paid')
        const first = savedToken()
        await order(page)
        await expectAccessible(page, 'an order with a saved card')
        await page.getByRole('button', { name: 'Pay 129,000' }).click()
        await heading(page, 'Paid')
        await order(page)
        await pay(page, { number: '8600495473316478', save: true })
        await heading(page, 'Paid')
        const second = savedToken()
        const checkToken = async (token: string): Promise<unknown> => {
          const headers = { 'x-auth': '65f0c0ffee0000000000cafe:sandbox-only-password-not-for-live-0' }
          const body = JSON.stringify({ id: 1, method: 'cards.check', params: { token } })
          return (await fetch(`${shop.tessera}/api`, { method: 'POST', headers, body })).json()
        }
        assert.match(JSON.stringify(await checkToken(first)), /deleted/)
        assert.match(JSON.stringify(await checkToken(second)), /"verify":true/)
        await page.goto(`${shop.url}/mine`)
        await page.getByRole('button', { name: 'Remove the card' }).click()
        await page.getByText('Your card is removed').waitFor()
        await expectAccessible(page, 'my boxes without a card')
        assert.match(JSON.stringify(await checkToken(second)), /deleted/)
        assert.ok(second !== '' && !JSON.stringify(records()).includes(second))
        await order(page)
        assert.equal(await page.locator('form.saved').count(), 0)
      })
    })

    it('pays once with a card whose owner did not consent, and stores only its masked number', async () => {
      await visit(async (page, context) => {
        await order(page, 'monthly')
        const sent: string[] = []
        page.on('request', (request) => request.url().endsWith('/pay') && sent.push(request.postData() ?? ''))
        await pay(page, { save: false })
        await heading(page, 'Paid')
        await page.getByText('nothing more will be charged').waitFor()
        const buyer = (await context.cookies()).find(({ name }) => name === 'buyer')?.value ?? ''
        assert.deepEqual(records().buyers[buyer], { card: null, nextBoxAt: null })
        const token = new URLSearchParams(sent[0]).get('token') ?? assert.fail('no token was sent')
        assert.ok(!JSON.stringify(records()).includes(token.split('_')[1] ?? ''))
      })
    })

    it('shows a message for each scenario card, and accepts a good card afterwards', () => scenarios)
  })

  it('shows why a payment failed, takes no money, and succeeds at the next attempt', async () => {
    await visit(async (page) => {
      for (const [step, message] of [
        ['insufficient_funds', 'not enough money'],
        ['declined', 'Your bank declined'],
        ['debit_failed', 'Something failed at the bank'],
      ] as const) {
        await Promise.all([failNextStep(step), order(page)])
        await pay(page)
        await page.getByRole('alert').filter({ hasText: message }).waitFor()
      }
      await Promise.all([failNextStep('none'), expectAccessible(page, 'an order whose payment was refused')])
      await page.frameLocator('iframe').locator('#number').waitFor()
      await pay(page)
      await heading(page, 'Paid')
    })
  })

  it('sends a payment whose response is lost', async () => {
    const sent = Promise.withResolvers<null>()
    const waitingShown = Promise.withResolvers<undefined>()
    waiting = waitingShown.promise
    refunded = inBackground(
      visit(async (page) => {
        await order(page)
        await failNextStep('lose_answer')
        page.on('request', (request) => request.url().endsWith('/pay') && sent.resolve(null))
        // The page reloads as soon as it knows the result, so that is delayed until it has been checked.
        const checked = Promise.withResolvers<undefined>()
        await page.route('**/state', (route) => checked.promise.then(() => route.continue()))
        await pay(page)
        await heading(page, 'We are asking the bank')
        await failNextStep('none')
        await expectAccessible(page, 'a payment that is being confirmed')
        checked.resolve(undefined)
        waitingShown.resolve(undefined)
        await page.getByRole('alert').filter({ hasText: 'the money went back' }).waitFor({ timeout: 60_000 })
        await page.frameLocator('iframe').locator('#number').waitFor()
        await pay(page)
        await heading(page, 'Paid')
      }),
    )
    await Promise.race([sent.promise, refunded])
  })

  describe('while the bank does not respond, without payments', { concurrency: true }, () => {
    it('reports that the form did not load when its script was changed or is unavailable', async () => {
      const complaints: string[] = []
      await visit(async (page, context) => {
        await context.route('**/sdk/**', (route) =>
          route.fulfill({ body: 'globalThis.Tessera = {}', headers: { 'access-control-allow-origin': '*' } }),
        )
        await page.getByRole('button', { name: 'Buy' }).click()
        await page.getByText('The card form did not load').waitFor()
        await expectAccessible(page, 'an order without the form')
        await context.unroute('**/sdk/**')
        await page.getByRole('button', { name: 'Reload' }).click()
        await page.frameLocator('iframe').locator('#number').waitFor()
      }, complaints)
      assert.ok(complaints.some((line) => line.includes('integrity')))
    })

    it('shows an order to its customer only, and accepts no request from another origin', async () => {
      let url = ''
      await visit(async (page) => {
        await order(page)
        url = page.url()
      })
      const reply = await fetch(url)
      assert.equal(reply.status, 404)
      assert.match(String(reply.headers.get('content-security-policy')), /default-src 'none'.*frame-src http:\/\/127/)
      for (const headers of [{ origin: 'http://evil.example' }, { origin: 'null' }, {}]) {
        assert.equal((await fetch(`${url}/pay`, { method: 'POST', headers: headers as Record<string, string> })).status, 403)
      }
      const webhook = await fetch(`${shop.url}/webhooks`, { method: 'POST', body: '{"type":"receipt.paid","data":{}}' })
      assert.equal(webhook.status, 400)
      assert.equal((await fetch(`${shop.url}//evil.example?lang=ru`, { redirect: 'manual' })).headers.get('location'), '/')
      await visit(async (page) => {
        await page.goto(url)
        await expectAccessible(page, "another buyer's order")
      }, [])
    })

    it('has three languages, and does not scroll horizontally on a narrow phone', async () => {
      const context = await browser.newContext({ viewport: { width: 320, height: 640 }, colorScheme: 'dark' })
      const page = await context.newPage()
      for (const [language, title] of [
        ['uz', 'Choy qutisi'],
        ['ru', 'Чайная коробка'],
        ['en', 'The tea box'],
      ] as const) {
        await page.goto(`${shop.url}/?lang=${language}`)
        await heading(page, title)
        await page.locator('form[action="/orders"] button').click()
        await page.frameLocator('iframe').locator('#number').waitFor()
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
        assert.equal(await page.getAttribute('html', 'lang'), language)
      }
      await context.close()
    })

    it('says that it is asking the bank when the response to a payment was lost', () => Promise.race([waiting, refunded]))
  })

  describe('while the result is read from the bank', { concurrency: true }, () => {
    it('makes one payment when every button is pressed twice, and continues after a reload', async () => {
      const countOrders = (id: string): number => Object.values(records().orders).filter(({ buyer }) => buyer === id).length
      await visit(async (page, context) => {
        await page.getByRole('button', { name: 'Buy' }).dblclick()
        await page.frameLocator('iframe').locator('#number').waitFor()
        assert.equal((await pay(page, { code: null })).ok, true)
        await page.reload()
        await pay(page, { save: true })
        await heading(page, 'Paid')
        assert.equal(countOrders((await context.cookies()).find(({ name }) => name === 'buyer')?.value ?? ''), 1)

        await order(page)
        const orderUrl = page.url()
        const payThreeTimes = (): Promise<number[]> =>
          page.evaluate(async (url) => {
            const pay = (): Promise<Response> => fetch(`${url}/pay`, { method: 'POST', body: new URLSearchParams() })
            return (await Promise.all([pay(), pay(), pay()])).map(({ status }) => status)
          }, orderUrl)
        assert.deepEqual(await payThreeTimes(), [200, 200, 200])
        await page.reload()
        await heading(page, 'Paid')
        const paid = records().orders[orderUrl.split('/').at(-1) ?? '']
        assert.deepEqual([paid?.state, paid?.pays], ['paid', 1])
      })
    })

    it('pays with the same token after the shop could not be reached', async () => {
      await visit(async (page, context) => {
        await order(page)
        await context.route('**/pay', (route) => route.abort())
        await pay(page)
        await page.getByText('Your card is confirmed and nothing is lost').waitFor()
        await context.unroute('**/pay')
        // The form may still change its height above the button, which then is where the click does not go.
        await pressInFrame(page.getByRole('button', { name: 'Try again' }))
        await heading(page, 'Paid')
      }, [])
    })

    it('waits for the result, shows that the money was returned, and accepts the next attempt', () => refunded)
  })

  it('received webhooks for its payments', async () => {
    assert.ok(records().handledDeliveries.length >= 3, JSON.stringify(records().handledDeliveries))
  })

  it('continues with its data after both were stopped and started again', async () => {
    await visit(async (page, context) => {
      await order(page)
      await pay(page, { save: true })
      await heading(page, 'Paid')
      assert.equal(await shop.stop('SIGINT'), 0, shop.output())
      shop = await startShop(folder)
      // The port is different, but cookies do not depend on ports.
      await page.goto(`${shop.url}/mine`)
      await page.getByText('8600***6311').first().waitFor()
      await order(page)
      await page.getByRole('button', { name: 'Pay 129,000' }).click()
      await heading(page, 'Paid')
      await context.close()
    })
  })

  it('stores and prints only what a merchant may store', async () => {
    const { buyers, orders } = records()
    const cards = Object.values(buyers).flatMap(({ card }) => (card === null ? [] : [card]))
    assert.ok(cards.length > 0)
    for (const card of cards) assert.deepEqual(Object.keys(card).sort(), ['expire', 'number', 'recurrent', 'token', 'verify'])
    for (const card of cards) assert.match(card.number, /^[0-9]{4}\*{3}[0-9]{4}$/)
    for (const order of Object.values(orders)) assert.ok(!Object.keys(order).includes('token'))
    const texts = [...readAll(join(folder, 'shop')), shop.output().replace(/Test cards,[^]*?\n\n/g, '')]
    for (const text of texts) {
      assert.doesNotMatch(text, /666666/)
      const plain = text.replace(/[ -]/g, '')
      for (const pan of [success, '8600060921090842', '3333336415804657', '4444445987459073', '8600143417770323', '8600134301849596']) {
        assert.ok(
          !plain.includes(pan) && !plain.includes(Buffer.from(pan).toString('base64').slice(0, 20)) && !text.includes(pan.slice(4, 12)),
        )
      }
    }
  })

  it('caused no policy violation and no exception in the browser', () => {
    assert.deepEqual(
      consoleErrors.filter((line) => !line.includes('favicon')),
      [],
    )
  })
})

/** Continues while other tests run. The test that waits for it fails when it failed. */
function inBackground(task: Promise<void>): Promise<void> {
  task.catch(() => undefined)
  return task
}

function readAll(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
}
