// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { startStage, type Mounted, type Stage } from './form.fixture.ts'
import { waitUntil } from './other-browser.fixture.ts'

const success = '8600069195406311'

describe('the card form without a mouse', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  /** Where the focus is, as somebody hears it: the label of an input, the words of a button or a link. */
  const whereInFrame = (): string => {
    const part = document.activeElement as HTMLInputElement | null
    if (part === document.body) return ''
    return part?.labels?.[0]?.textContent ?? part?.getAttribute('aria-label') ?? part?.textContent ?? ''
  }

  it('is walked through from the shop and back into it by Tab, in the order in which it is read', async () => {
    const opened = await stage.open({ body: '<button id="before">Cart</button><div id="card"></div><button id="after">Help</button>' })
    const [{ page }, frame] = [opened, await opened.frame()]
    await opened.form.locator('form.card button:enabled').waitFor()
    const whereNow = async (): Promise<string> => {
      const isInFrame = await page.evaluate(() => document.activeElement?.tagName === 'IFRAME')
      return isInFrame ? frame.evaluate(whereInFrame) : page.evaluate(() => document.activeElement?.id ?? '')
    }
    /** Page and frame are in two processes: the focus goes from one to the other in its own time. */
    const go = async (key: string): Promise<string> => {
      const left = await whereNow()
      let stood = ''
      await page.keyboard.press(key)
      await waitUntil(async () => (stood = await whereNow()) !== '' && stood !== left, `somewhere else than at ${left}, by ${key}`)
      return stood
    }
    await page.locator('#before').focus()
    const walked: string[] = []
    for (let i = 0; i < 12 && walked.at(-1) !== 'after'; i++) walked.push(await go('Tab'))
    assert.deepEqual(
      walked.map((text) => text.slice(0, 12)),
      ['Card number', 'Expiry date', 'I agree that', 'Terms (opens', 'Continue', 'Terms (opens', 'Privacy (ope', 'after'],
    )
    assert.match(await go('Shift+Tab'), /^Privacy/)
    await page.close()
  })

  it('goes its whole way by keys, with every fault told where it is and the focus where the next thing is to be done', async () => {
    const opened = await stage.open()
    const [{ page, form }, frame] = [opened, await opened.frame()]
    const where = (): Promise<string> => frame.evaluate(() => document.activeElement?.id ?? '')
    const { keyboard } = page
    await opened.heard('ready')
    await page.evaluate(() => (globalThis as unknown as Mounted).form.focus())
    await frame.waitForFunction(() => document.activeElement?.id === 'number')
    await keyboard.press('Enter')
    const told = form.locator('#number-fault')
    await told.filter({ hasText: 'Enter the card number' }).waitFor()
    assert.equal(await where(), 'number')
    const facts = await form
      .locator('#number')
      .evaluate((input) => [input.getAttribute('aria-invalid'), input.getAttribute('aria-describedby')])
    assert.deepEqual(facts, ['true', 'number-fault'])
    assert.equal(await told.getAttribute('aria-live'), 'polite')

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
    await keyboard.press('Tab')
    await keyboard.press('Tab')
    await keyboard.press('Enter')
    await frame.waitForFunction(() => document.activeElement?.id === 'code')
    await keyboard.type('123456')
    await keyboard.press('Enter')
    await form.locator('#code-fault', { hasText: 'not right' }).waitFor()
    assert.equal(await where(), 'code')
    await keyboard.type('666666')
    await keyboard.press('Enter')
    await frame.waitForFunction(() => document.activeElement?.tagName === 'H2')
    assert.match(await frame.evaluate(whereInFrame), /confirmed/)
    await page.close()
  })

  it('stops waiting for a slow bank by Escape, keeps what was typed and gives the focus back', async () => {
    const opened = await stage.open()
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
    assert.equal(((await opened.heard('error')) as { reason: string }).reason, 'stopped')
    await page.close()
  })

  it('lays the focus where somebody stands who stopped waiting by the button that went away', async () => {
    const opened = await stage.open()
    const [{ page, form }, frame] = [opened, await opened.frame()]
    await form.locator('#number').fill('8600134301849596')
    await form.locator('#expiry').fill('03/99')
    await form.locator('form.card button').click()
    await form.locator('.progress button').waitFor()
    await form.locator('.progress button').focus()
    await page.keyboard.press('Enter')
    await form.locator('.whole', { hasText: 'stopped waiting' }).waitFor()
    await frame.waitForFunction(() => document.activeElement?.matches('form.card button') === true)
    await page.close()
  })
})
