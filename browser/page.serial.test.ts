// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { startStage, type Mounted, type Stage } from './form.fixture.ts'

describe('the card form in a page that may be anything', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  it('keeps the caret where somebody mends a digit', async () => {
    const { page, form } = await stage.open()
    const number = form.locator('#number')
    await number.fill('8600069195406311')
    await number.press('Home')
    for (let i = 0; i < 6; i++) await number.press('ArrowRight')
    await number.press('Backspace')
    await number.press('7')
    assert.deepEqual(
      await number.evaluate((input) => [
        (input as unknown as HTMLInputElement).value,
        (input as unknown as HTMLInputElement).selectionStart,
      ]),
      ['8600 7691 9540 6311', 6],
    )
    await page.close()
  })

  it('takes what people paste, in any digits and with whatever stands between, and asks a phone for digits', async () => {
    const { page, form, heard } = await stage.open()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: stage.shopOrigin })
    const [number, expiry, code] = [form.locator('#number'), form.locator('#expiry'), form.locator('#code')]
    for (const [field, pasted, shown] of [
      [number, ' 8600-0691.9540 6311\n', '8600 0691 9540 6311'],
      [number, 'Card: 8600049547331647 8', '8600 0495 4733 1647 8'],
      [number, '٨٦٠٠٤٩٥٤٧٣٣١٦٤٧٨', '8600 4954 7331 6478'],
      [expiry, '3/2099', '03/99'],
      [expiry, '۰۳/۹۹', '03/99'],
      [expiry, '2099-03', '03/99'],
    ] as const) {
      await page.evaluate((text) => navigator.clipboard.writeText(text), pasted)
      await field.fill('')
      await field.press('Control+v')
      await field.blur()
      assert.equal(await field.inputValue(), shown, pasted)
    }
    await form.locator('form.card button').click()
    await code.waitFor()
    await form.locator('#sent', { hasText: 'We sent a code to 99890*****66' }).waitFor()
    for (const [field, known] of [
      [number, 'cc-number'],
      [expiry, 'cc-exp'],
      [code, 'one-time-code'],
    ] as const) {
      assert.equal(await field.getAttribute('autocomplete'), known)
      assert.equal(await field.getAttribute('inputmode'), 'numeric')
      for (const name of ['name', 'maxlength', 'value', 'pattern']) assert.equal(await field.getAttribute(name), null, name)
    }
    await code.fill('٦٦٦٦٦٦')
    await form.locator('form.code button.main').click()
    assert.equal(((await heard('token')) as { card: { number: string } }).card.number, '8600***6478')
    await page.close()
  })

  it('says that there is no connection, keeps what was typed, and goes on when there is one', async () => {
    const { page, form } = await stage.open()
    await form.locator('#number').fill('8600069195406311')
    await form.locator('#expiry').fill('0399')
    await page.context().setOffline(true)
    await form.locator('form.card button').click()
    await form.locator('.whole', { hasText: 'no connection' }).waitFor()
    await page.context().setOffline(false)
    await form.locator('form.card button').click()
    await form.locator('#code').waitFor()
    await page.close()
  })

  it('shows a bank that is slow, and lets the cardholder stop waiting', async () => {
    const { page, form, heard } = await stage.open()
    await form.locator('#number').fill('8600134301849596')
    await form.locator('#expiry').fill('0399')
    await form.locator('form.card button').click()
    await form.locator('.progress button').click()
    await form.locator('.whole', { hasText: 'stopped waiting' }).waitFor()
    assert.equal(((await heard('error')) as { reason: string }).reason, 'stopped')
    await page.close()
  })

  it('takes no press before its page has said what it wants, and then goes by that', async () => {
    const { page, form, calls } = await stage.open()
    await page.evaluate(greetAlone, `${stage.formOrigin}/form/v1?merchant=${stage.merchant}&origin=${encodeURIComponent(stage.shopOrigin)}`)
    await form.locator('#number').fill('8600069195406311')
    await form.locator('#expiry').fill('0399')
    await form.locator('#expiry').press('Enter')
    assert.ok(await form.locator('form.card button').isDisabled(), 'the card goes without what the page wants')
    await page.evaluate(() => {
      const options = { save: 'ask', locale: 'en' }
      ;(globalThis as unknown as { port: MessagePort }).port.postMessage({ type: 'configure', options })
    })
    await form.locator('.consent input').check()
    await form.locator('form.card button').click()
    await form.locator('#code').waitFor()
    assert.equal(calls('cards.create'), 1)
    await page.close()
  })

  it('hears no second hello, no wrong id, and nobody who is not its parent', async () => {
    const { page, heard: heardOf } = await stage.open()
    await heardOf('ready')
    const answers = await page.evaluate(async () => {
      const frame = document.querySelector('iframe')
      const id = new URL(frame?.src ?? '').hash.slice(1)
      let heard = 0
      for (const hello of [{ tessera: 1, id }, { tessera: 1, id: '0'.repeat(32) }, { tessera: 2, id }, 'hello']) {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => heard++
        frame?.contentWindow?.postMessage(hello, '*', [port2])
        port1.postMessage({ type: 'submit' })
      }
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      return heard
    })
    assert.equal(answers, 0)
    await page.close()
  })

  it('tells whether something lies over its footer', async () => {
    const { page, said } = await stage.open({ page: { viewport: { width: 600, height: 900 } } })
    const waitFor = (state: string) =>
      page.waitForFunction((asked) => (globalThis as unknown as { said: { seen?: string[] } }).said.seen?.at(-1) === asked, state)
    await waitFor('visible')
    await page.evaluate(() => {
      const cover = document.createElement('div')
      cover.style.cssText = 'position:fixed;inset:0;background:#fff'
      document.body.append(cover)
    })
    await waitFor('hidden')
    // A page that is slow to give the form its height may tell of that before.
    assert.deepEqual((await said('seen')).slice(-2), ['visible', 'hidden'])
    await page.close()
  })

  it('stands in a page with Trusted Types and embedder isolation, beside another, and once more after it was taken out', async () => {
    const { page } = await stage.open({
      headers: {
        'content-security-policy': `default-src 'none'; script-src ${stage.formOrigin}; frame-src ${stage.formOrigin}; style-src 'unsafe-inline'; require-trusted-types-for 'script'`,
        'cross-origin-embedder-policy': 'require-corp',
      },
    })
    await page.evaluate((merchant) => {
      const { form, Tessera } = globalThis as unknown as { form: Form; Tessera: { CardForm: new (options: object) => Form } }
      type Form = { mount: (place: string) => void; unmount: () => void }
      form.unmount()
      form.mount('#card')
      new Tessera.CardForm({ merchant, locale: 'en' }).mount('body')
    }, stage.merchant)
    for (const index of [0, 1]) await page.locator('iframe').nth(index).contentFrame().locator('#number').waitFor()
    assert.equal(page.frames().length, 3)
    await page.close()
  })
})

/** Runs in the page: another form in place of ours, which is greeted by hand and told nothing. */
async function greetAlone(address: string): Promise<void> {
  ;(globalThis as unknown as Mounted).form.unmount()
  const [frame, id] = [document.createElement('iframe'), 'ab'.repeat(16)]
  frame.src = `${address}#${id}`
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
  document.getElementById('card')?.append(frame)
  await loaded
  const { port1: port, port2 } = new MessageChannel()
  Object.assign(globalThis, { port })
  const answered = new Promise((resolve) => (port.onmessage = resolve))
  frame.contentWindow?.postMessage({ tessera: 1, id }, '*', [port2])
  await answered
}
