// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { enterCard, startTestBed, type OpenForm, type TestBed } from './form.fixture.ts'

const sentByService = '8600495473316478'

describe('a verification policy with letters and a stop, in a real browser', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed({ settings: ['--verification-policy=cbu-3759-as-reported', '--otp-stop-per=card'] })
  })
  after(() => testBed.stop())

  async function openCodeStep(locale: string, colorScheme: 'light' | 'dark' = 'light', pan = sentByService): Promise<OpenForm> {
    const theme = { scheme: colorScheme }
    const opened = await testBed.open({ options: { locale, theme }, page: { viewport: { width: 320, height: 568 }, colorScheme } })
    await enterCard(opened, pan)
    await opened.form.locator('#code').waitFor()
    return opened
  }

  it('takes letters, writes them in capitals as they are typed, and confirms with the button only', async () => {
    const opened = await openCodeStep('en')
    const code = opened.form.locator('#code')
    assert.deepEqual(
      await code.evaluate((input: HTMLInputElement) => [input.inputMode, input.autocapitalize, input.pattern, input.autocomplete]),
      ['text', 'characters', '[23456789BCDFGHJKMNPQRSTVWXZ]{6}', 'one-time-code'],
    )
    await opened.form.locator('#code-hint', { hasText: 'Letters and digits' }).waitFor()
    await code.pressSequentially('k7 мx-ai')
    assert.equal(await code.inputValue(), 'K7MX')
    await code.press('Enter')
    await opened.form.locator('#code-fault', { hasText: 'Enter the 6 letters and digits from the SMS.' }).waitFor()
    await code.pressSequentially('2345')
    assert.equal(await code.inputValue(), 'K7MX23')
    assert.equal(opened.callCount('cards.verify'), 0)
    await opened.page.close()
  })

  it('confirms a code that was pasted with its whole message', async () => {
    const opened = await openCodeStep('ru')
    await opened.form.locator('#code').evaluate((input: HTMLInputElement) => {
      input.value = 'Tessera: код 666666 для карты *6478, действует 59 с.'
      input.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste' }))
    })
    await opened.waitForEvent('token')
    await opened.page.close()
  })

  for (const [locale, scheme, pan, text] of [
    ['en', 'light', sentByService, /Try again in 15 min, or use another card\./],
    ['ru', 'dark', '8600069195406311', /Попробуйте через 15 мин или используйте другую карту\./],
  ] as const) {
    it(`says after the third wrong code for how long verification is stopped, on a small phone: ${locale}`, async () => {
      const opened = await openCodeStep(locale, scheme, pan)
      const { form, page } = opened
      for (let attempt = 0; attempt < 3; attempt++) {
        await form.locator('#code').fill('ZZZZZZ')
        await form.locator('#code').press('Enter')
        if (attempt < 2) await form.locator('#code-fault:not(:empty)').waitFor()
      }
      await form.locator('.whole', { hasText: text }).waitFor()
      assert.ok(await form.locator('#code').isDisabled())
      assert.ok(await form.locator('form.code button.main').isDisabled())
      assert.match((await form.locator('.resend').textContent()) ?? '', /1[45]:\d\d$/)
      const error = (await opened.waitForEvents('error', 3)).at(-1) as { code: number; reason: string; message: string }
      assert.deepEqual([error.code, error.reason], [-31102, 'tries_used_up'])
      assert.match(error.message, text)
      const frame = await opened.frame()
      assert.equal(await frame.evaluate(() => document.activeElement?.className), 'plain back')
      assert.equal(await frame.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0)
      // The same card again: the stop holds for it.
      await form.locator('.back').click()
      await enterCard(opened, pan)
      await form.locator('form.card:not([hidden])').waitFor()
      await form.locator('.whole', { hasText: text }).waitFor()
      await page.close()
    })
  }
})
