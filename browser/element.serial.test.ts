// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { enterCard, enterCode, startTestBed, observeForm, type OpenForm, type TestBed } from './form.fixture.ts'

interface ElementTestPage {
  formEvents: Record<string, unknown[]>
  card: HTMLElement & { theme?: object; labels?: object; form: { submit: () => void } | null }
  submitted: number
}

describe('<tessera-card>', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  /** Opens a page of the shop with this markup and records the events of its elements. */
  async function open(body: string, before = ''): Promise<OpenForm> {
    const page = await testBed.browser.newPage()
    const opened = observeForm(page)
    const script = `
      globalThis.formEvents = {}
      for (const name of ['ready', 'change', 'step', 'token', 'error', 'wait', 'seen'])
        document.addEventListener('tessera-' + name, (event) => (formEvents[name] ??= []).push(event.detail instanceof Error ? { ...event.detail } : (event.detail ?? null)))
      globalThis.card = document.querySelector('tessera-card')
      ${before}`
    await page.goto(testBed.servePage({ body: `<div id="one">${body}</div><div id="two"></div><script>${script}</script>` }))
    return opened
  }

  it('works as a tag in the markup: dispatches its events and accepts a card', async () => {
    const opened = await open(`<tessera-card merchant="${testBed.merchant}" locale="en" save="ask" layout="row"></tessera-card>`)
    await opened.waitForEvent('ready')
    await opened.form.locator('html[data-layout=row]').waitFor()
    await opened.form.locator('.consent').waitFor()
    await enterCard(opened, '8600069195406311')
    await enterCode(opened)
    assert.equal(((await opened.waitForEvent('token')) as { card: { number: string } }).card.number, '8600***6311')
    assert.deepEqual(
      opened.consoleLines.filter((line) => !line.includes('Permissions-Policy')),
      [],
    )
    await opened.page.close()
  })

  it('applies properties set before it was defined, and attributes changed after it was mounted', async () => {
    const early = `card.theme = { accent: '#aa0000' }; card.labels = { submit: 'Go on' }`
    const { page, form, waitForEvent, eventValues } = await open(
      `<tessera-card merchant="${testBed.merchant}" locale="en" button="true"></tessera-card>`,
      early,
    )
    await waitForEvent('ready')
    await form.locator('form.card button', { hasText: 'Go on' }).waitFor()
    await form.locator('html[style*="#aa0000"]').waitFor()
    await page.evaluate(() => {
      const { card } = globalThis as unknown as ElementTestPage
      card.setAttribute('locale', 'ru')
      card.setAttribute('direction', 'rtl')
      card.setAttribute('button', 'false')
      card.theme = { accent: '#00aa00' }
    })
    await form.locator('html[lang=ru][dir=rtl][style*="#00aa00"]').waitFor()
    await form.locator('form.card button').waitFor({ state: 'hidden' })
    await page.evaluate(() => (globalThis as unknown as ElementTestPage).card.removeAttribute('direction'))
    await form.locator('html[dir=ltr]').waitFor()
    assert.equal((await eventValues('ready')).length, 1)
    await page.close()
  })

  it('waits for the button after a code with auto-confirm="false", and confirms it by itself without', async () => {
    const opened = await open(`<tessera-card merchant="${testBed.merchant}" locale="en" auto-confirm="false"></tessera-card>`)
    await enterCard(opened, '8600069195406311')
    await opened.form.locator('#code').pressSequentially('666666')
    assert.equal(opened.callCount('cards.verify'), 0)
    await opened.page.evaluate(() => {
      const { card } = globalThis as unknown as ElementTestPage
      card.removeAttribute('auto-confirm')
      card.setAttribute('locale', 'ru')
    })
    await opened.form.locator('html[lang=ru]').waitFor()
    await enterCode(opened)
    await opened.waitForEvent('token')
    await opened.page.close()
  })

  it('can be created by a script, waits for its merchant, and reports an invalid one', async () => {
    const { page, waitForEvent } = await open('')
    await page.evaluate(() => document.querySelector('#two')?.append(document.createElement('tessera-card')))
    assert.equal(await page.locator('iframe').count(), 0)
    await page.evaluate(() => document.querySelector('tessera-card')?.setAttribute('merchant', 'me'))
    const { reason, docs } = (await waitForEvent('error')) as { reason: string; docs: string }
    assert.deepEqual([reason, docs], ['merchant_missing', `${testBed.formOrigin}/form/reasons#merchant_missing`])
    await page.evaluate((id) => document.querySelector('tessera-card')?.setAttribute('merchant', id), testBed.merchant)
    await waitForEvent('ready')
    assert.equal(await page.locator('iframe').count(), 1)
    await page.close()
  })

  it('writes a mistake in the markup to the console, because no listener can exist yet', async () => {
    const { page, consoleLines } = await open('<tessera-card merchant="me"></tessera-card>')
    const messages = consoleLines.filter((line) => line.includes('merchant is 24 hex digits'))
    assert.equal(messages.length, 1, consoleLines.join('\n'))
    assert.ok(messages[0]?.endsWith(`${testBed.formOrigin}/form/reasons#merchant_missing`), messages[0])
    await page.close()
  })

  it('keeps exactly one form when it is moved, and none when it is removed', async () => {
    const { page, form } = await open(`<tessera-card merchant="${testBed.merchant}" locale="en"></tessera-card>`)
    await form.locator('#number').waitFor()
    await page.evaluate(() => document.querySelector('#two')?.append((globalThis as unknown as ElementTestPage).card))
    await page.frameLocator('#two iframe').locator('#number').waitFor()
    assert.equal(await page.locator('iframe').count(), 1)
    await page.evaluate(() => (globalThis as unknown as ElementTestPage).card.remove())
    assert.equal(await page.evaluate(() => (globalThis as unknown as ElementTestPage).card.innerHTML), '')
    assert.equal(await page.evaluate(() => window.length), 0)
    await page.close()
  })

  it('works in a shadow root, and its events are heard outside', async () => {
    const { page, waitForEvent } = await open('')
    await page.evaluate((merchant) => {
      const shadow = document.querySelector('#two')?.attachShadow({ mode: 'open' })
      const card = document.createElement('tessera-card')
      card.setAttribute('merchant', merchant)
      shadow?.append(card)
    }, testBed.merchant)
    await waitForEvent('ready')
    await page.locator('#two iframe').contentFrame().locator('#number').waitFor()
    await page.close()
  })

  it('inside a form of the shop submits nothing to the shop, neither with Enter nor with the shop’s own submission', async () => {
    const opened = await open(
      `<form action="/pay" method="get"><input name="order" value="7"><tessera-card merchant="${testBed.merchant}" locale="en"></tessera-card></form>`,
      `globalThis.submitted = 0; document.querySelector('form').addEventListener('submit', (event) => { submitted++; event.preventDefault() })`,
    )
    await opened.form.locator('#number').fill('8600069195406311')
    await opened.form.locator('#expiry').fill('0399')
    await opened.form.locator('#expiry').press('Enter')
    await opened.form.locator('#code').waitFor()
    const [submitted, fields] = await opened.page.evaluate(() => {
      const form = document.querySelector('form')
      return [(globalThis as unknown as ElementTestPage).submitted, form === null ? [] : [...new FormData(form).keys()]]
    })
    assert.deepEqual([submitted, fields], [0, ['order']])
    await opened.page.close()
  })
})
