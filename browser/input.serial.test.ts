// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { pressInFrame } from '../tools/press-in-frame.ts'
import { startTestBed, type OpenForm, type TestBed } from './form.fixture.ts'

describe('what people, keyboards and browsers enter', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  /** Pastes a text, as the browser does with one from the clipboard. */
  const paste = ({ form }: OpenForm, selector: string, text: string): Promise<void> =>
    form.locator(selector).evaluate((element, pasted) => {
      const input = element as HTMLInputElement
      input.focus()
      input.value = pasted
      input.setSelectionRange(input.value.length, input.value.length)
      input.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste' }))
    }, text)

  it('is an expiry in every order and length, pasted or filled in', async () => {
    const opened = await testBed.open()
    const expiry = opened.form.locator('#expiry')
    for (const text of ['3/99', '03/2099', '0399', '2099-03', '399', '03 / 99', '032099']) {
      await paste(opened, '#expiry', text)
      await expiry.blur()
      assert.equal(await expiry.inputValue(), '03/99', `pasted ${text}`)
      await expiry.fill('')
      // As autofill does: a plain event.
      await expiry.evaluate((element, filled) => {
        ;(element as HTMLInputElement).value = filled
        element.dispatchEvent(new Event('input', { bubbles: true }))
      }, text)
      await expiry.blur()
      assert.equal(await expiry.inputValue(), '03/99', `filled in ${text}`)
      assert.equal(await expiry.getAttribute('aria-invalid'), null, text)
      await expiry.fill('')
    }
    await opened.page.close()
  })

  it('is each digit once, when a keyboard composes', async () => {
    const opened = await testBed.open()
    const session = await opened.page.context().newCDPSession(await opened.frame())
    for (const [selector, digits, shown] of [
      ['#number', '8600069195406311', '8600 0691 9540 6311'],
      ['#expiry', '0399', '03/99'],
    ] as const) {
      await opened.form.locator(selector).focus()
      for (let length = 1; length <= digits.length; length++) {
        const text = digits.slice(0, length)
        await session.send('Input.imeSetComposition', { text, selectionStart: length, selectionEnd: length })
      }
      await session.send('Input.insertText', { text: digits })
      assert.equal(await opened.form.locator(selector).inputValue(), shown)
    }
    await opened.page.close()
  })

  it('has a bound', async () => {
    const opened = await testBed.open()
    for (const [selector, longest] of [
      ['#number', 23],
      ['#expiry', 16],
      ['#code', 6],
    ] as const) {
      await paste(opened, selector, '9'.repeat(5000))
      assert.equal((await opened.form.locator(selector).inputValue()).length, longest, selector)
    }
    await opened.page.close()
  })

  it('cannot be changed while it is being sent', async () => {
    const opened = await testBed.open()
    const { form, page } = opened
    await form.locator('#number').fill('8600134301849596')
    await form.locator('#expiry').fill('0399')
    await pressInFrame(form.locator('form.card button'))
    await form.locator('.root[aria-busy=true]').waitFor()
    await form.locator('#expiry').focus()
    await page.keyboard.type('9')
    await page.keyboard.press('Backspace')
    await form.locator('.consent input').press('Space')
    const read = async (): Promise<unknown[]> => [
      await form.locator('#expiry').inputValue(),
      await form.locator('.consent input').isChecked(),
    ]
    assert.deepEqual(await read(), ['03/99', false])
    await pressInFrame(form.locator('.progress button'))
    await form.locator('.root:not([aria-busy])').waitFor()
    await form.locator('#expiry').focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Backspace')
    await form.locator('.consent input').press('Space')
    assert.deepEqual(await read(), ['03/9', true])
    await page.close()
  })
})
