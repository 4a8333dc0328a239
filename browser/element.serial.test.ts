// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { enterCard, enterCode, startStage, watch, type Opened, type Stage } from './form.fixture.ts'

interface InPage {
  said: Record<string, unknown[]>
  card: HTMLElement & { theme?: object; labels?: object; form: { submit: () => void } | null }
  submitted: number
}

describe('<tessera-card>', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  /** A page of the shop in which this stands; what its elements tell is collected. */
  async function open(body: string, before = ''): Promise<Opened> {
    const page = await stage.browser.newPage()
    const opened = watch(page)
    const script = `
      globalThis.said = {}
      for (const name of ['ready', 'change', 'step', 'token', 'error', 'wait', 'seen'])
        document.addEventListener('tessera-' + name, (event) => (said[name] ??= []).push(event.detail instanceof Error ? { ...event.detail } : (event.detail ?? null)))
      globalThis.card = document.querySelector('tessera-card')
      ${before}`
    await page.goto(stage.place({ body: `<div id="one">${body}</div><div id="two"></div><script>${script}</script>` }))
    return opened
  }

  it('is written as a tag, tells its events, and takes a card', async () => {
    const opened = await open(`<tessera-card merchant="${stage.merchant}" locale="en" save="ask" layout="row"></tessera-card>`)
    await opened.heard('ready')
    await opened.form.locator('html[data-layout=row]').waitFor()
    await opened.form.locator('.consent').waitFor()
    await enterCard(opened, '8600069195406311')
    await enterCode(opened)
    assert.equal(((await opened.heard('token')) as { card: { number: string } }).card.number, '8600***6311')
    assert.deepEqual(
      opened.lines.filter((line) => !line.includes('Permissions-Policy')),
      [],
    )
    await opened.page.close()
  })

  it('takes properties that were set before it was defined, and changes of attributes after', async () => {
    const early = `card.theme = { accent: '#aa0000' }; card.labels = { submit: 'Go on' }`
    const { page, form, heard, said } = await open(
      `<tessera-card merchant="${stage.merchant}" locale="en" button="true"></tessera-card>`,
      early,
    )
    await heard('ready')
    await form.locator('form.card button', { hasText: 'Go on' }).waitFor()
    await form.locator('html[style*="#aa0000"]').waitFor()
    await page.evaluate(() => {
      const { card } = globalThis as unknown as InPage
      card.setAttribute('locale', 'ru')
      card.setAttribute('direction', 'rtl')
      card.setAttribute('button', 'false')
      card.theme = { accent: '#00aa00' }
    })
    await form.locator('html[lang=ru][dir=rtl][style*="#00aa00"]').waitFor()
    await form.locator('form.card button').waitFor({ state: 'hidden' })
    await page.evaluate(() => (globalThis as unknown as InPage).card.removeAttribute('direction'))
    await form.locator('html[dir=ltr]').waitFor()
    assert.equal((await said('ready')).length, 1)
    await page.close()
  })

  it('is made by a script piece by piece, waits for its merchant, and says when that is none', async () => {
    const { page, heard } = await open('')
    await page.evaluate(() => document.querySelector('#two')?.append(document.createElement('tessera-card')))
    assert.equal(await page.locator('iframe').count(), 0)
    await page.evaluate(() => document.querySelector('tessera-card')?.setAttribute('merchant', 'me'))
    const { reason, docs } = (await heard('error')) as { reason: string; docs: string }
    assert.deepEqual([reason, docs], ['merchant_missing', `${stage.formOrigin}/form/reasons#merchant_missing`])
    await page.evaluate((id) => document.querySelector('tessera-card')?.setAttribute('merchant', id), stage.merchant)
    await heard('ready')
    assert.equal(await page.locator('iframe').count(), 1)
    await page.close()
  })

  it('writes a misuse in the markup to the console, where it is seen though nobody listened yet', async () => {
    const { page, lines } = await open('<tessera-card merchant="me"></tessera-card>')
    const told = lines.filter((line) => line.includes('merchant is your id'))
    assert.equal(told.length, 1, lines.join('\n'))
    assert.ok(told[0]?.endsWith(`${stage.formOrigin}/form/reasons#merchant_missing`), told[0])
    await page.close()
  })

  it('moves to another place with one form in it, and leaves none when it is taken out', async () => {
    const { page, form } = await open(`<tessera-card merchant="${stage.merchant}" locale="en"></tessera-card>`)
    await form.locator('#number').waitFor()
    await page.evaluate(() => document.querySelector('#two')?.append((globalThis as unknown as InPage).card))
    await page.frameLocator('#two iframe').locator('#number').waitFor()
    assert.equal(await page.locator('iframe').count(), 1)
    await page.evaluate(() => (globalThis as unknown as InPage).card.remove())
    assert.equal(await page.evaluate(() => (globalThis as unknown as InPage).card.innerHTML), '')
    assert.equal(await page.evaluate(() => window.length), 0)
    await page.close()
  })

  it('stands in a shadow root, where its events are still heard from outside', async () => {
    const { page, heard } = await open('')
    await page.evaluate((merchant) => {
      const shadow = document.querySelector('#two')?.attachShadow({ mode: 'open' })
      const card = document.createElement('tessera-card')
      card.setAttribute('merchant', merchant)
      shadow?.append(card)
    }, stage.merchant)
    await heard('ready')
    await page.locator('#two iframe').contentFrame().locator('#number').waitFor()
    await page.close()
  })

  it('sends nothing to the shop from within a form of the shop, neither by Enter nor with what the shop submits', async () => {
    const opened = await open(
      `<form action="/pay" method="get"><input name="order" value="7"><tessera-card merchant="${stage.merchant}" locale="en"></tessera-card></form>`,
      `globalThis.submitted = 0; document.querySelector('form').addEventListener('submit', (event) => { submitted++; event.preventDefault() })`,
    )
    await opened.form.locator('#number').fill('8600069195406311')
    await opened.form.locator('#expiry').fill('0399')
    await opened.form.locator('#expiry').press('Enter')
    await opened.form.locator('#code').waitFor()
    const [submitted, fields] = await opened.page.evaluate(() => {
      const form = document.querySelector('form')
      return [(globalThis as unknown as InPage).submitted, form === null ? [] : [...new FormData(form).keys()]]
    })
    assert.deepEqual([submitted, fields], [0, ['order']])
    await opened.page.close()
  })
})
