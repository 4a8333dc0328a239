// time limit: 60 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { pressInFrame } from '../tools/press-in-frame.ts'
import { enterCode, startTestBed, type OpenForm, type TestBed } from './form.fixture.ts'

describe("the card form and the browser's autofill", () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed({ isWholeBrowser: true })
  })
  after(() => testBed.stop())

  /** Fills in a saved card, as when the cardholder selects one from Chromium's list (Chrome DevTools Protocol, Autofill.trigger). */
  async function autofill({ page, frame }: OpenForm, selector: string, number: string): Promise<void> {
    const session = await page.context().newCDPSession(await frame())
    const { targetInfo } = (await session.send('Target.getTargetInfo')) as { targetInfo: { targetId: string } }
    await session.send('Autofill.enable')
    const { root } = await session.send('DOM.getDocument', { depth: 0 })
    const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector })
    const { node } = await session.send('DOM.describeNode', { nodeId })
    const card = { number, name: 'A B', expiryMonth: '03', expiryYear: '2099', cvc: '' }
    await session.send('Autofill.trigger', { fieldId: node.backendNodeId, frameId: targetInfo.targetId, card })
    await session.detach()
  }

  for (const field of ['#number', '#expiry']) {
    it(`gets number and expiry from one selection at ${field}, formats them as if typed, and can submit them`, async () => {
      const opened = await testBed.open()
      const { form } = opened
      await opened.waitForEvent('ready')
      await pressInFrame(form.locator(field))
      await autofill(opened, field, '8600495473316478')
      await form.locator('.brand[data-brand=uzcard]').waitFor()
      await form.locator('#expiry:autofill').waitFor()
      assert.equal(await form.locator('#number').inputValue(), '8600 4954 7331 6478')
      assert.equal(await form.locator('#expiry').inputValue(), '03/99')
      assert.equal(await form.locator('#code').inputValue(), '')
      await opened.page.waitForFunction(() =>
        (globalThis as unknown as { formEvents: { change?: { complete: boolean }[] } }).formEvents.change?.some(({ complete }) => complete),
      )
      await pressInFrame(form.locator('form.card button'))
      await enterCode(opened)
      const { card } = (await opened.waitForEvent('token')) as { card: { number: string } }
      assert.equal(card.number, '8600***6478')
      await opened.page.close()
    })
  }

  it('shows filled-in values with sufficient contrast, and clears them', async () => {
    const opened = await testBed.open({ page: { colorScheme: 'dark' } })
    const { form } = opened
    await opened.waitForEvent('ready')
    await pressInFrame(form.locator('#number'))
    await autofill(opened, '#number', '4444445987459073')
    await form.locator('#number:autofill').waitFor()
    const colors = await form.locator('#number').evaluate((input) => {
      const { color, backgroundColor } = getComputedStyle(input)
      return [color, backgroundColor]
    })
    assert.ok(contrastOf(colors) >= 4.5, `${colors.join(' on ')}: ${contrastOf(colors).toFixed(1)}`)
    await pressInFrame(form.locator('form.card button'))
    await form.locator('#number-fault', { hasText: 'blocked' }).waitFor()
    await opened.page.evaluate(() => (globalThis as unknown as { form: { clear: () => void } }).form.clear())
    await form.locator('#number:not(:autofill)').waitFor()
    assert.deepEqual([await form.locator('#number').inputValue(), await form.locator('#expiry').inputValue()], ['', ''])
    await opened.page.close()
  })
})

/** The contrast of two computed colors (WCAG 2.2, relative luminance). */
function contrastOf(colors: readonly string[]): number {
  const [darker = 0, lighter = 0] = colors.map(luminanceOf).sort((one, other) => one - other)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
