// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { pressInFrame } from '../tools/press-in-frame.ts'
import { startTestBed, type TestPage, type TestBed } from './form.fixture.ts'
import { waitUntil } from './other-browser.fixture.ts'

const success = '8600069195406311'

describe('the card form with the keyboard alone', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  /** The accessible name of the focused element: the label of an input, the text of a button or link. */
  const focusedName = (): string => {
    const part = document.activeElement as HTMLInputElement | null
    if (part === document.body) return ''
    return part?.labels?.[0]?.textContent ?? part?.getAttribute('aria-label') ?? part?.textContent ?? ''
  }

  it('is traversed with Tab from the shop and back into it, in reading order', async () => {
    const opened = await testBed.open({ body: '<button id="before">Cart</button><div id="card"></div><button id="after">Help</button>' })
    const [{ page }, frame] = [opened, await opened.frame()]
    await opened.form.locator('form.card button:enabled').waitFor()
    const findFocus = async (): Promise<string> => {
      const isInFrame = await page.evaluate(() => document.activeElement?.tagName === 'IFRAME')
      return isInFrame ? frame.evaluate(focusedName) : page.evaluate(() => document.activeElement?.id ?? '')
    }
    /** Page and frame are different processes, so the focus moves between them asynchronously. */
    const moveFocus = async (key: string): Promise<string> => {
      const previous = await findFocus()
      let current = ''
      await page.keyboard.press(key)
      await waitUntil(
        async () => (current = await findFocus()) !== '' && current !== previous,
        `${key} moves the focus away from ${previous}`,
      )
      return current
    }
    await page.locator('#before').focus()
    const visited: string[] = []
    for (let i = 0; i < 12 && visited.at(-1) !== 'after'; i++) visited.push(await moveFocus('Tab'))
    assert.deepEqual(
      visited.map((text) => text.slice(0, 12)),
      ['Card number', 'Expiry date', 'I agree that', 'Terms (opens', 'Powered by T', 'Terms (opens', 'Privacy (ope', 'Continue', 'after'],
    )
    assert.match(await moveFocus('Shift+Tab'), /^Continue/)
    await page.close()
  })

  it('can be completed, announces each error at its field, and focuses what has to be done next', async () => {
    const opened = await testBed.open()
    const [{ page, form }, frame] = [opened, await opened.frame()]
    const where = (): Promise<string> => frame.evaluate(() => document.activeElement?.id ?? '')
    const { keyboard } = page
    await opened.waitForEvent('ready')
    await page.evaluate(() => (globalThis as unknown as TestPage).form.focus())
    await frame.waitForFunction(() => document.activeElement?.id === 'number')
    await keyboard.press('Enter')
    const numberError = form.locator('#number-fault')
    await numberError.filter({ hasText: 'Enter the card number' }).waitFor()
    assert.equal(await where(), 'number')
    const attributes = await form
      .locator('#number')
      .evaluate((input) => [input.getAttribute('aria-invalid'), input.getAttribute('aria-describedby')])
    assert.deepEqual(attributes, ['true', 'number-fault'])
    assert.equal(await numberError.getAttribute('aria-live'), 'polite')

    await keyboard.type(success)
    assert.equal(await form.locator('#number').getAttribute('aria-invalid'), null)
    await keyboard.press('Tab')
    await keyboard.type('1399')
    await keyboard.press('Enter')
    await form.locator('#expiry-fault', { hasText: 'month and year' }).waitFor()
    assert.equal(await where(), 'expiry')
    await keyboard.press('ControlOrMeta+A')
    await keyboard.type('0399')
    await keyboard.press('Tab')
    await keyboard.press('Space')
    assert.equal(await form.locator('.consent input').isChecked(), true)
    // Past the terms, the provider and the privacy notice.
    for (let link = 0; link < 5; link++) await keyboard.press('Tab')
    await keyboard.press('Enter')
    await frame.waitForFunction(() => document.activeElement?.id === 'code')
    await keyboard.type('123456')
    await keyboard.press('Enter')
    await form.locator('#code-fault', { hasText: 'incorrect' }).waitFor()
    assert.equal(await where(), 'code')
    await keyboard.type('666666')
    await keyboard.press('Enter')
    await frame.waitForFunction(() => document.activeElement?.tagName === 'H2')
    assert.match(await frame.evaluate(focusedName), /confirmed/)
    await page.close()
  })

  it('stops waiting for a slow bank with Escape, keeps what was typed and restores the focus', async () => {
    const opened = await testBed.open()
    const [{ page, form }, frame] = [opened, await opened.frame()]
    await form.locator('#number').fill('8600134301849596')
    await form.locator('#expiry').fill('03/99')
    await form.locator('#expiry').press('Enter')
    const progress = form.locator('.progress[role=status]')
    await progress.filter({ hasText: 'taking longer than usual' }).waitFor()
    await page.keyboard.press('Escape')
    await form.locator('.whole[role=alert]', { hasText: 'stopped waiting' }).waitFor()
    assert.equal(await progress.isVisible(), false)
    assert.equal(await form.locator('#number').inputValue(), '8600 1343 0184 9596')
    assert.equal(await frame.evaluate(() => document.activeElement?.id), 'expiry')
    assert.equal(((await opened.waitForEvent('error')) as { reason: string }).reason, 'stopped')
    await page.close()
  })

  it('focuses the submit button when the button that stops waiting disappears', async () => {
    const opened = await testBed.open()
    const [{ page, form }, frame] = [opened, await opened.frame()]
    await form.locator('#number').fill('8600134301849596')
    await form.locator('#expiry').fill('03/99')
    await pressInFrame(form.locator('form.card button'))
    await form.locator('.progress button').waitFor()
    await form.locator('.progress button').focus()
    await page.keyboard.press('Enter')
    await form.locator('.whole', { hasText: 'stopped waiting' }).waitFor()
    await frame.waitForFunction(() => document.activeElement?.matches('form.card button') === true)
    await page.close()
  })
})
