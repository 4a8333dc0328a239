// time limit: 180 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { enterCard, enterCode, mountForm, openShop, startStage, type Mounted, type Stage } from './form.fixture.ts'

const success = '8600069195406311'

describe('the card form in pages as merchants build them', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  it('comes to life in a container that was hidden when it was mounted, at its full height', async () => {
    const opened = await stage.open({ body: '<div id="wrap" style="display:none"><div id="card"></div></div>' })
    await opened.heard('ready')
    await opened.page.evaluate(() => document.getElementById('wrap')?.style.removeProperty('display'))
    await opened.form.locator('#number').waitFor()
    const frame = await opened.frame()
    await opened.page.waitForFunction(() => (document.querySelector('iframe')?.clientHeight ?? 0) > 200)
    await frame.waitForFunction(() => document.documentElement.scrollHeight <= innerHeight)
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.heard('token')
    await opened.page.close()
  })

  it('is greeted at its own word or, where that does not come through, when it has loaded: once, and again after a reload of the frame', async () => {
    const noLoad = `document.addEventListener('load', (event) => event.stopImmediatePropagation(), true)`
    const noWord = `addEventListener('message', (event) => event.stopImmediatePropagation())`
    const again = 2
    for (const [what, script] of [
      ['its load is not heard', noLoad],
      ['its word is not heard', noWord],
      ['both are heard', ''],
    ] as const) {
      const opened = await stage.open({ head: `<script>${script}</script>` })
      await opened.heard('ready')
      await (await opened.frame()).evaluate(() => setTimeout(() => location.reload()))
      await opened.page.waitForFunction((count) => ((globalThis as unknown as Mounted).said['ready'] ?? []).length >= count, again)
      await opened.form.locator('#number').fill('8600')
      await opened.page.evaluate(() => (globalThis as unknown as Mounted).form.submit())
      assert.equal(((await opened.heard('error')) as { reason: string }).reason, 'card_number_format', what)
      assert.equal((await opened.said('ready')).length, again, what)
      await opened.page.close()
    }
  })

  it('keeps two forms of one page apart', async () => {
    const opened = await stage.open({ body: '<div id="card"></div><div id="other"></div>' })
    await opened.page.evaluate((merchant) => {
      const page = globalThis as unknown as Mounted & { others: unknown[] }
      page.others = []
      const other = new page.Tessera.CardForm({ merchant, locale: 'ru' })
      for (const event of ['step', 'token', 'error']) other.on(event, (value) => page.others.push(value))
      other.mount('#other')
    }, stage.merchant)
    const form = opened.page.frameLocator('#card iframe')
    await opened.page.frameLocator('#other iframe').locator('#number').fill('8600 4954')
    await enterCard({ ...opened, form }, success)
    await enterCode({ ...opened, form })
    await opened.heard('token')
    assert.equal(await opened.page.frameLocator('#other iframe').locator('#number').inputValue(), '8600 4954')
    assert.deepEqual(await opened.page.evaluate(() => (globalThis as unknown as { others: unknown[] }).others), [])
    await opened.page.close()
  })

  it('is empty after a reload, after back and forth, and after it was mounted again', async () => {
    const opened = await stage.open({ options: { save: 'off' } })
    const { page, form } = opened
    const again = (): Promise<void> => page.evaluate(mountForm, { merchant: stage.merchant, locale: 'en' })
    const fill = async (): Promise<void> => {
      await form.locator('#number').fill(success)
      await form.locator('#expiry').fill('03/99')
    }
    const isEmpty = async (when: string): Promise<void> => {
      assert.equal(await form.locator('#number').inputValue(), '', when)
      assert.equal(await form.locator('#expiry').inputValue(), '', when)
    }
    await fill()
    await page.reload()
    await again()
    await isEmpty('reload')
    await fill()
    await page.goto('about:blank')
    await page.goBack()
    await again()
    await isEmpty('back')
    await fill()
    await page.evaluate(() => {
      const { form: mounted } = globalThis as unknown as Mounted
      mounted.unmount()
      mounted.mount('#card')
    })
    await isEmpty('mounted again')
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.heard('token')
    await page.close()
  })

  for (const [what, headers] of [
    ['isolates itself (COOP and COEP)', { 'cross-origin-embedder-policy': 'require-corp', 'cross-origin-opener-policy': 'same-origin' }],
    ['takes no text for script (Trusted Types)', { 'content-security-policy': "require-trusted-types-for 'script'; trusted-types 'none'" }],
    ['allows the one origin and nothing else', { 'content-security-policy': "default-src 'none'; script-src $FORM; frame-src $FORM" }],
  ] as const) {
    it(`goes its whole way in a page that ${what}, which has nothing to complain of`, async () => {
      const asked = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replaceAll('$FORM', stage.formOrigin)]))
      const opened = await stage.open({ headers: asked, body: '<div id="card"></div>' })
      await enterCard(opened, success)
      await enterCode(opened)
      await opened.heard('token')
      const complaints = opened.lines.filter((line) => /polic|trusted|refused|violat/i.test(line))
      assert.deepEqual(complaints, [])
      if ('cross-origin-embedder-policy' in headers) assert.equal(await opened.page.evaluate(() => crossOriginIsolated), true)
      await opened.page.close()
    })
  }

  it('is shown to no page that says it is another', async () => {
    const liar = await openShop(stage.formOrigin)
    const page = await stage.browser.newPage()
    await page.goto(liar.place({}))
    const refused = page.waitForEvent('console', (line) => line.text().includes('frame-ancestors'))
    await page.evaluate(
      ({ form, merchant, claimed }) => {
        const frame = document.createElement('iframe')
        frame.src = `${form}/form/v1?merchant=${merchant}&origin=${encodeURIComponent(claimed)}#${'a'.repeat(32)}`
        document.getElementById('card')?.append(frame)
        return new Promise((resolve) => frame.addEventListener('load', resolve))
      },
      { form: stage.formOrigin, merchant: stage.merchant, claimed: stage.shopOrigin },
    )
    await refused
    assert.equal(await page.frameLocator('iframe').locator('#number').count(), 0)
    liar.server.close().closeAllConnections()
    await page.close()
  })
})
