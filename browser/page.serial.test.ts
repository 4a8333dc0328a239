// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { awaitWithin } from '../tools/await-within.ts'
import { pressInFrame, tickInFrame } from '../tools/press-in-frame.ts'
import { startTestBed, type TestPage, type TestBed } from './form.fixture.ts'

describe('the card form in any page', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  it('keeps the caret where a digit is corrected', async () => {
    const { page, form } = await testBed.open()
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

  it('accepts pasted text in any digits and with any separators, and asks for the numeric keyboard of a phone', async () => {
    const { page, form, waitForEvent } = await testBed.open()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: testBed.shopOrigin })
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
    await pressInFrame(form.locator('form.card button'))
    await code.waitFor()
    await form.locator('#sent', { hasText: '+998 90 ••• •• 66' }).waitFor()
    for (const [field, known] of [
      [number, 'cc-number'],
      [expiry, 'cc-exp'],
      [code, 'one-time-code'],
    ] as const) {
      assert.equal(await field.getAttribute('autocomplete'), known)
      assert.equal(await field.getAttribute('inputmode'), 'numeric')
      for (const name of ['name', 'maxlength', 'value']) assert.equal(await field.getAttribute(name), null, name)
    }
    for (const field of [number, expiry]) assert.equal(await field.getAttribute('pattern'), null)
    await code.fill('٦٦٦٦٦٦')
    assert.equal(((await waitForEvent('token')) as { card: { number: string } }).card.number, '8600***6478')
    await page.close()
  })

  it('reports a missing connection, keeps what was typed, and continues when the connection is back', async () => {
    const { page, form } = await testBed.open()
    await form.locator('#number').fill('8600069195406311')
    await form.locator('#expiry').fill('0399')
    await page.context().setOffline(true)
    await pressInFrame(form.locator('form.card button'))
    await form.locator('.whole', { hasText: 'no connection' }).waitFor()
    await page.context().setOffline(false)
    await pressInFrame(form.locator('form.card button'))
    await form.locator('#code').waitFor()
    await page.close()
  })

  it('shows that the bank is slow, and lets the cardholder stop waiting', async () => {
    const { page, form, waitForEvent } = await testBed.open()
    await form.locator('#number').fill('8600134301849596')
    await form.locator('#expiry').fill('0399')
    await pressInFrame(form.locator('form.card button'))
    await pressInFrame(form.locator('.progress button'))
    await form.locator('.whole', { hasText: 'stopped waiting' }).waitFor()
    assert.equal(((await waitForEvent('error')) as { reason: string }).reason, 'stopped')
    await page.close()
  })

  it('has no field before the page has sent its options, and then follows them', async () => {
    const { page, form, callCount } = await testBed.open()
    const address = `${testBed.formOrigin}/form/v1?merchant=${testBed.merchant}&origin=${encodeURIComponent(testBed.shopOrigin)}`
    await awaitWithin(page.evaluate(mountWithoutOptions, address), 'the frame accepts a hello')
    assert.equal(await form.locator('input').count(), 0, 'a card can be typed without the options of the page')
    await page.evaluate(() => {
      const options = { save: 'ask', locale: 'en' }
      ;(globalThis as unknown as { port: MessagePort }).port.postMessage({ type: 'configure', options })
    })
    await form.locator('#number').fill('8600069195406311')
    await form.locator('#expiry').fill('0399')
    await tickInFrame(form.locator('.consent input'))
    await pressInFrame(form.locator('form.card button'))
    await form.locator('#code').waitFor()
    assert.equal(callCount('cards.create'), 1)
    await page.close()
  })

  it('ignores a second hello, a wrong id, and any window that is not its parent', async () => {
    const { page, waitForEvent } = await testBed.open()
    await waitForEvent('ready')
    const responses = await page.evaluate(async () => {
      const frame = document.querySelector('iframe')
      const id = new URL(frame?.src ?? '').hash.slice(1)
      let received = 0
      for (const hello of [{ tessera: 1, id }, { tessera: 1, id: '0'.repeat(32) }, { tessera: 2, id }, 'hello']) {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = () => received++
        frame?.contentWindow?.postMessage(hello, '*', [port2])
        port1.postMessage({ type: 'submit' })
      }
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      return received
    })
    assert.equal(responses, 0)
    await page.close()
  })

  it('reports whether something covers its footer', async () => {
    const { page, eventValues } = await testBed.open({ page: { viewport: { width: 600, height: 900 } } })
    const waitFor = (state: string) =>
      page.waitForFunction(
        (expected) => (globalThis as unknown as { formEvents: { seen?: string[] } }).formEvents.seen?.at(-1) === expected,
        state,
      )
    await waitFor('visible')
    await page.evaluate(() => {
      const cover = document.createElement('div')
      cover.style.cssText = 'position:fixed;inset:0;background:#fff'
      document.body.append(cover)
    })
    await waitFor('hidden')
    // While a slow page has not resized the frame yet, another value may come first.
    assert.deepEqual((await eventValues('seen')).slice(-2), ['visible', 'hidden'])
    await page.close()
  })

  it('works with Trusted Types and cross-origin isolation, beside another form, and after being mounted again', async () => {
    const { page } = await testBed.open({
      headers: {
        'content-security-policy': `default-src 'none'; script-src ${testBed.formOrigin}; frame-src ${testBed.formOrigin}; style-src 'unsafe-inline'; require-trusted-types-for 'script'`,
        'cross-origin-embedder-policy': 'require-corp',
      },
    })
    await page.evaluate((merchant) => {
      const { form, Tessera } = globalThis as unknown as { form: Form; Tessera: { CardForm: new (options: object) => Form } }
      type Form = { mount: (place: string) => void; unmount: () => void }
      form.unmount()
      form.mount('#card')
      new Tessera.CardForm({ merchant, locale: 'en' }).mount('body')
    }, testBed.merchant)
    for (const index of [0, 1]) await page.locator('iframe').nth(index).contentFrame().locator('#number').waitFor()
    assert.equal(page.frames().length, 3)
    await page.close()
  })
})

/** Runs in the page: mounts the frame by hand and sends it a hello, but no options. */
async function mountWithoutOptions(address: string): Promise<void> {
  ;(globalThis as unknown as TestPage).form.unmount()
  const [frame, id] = [document.createElement('iframe'), 'ab'.repeat(16)]
  frame.src = `${address}#${id}`
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve))
  document.getElementById('card')?.append(frame)
  await loaded
  const { port1: port, port2 } = new MessageChannel()
  Object.assign(globalThis, { port })
  const accepted = new Promise((resolve) => (port.onmessage = resolve))
  frame.contentWindow?.postMessage({ tessera: 1, id }, '*', [port2])
  await accepted
}
