// time limit: 60 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { enterCode, startStage, type Opened, type Stage } from './form.fixture.ts'

describe("the card form and the browser's own list of cards", () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  /** As if the cardholder had chosen a card from the list that Chromium shows at a field (Chrome DevTools Protocol, Autofill.trigger). */
  async function choose({ page, frame }: Opened, selector: string, number: string): Promise<void> {
    const line = await page.context().newCDPSession(await frame())
    const { targetInfo } = (await line.send('Target.getTargetInfo')) as { targetInfo: { targetId: string } }
    await line.send('Autofill.enable')
    const { root } = await line.send('DOM.getDocument', { depth: 0 })
    const { nodeId } = await line.send('DOM.querySelector', { nodeId: root.nodeId, selector })
    const { node } = await line.send('DOM.describeNode', { nodeId })
    const card = { number, name: 'A B', expiryMonth: '03', expiryYear: '2099', cvc: '' }
    await line.send('Autofill.trigger', { fieldId: node.backendNodeId, frameId: targetInfo.targetId, card })
    await line.detach()
  }

  for (const field of ['#number', '#expiry']) {
    it(`has number and expiry from one choice at ${field}, shaped as if they had been typed, and goes on with them`, async () => {
      const opened = await stage.open()
      const { form } = opened
      await opened.heard('ready')
      await form.locator(field).click()
      await choose(opened, field, '8600495473316478')
      await form.locator('.brand', { hasText: 'UZCARD' }).waitFor()
      await form.locator('#expiry:autofill').waitFor()
      assert.equal(await form.locator('#number').inputValue(), '8600 4954 7331 6478')
      assert.equal(await form.locator('#expiry').inputValue(), '03/99')
      assert.equal(await form.locator('#code').inputValue(), '')
      await opened.page.waitForFunction(() =>
        (globalThis as unknown as { said: { change?: { complete: boolean }[] } }).said.change?.some(({ complete }) => complete),
      )
      await form.locator('form.card button').click()
      await enterCode(opened)
      const { card } = (await opened.heard('token')) as { card: { number: string } }
      assert.equal(card.number, '8600***6478')
      await opened.page.close()
    })
  }

  it('shows what the browser filled in by colours that can be read, and empties it when asked to', async () => {
    const opened = await stage.open({ page: { colorScheme: 'dark' } })
    const { form } = opened
    await opened.heard('ready')
    await form.locator('#number').click()
    await choose(opened, '#number', '4444445987459073')
    await form.locator('#number:autofill').waitFor()
    const looks = await form.locator('#number').evaluate((input) => {
      const { color, backgroundColor } = getComputedStyle(input)
      return [color, backgroundColor]
    })
    assert.ok(contrastOf(looks) >= 4.5, `${looks.join(' on ')}: ${contrastOf(looks).toFixed(1)}`)
    await form.locator('form.card button').click()
    await form.locator('#number-fault', { hasText: 'blocked' }).waitFor()
    await opened.page.evaluate(() => (globalThis as unknown as { form: { clear: () => void } }).form.clear())
    await form.locator('#number:not(:autofill)').waitFor()
    assert.deepEqual([await form.locator('#number').inputValue(), await form.locator('#expiry').inputValue()], ['', ''])
    await opened.page.close()
  })
})

/** Of two colours as a browser computes them, by WCAG 2.2 (relative luminance). */
function contrastOf(colours: readonly string[]): number {
  const [darker = 0, lighter = 0] = colours.map(luminanceOf).sort((one, other) => one - other)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
    const share = Number(part) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
