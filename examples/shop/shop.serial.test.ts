// time limit: 150 s
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

import { fillCard, type FilledCard } from '../../browser/testing/fill-card.ts'
import { chromiumFlags, findChromium } from '../../tools/chromium.ts'
import { looksAt } from './looks.fixture.ts'
import type { Records } from './records.ts'
import { root, runProgram, start, tessera, type Started } from './started.fixture.ts'

const success = '8600069195406311'

describe('the example shop in a real browser', () => {
  let folder: string
  let started: Started
  let browser: Browser
  const faults: string[] = []
  let scenarios: Promise<void>
  let asking: Promise<void>
  let moneyBack: Promise<void>

  before(async () => {
    // As `npm run example:shop` does: the example imports the library as a merchant does, built.
    await runProgram(process.execPath, ['tools/build-client.ts'], { cwd: root })
    folder = mkdtempSync(join(tmpdir(), 'tessera-shop-test-'))
    const executablePath = findChromium() ?? assert.fail('no Chromium')
    ;[started, browser] = await Promise.all([start(folder), chromium.launch({ executablePath, args: chromiumFlags() })])
    // One of these cards takes ten seconds to fail: what comes first is done meanwhile.
    scenarios = inBackground(tryScenarios())
  })
  after(async () => {
    await browser.close()
    assert.equal(await started.stop('SIGTERM'), 0, started.said())
    rmSync(folder, { recursive: true, force: true })
  })

  /** A buyer nobody knows yet. What the browser complains of is collected: a policy that is broken, a script that throws. */
  async function enter(deed: (page: Page, context: BrowserContext) => Promise<void>, complaints: string[] = faults): Promise<void> {
    const context = await browser.newContext({ locale: 'en-GB' })
    const page = await context.newPage()
    page.on('console', (line) => line.type() === 'error' && complaints.push(line.text()))
    page.on('pageerror', (err) => complaints.push(err.message))
    await page.goto(started.url)
    await deed(page, context)
    await context.close()
  }

  async function order(page: Page, plan: 'once' | 'monthly' = 'once'): Promise<void> {
    await page.goto(started.url)
    await page.locator(`input[value=${plan}]`).check()
    await page.getByRole('button', { name: 'Buy' }).click()
    await page.frameLocator('iframe').locator('#number').waitFor()
  }

  const pay = (page: Page, entry: Partial<Parameters<typeof fillCard>[1]> = {}): Promise<FilledCard> =>
    fillCard(page, { number: success, expire: '0399', ...entry })
  const heading = (page: Page, name: string): Promise<void> => page.getByRole('heading', { name }).waitFor()
  const records = (): Records => JSON.parse(readFileSync(join(folder, 'shop', 'records.json'), 'utf8')) as Records
  const strike = (step: string): Promise<unknown> => tessera(folder, 'sandbox', 'step', 'network', step)

  async function tryScenarios(): Promise<void> {
    const says: [pan: string, said: RegExp][] = [
      ['8600060921090842', /SMS notices are not connected/],
      ['3333336415804657', /expired/],
      ['4444445987459073', /blocked/],
      ['8600143417770323', /Something failed at the bank/],
      ['8600134301849596', /did not answer/],
    ]
    await enter(async (page) => {
      await order(page)
      for (const [number, said] of says) {
        const filled = await pay(page, { number })
        assert.match(filled.ok ? 'nothing' : filled.said, said)
      }
      // The session of the page takes five cards: this one is the sixth, and the page asks for another session by itself.
      assert.equal((await pay(page)).ok, false)
      await page.getByText('ready again').waitFor()
      assert.equal((await pay(page)).ok, true)
      await heading(page, 'Paid')
    })
  }

  describe('while the card that fails after ten seconds is tried', { concurrency: true }, () => {
    it('sells a box every month to who agrees, and the next one when the month has passed', async () => {
      await enter(async (page) => {
        await looksAt(page, 'the shop')
        await order(page, 'monthly')
        await looksAt(page, 'an order')
        assert.deepEqual(await pay(page, { save: true }), { ok: true, step: 'done' })
        await heading(page, 'Paid. Thank you!')
        await page.getByText('Card 8600***6311').waitFor()
        await page.getByText('The next box comes on').waitFor()
        await looksAt(page, 'an order that is paid')
        await page.getByRole('link', { name: 'My boxes' }).first().click()
        for (let month = 1; month <= 2; month++) {
          await page.getByRole('button', { name: 'Let a month pass' }).click()
          await page.getByText('A month has passed').waitFor()
        }
        assert.deepEqual(await page.locator('.orders .state').allTextContents(), ['paid', 'paid', 'paid'])
        await looksAt(page, 'my boxes')
        const days = await page.locator('.orders a').allTextContents()
        assert.equal(new Set(days).size, 3, days.join())
      })
    })

    it('keeps one card of a buyer: pays with it by one press, removes it where another is kept, and the other where the buyer says so', async () => {
      await enter(async (page, context) => {
        const id = (await context.cookies()).find(({ name }) => name === 'buyer')?.value ?? ''
        const kept = (): string => records().buyers[id]?.card?.token ?? ''
        await order(page)
        await pay(page, { save: true })
        await heading(page, 'Paid')
        const first = kept()
        await order(page)
        await looksAt(page, 'an order with a kept card')
        await page.getByRole('button', { name: 'Pay 129,000' }).click()
        await heading(page, 'Paid')
        await order(page)
        await pay(page, { number: '8600495473316478', save: true })
        await heading(page, 'Paid')
        const second = kept()
        const asked = async (token: string): Promise<unknown> => {
          const headers = { 'x-auth': '65f0c0ffee0000000000cafe:sandbox-only-password-not-for-live-0' }
          const body = JSON.stringify({ id: 1, method: 'cards.check', params: { token } })
          return (await fetch(`${started.tessera}/api`, { method: 'POST', headers, body })).json()
        }
        assert.match(JSON.stringify(await asked(first)), /deleted/)
        assert.match(JSON.stringify(await asked(second)), /"verify":true/)
        await page.goto(`${started.url}/mine`)
        await page.getByRole('button', { name: 'Remove the card' }).click()
        await page.getByText('Your card is removed').waitFor()
        await looksAt(page, 'my boxes without a card')
        assert.match(JSON.stringify(await asked(second)), /deleted/)
        assert.ok(second !== '' && !JSON.stringify(records()).includes(second))
        await order(page)
        assert.equal(await page.locator('form.kept').count(), 0)
      })
    })

    it('pays once with a card whose owner did not agree, and keeps nothing of it but its mask', async () => {
      await enter(async (page, context) => {
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

    it('says in words what each scenario card meets, and takes a good one after it', () => scenarios)
  })

  it('says what came of a payment that was refused, takes no money, and is paid at the next try', async () => {
    await enter(async (page) => {
      for (const [step, said] of [
        ['insufficient_funds', 'not enough money'],
        ['declined', 'Your bank declined'],
        ['debit_failed', 'Something failed at the bank'],
      ] as const) {
        await Promise.all([strike(step), order(page)])
        await pay(page)
        await page.getByRole('alert').filter({ hasText: said }).waitFor()
      }
      await Promise.all([strike('none'), looksAt(page, 'an order whose payment was refused')])
      await page.frameLocator('iframe').locator('#number').waitFor()
      await pay(page)
      await heading(page, 'Paid')
    })
  })

  it('sends the payment whose answer is lost', async () => {
    const sent = Promise.withResolvers<null>()
    const asks = Promise.withResolvers<undefined>()
    asking = asks.promise
    moneyBack = inBackground(
      enter(async (page) => {
        await order(page)
        await strike('lose_answer')
        page.on('request', (request) => request.url().endsWith('/pay') && sent.resolve(null))
        // The page loads anew as soon as it knows more, and is looked at before.
        const looked = Promise.withResolvers<undefined>()
        await page.route('**/state', (route) => looked.promise.then(() => route.continue()))
        await pay(page)
        await heading(page, 'We are asking the bank')
        await strike('none')
        await looksAt(page, 'a payment that is asked after')
        looked.resolve(undefined)
        asks.resolve(undefined)
        await page.getByRole('alert').filter({ hasText: 'the money went back' }).waitFor({ timeout: 60_000 })
        await page.frameLocator('iframe').locator('#number').waitFor()
        await pay(page)
        await heading(page, 'Paid')
      }),
    )
    await Promise.race([sent.promise, moneyBack])
  })

  describe('while the bank is silent, with nobody paying', { concurrency: true }, () => {
    it('says that the form is not there when its script was changed or is not to be had', async () => {
      const complaints: string[] = []
      await enter(async (page, context) => {
        await context.route('**/sdk/**', (route) =>
          route.fulfill({ body: 'globalThis.Tessera = {}', headers: { 'access-control-allow-origin': '*' } }),
        )
        await page.getByRole('button', { name: 'Buy' }).click()
        await page.getByText('The card form did not load').waitFor()
        await looksAt(page, 'an order without the form')
        await context.unroute('**/sdk/**')
        await page.getByRole('button', { name: 'Reload' }).click()
        await page.frameLocator('iframe').locator('#number').waitFor()
      }, complaints)
      assert.ok(complaints.some((fault) => fault.includes('integrity')))
    })

    it('shows an order to nobody else, and does nothing for a page of another origin', async () => {
      let url = ''
      await enter(async (page) => {
        await order(page)
        url = page.url()
      })
      const reply = await fetch(url)
      assert.equal(reply.status, 404)
      assert.match(String(reply.headers.get('content-security-policy')), /default-src 'none'.*frame-src http:\/\/127/)
      for (const headers of [{ origin: 'http://evil.example' }, { origin: 'null' }, {}]) {
        assert.equal((await fetch(`${url}/pay`, { method: 'POST', headers: headers as Record<string, string> })).status, 403)
      }
      const webhook = await fetch(`${started.url}/webhooks`, { method: 'POST', body: '{"type":"receipt.paid","data":{}}' })
      assert.equal(webhook.status, 400)
      assert.equal((await fetch(`${started.url}//evil.example?lang=ru`, { redirect: 'manual' })).headers.get('location'), '/')
      await enter(async (page) => {
        await page.goto(url)
        await looksAt(page, "somebody else's order")
      }, [])
    })

    it('speaks three languages, on a narrow phone too, without a sideways scroll', async () => {
      const context = await browser.newContext({ viewport: { width: 320, height: 640 }, colorScheme: 'dark' })
      const page = await context.newPage()
      for (const [language, title] of [
        ['uz', 'Choy qutisi'],
        ['ru', 'Чайная коробка'],
        ['en', 'The tea box'],
      ] as const) {
        await page.goto(`${started.url}/?lang=${language}`)
        await heading(page, title)
        await page.locator('form[action="/orders"] button').click()
        await page.frameLocator('iframe').locator('#number').waitFor()
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
        assert.equal(await page.getAttribute('html', 'lang'), language)
      }
      await context.close()
    })

    it('says that it is asking the bank when the answer to a payment was lost', () => Promise.race([asking, moneyBack]))
  })

  describe('while the bank is asked', { concurrency: true }, () => {
    it('makes one payment of two presses of everything, and goes on after a reload in the middle', async () => {
      const countOrders = (id: string): number => Object.values(records().orders).filter(({ buyer }) => buyer === id).length
      await enter(async (page, context) => {
        await page.getByRole('button', { name: 'Buy' }).dblclick()
        await page.frameLocator('iframe').locator('#number').waitFor()
        assert.equal((await pay(page, { code: null })).ok, true)
        await page.reload()
        await pay(page, { save: true })
        await heading(page, 'Paid')
        assert.equal(countOrders((await context.cookies()).find(({ name }) => name === 'buyer')?.value ?? ''), 1)

        await order(page)
        const asked = page.url()
        const both = (): Promise<number[]> =>
          page.evaluate(async (url) => {
            const once = (): Promise<Response> => fetch(`${url}/pay`, { method: 'POST', body: new URLSearchParams() })
            return (await Promise.all([once(), once(), once()])).map(({ status }) => status)
          }, asked)
        assert.deepEqual(await both(), [200, 200, 200])
        await page.reload()
        await heading(page, 'Paid')
        const paid = records().orders[asked.split('/').at(-1) ?? '']
        assert.deepEqual([paid?.state, paid?.pays], ['paid', 1])
      })
    })

    it('pays with the token that it has when the shop could not be reached', async () => {
      await enter(async (page, context) => {
        await order(page)
        await context.route('**/pay', (route) => route.abort())
        await pay(page)
        await page.getByText('Your card is confirmed and nothing is lost').waitFor()
        await context.unroute('**/pay')
        await page.getByRole('button', { name: 'Try again' }).click()
        await heading(page, 'Paid')
      }, [])
    })

    it('asks until it knows, says that the money went back, and takes the next try', () => moneyBack)
  })

  it('heard of its payments by webhook', async () => {
    assert.ok(records().seen.length >= 3, JSON.stringify(records().seen))
  })

  it('goes on where it was after both were stopped and started again', async () => {
    await enter(async (page, context) => {
      await order(page)
      await pay(page, { save: true })
      await heading(page, 'Paid')
      assert.equal(await started.stop('SIGINT'), 0, started.said())
      started = await start(folder)
      // The port is another one, and cookies know no ports.
      await page.goto(`${started.url}/mine`)
      await page.getByText('8600***6311').first().waitFor()
      await order(page)
      await page.getByRole('button', { name: 'Pay 129,000' }).click()
      await heading(page, 'Paid')
      await context.close()
    })
  })

  it('keeps nothing but what a merchant may keep, and says nothing else', async () => {
    const { buyers, orders } = records()
    const cards = Object.values(buyers).flatMap(({ card }) => (card === null ? [] : [card]))
    assert.ok(cards.length > 0)
    for (const card of cards) assert.deepEqual(Object.keys(card).sort(), ['expire', 'number', 'recurrent', 'token', 'verify'])
    for (const card of cards) assert.match(card.number, /^[0-9]{4}\*{3}[0-9]{4}$/)
    for (const order of Object.values(orders)) assert.ok(!Object.keys(order).includes('token'))
    const texts = [...readAll(join(folder, 'shop')), started.said().replace(/Test cards,[^]*?\n\n/g, '')]
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

  it('broke no policy and threw nothing in the browser', () => {
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('favicon')),
      [],
    )
  })
})

/** Goes on while tests run; the test that is about it waits for it, and fails where it failed. */
function inBackground(deed: Promise<void>): Promise<void> {
  deed.catch(() => undefined)
  return deed
}

function readAll(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
}
