// time limit: 180 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { awaitWithin } from '../tools/await-within.ts'
import { enterCard, enterCode, mountForm, startFormShop, startTestBed, type TestPage, type TestBed } from './form.fixture.ts'

const success = '8600069195406311'

describe('the card form in pages of merchants', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  it('gets its full height in a container that was hidden when it was mounted', async () => {
    const opened = await testBed.open({ body: '<div id="wrap" style="display:none"><div id="card"></div></div>' })
    await opened.waitForEvent('ready')
    await opened.page.evaluate(() => document.getElementById('wrap')?.style.removeProperty('display'))
    await opened.form.locator('#number').waitFor()
    const frame = await opened.frame()
    await opened.page.waitForFunction(() => (document.querySelector('iframe')?.clientHeight ?? 0) > 200)
    await frame.waitForFunction(() => document.documentElement.scrollHeight <= innerHeight)
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.waitForEvent('token')
    await opened.page.close()
  })

  it('gets one hello per document: when it announces itself, or when it has loaded if that message is lost', async () => {
    const blockLoad = `document.addEventListener('load', (event) => event.stopImmediatePropagation(), true)`
    const blockAnnouncement = `addEventListener('message', (event) => event.stopImmediatePropagation())`
    const documents = 2
    for (const [title, script] of [
      ['without the load event', blockLoad],
      ['without the announcement', blockAnnouncement],
      ['with both', ''],
    ] as const) {
      const opened = await testBed.open({ head: `<script>${script}</script>` })
      await opened.waitForEvent('ready')
      await (await opened.frame()).evaluate(() => setTimeout(() => location.reload()))
      await opened.page.waitForFunction(
        (count) => ((globalThis as unknown as TestPage).formEvents['ready'] ?? []).length >= count,
        documents,
      )
      await opened.form.locator('#number').fill('8600')
      await opened.page.evaluate(() => (globalThis as unknown as TestPage).form.submit())
      assert.equal(((await opened.waitForEvent('error')) as { reason: string }).reason, 'card_number_format', title)
      assert.equal((await opened.eventValues('ready')).length, documents, title)
      await opened.page.close()
    }
  })

  it('keeps two forms of one page apart', async () => {
    const opened = await testBed.open({ body: '<div id="card"></div><div id="other"></div>' })
    await opened.page.evaluate((merchant) => {
      const page = globalThis as unknown as TestPage & { others: unknown[] }
      page.others = []
      const other = new page.Tessera.CardForm({ merchant, locale: 'ru' })
      for (const event of ['step', 'token', 'error']) other.on(event, (value) => page.others.push(value))
      other.mount('#other')
    }, testBed.merchant)
    const form = opened.page.frameLocator('#card iframe')
    await opened.page.frameLocator('#other iframe').locator('#number').fill('8600 4954')
    await enterCard({ ...opened, form }, success)
    await enterCode({ ...opened, form })
    await opened.waitForEvent('token')
    assert.equal(await opened.page.frameLocator('#other iframe').locator('#number').inputValue(), '8600 4954')
    assert.deepEqual(await opened.page.evaluate(() => (globalThis as unknown as { others: unknown[] }).others), [])
    await opened.page.close()
  })

  it('is empty after a reload, after navigating back, and after being mounted again', async () => {
    const opened = await testBed.open({ options: { save: 'off' } })
    const { page, form } = opened
    const mountAgain = (): Promise<void> => page.evaluate(mountForm, { merchant: testBed.merchant, locale: 'en' })
    const fill = async (): Promise<void> => {
      await form.locator('#number').fill(success)
      await form.locator('#expiry').fill('03/99')
    }
    const expectEmpty = async (when: string): Promise<void> => {
      assert.equal(await form.locator('#number').inputValue(), '', when)
      assert.equal(await form.locator('#expiry').inputValue(), '', when)
    }
    await fill()
    await page.reload()
    await mountAgain()
    await expectEmpty('reload')
    await fill()
    await page.goto('about:blank')
    await page.goBack()
    await mountAgain()
    await expectEmpty('back')
    await fill()
    await page.evaluate(() => {
      const { form: mounted } = globalThis as unknown as TestPage
      mounted.unmount()
      mounted.mount('#card')
    })
    await expectEmpty('mounted again')
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.waitForEvent('token')
    await page.close()
  })

  for (const [title, headers] of [
    ['isolates itself (COOP and COEP)', { 'cross-origin-embedder-policy': 'require-corp', 'cross-origin-opener-policy': 'same-origin' }],
    ['enforces Trusted Types', { 'content-security-policy': "require-trusted-types-for 'script'; trusted-types 'none'" }],
    ['allows only the form’s origin', { 'content-security-policy': "default-src 'none'; script-src $FORM; frame-src $FORM" }],
  ] as const) {
    it(`accepts a card without warnings in a page that ${title}`, async () => {
      const pageHeaders = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.replaceAll('$FORM', testBed.formOrigin)]),
      )
      const opened = await testBed.open({ headers: pageHeaders, body: '<div id="card"></div>' })
      await enterCard(opened, success)
      await enterCode(opened)
      await opened.waitForEvent('token')
      const complaints = opened.consoleLines.filter((line) => /polic|trusted|refused|violat/i.test(line))
      assert.deepEqual(complaints, [])
      if ('cross-origin-embedder-policy' in headers) assert.equal(await opened.page.evaluate(() => crossOriginIsolated), true)
      await opened.page.close()
    })
  }

  it('reports nothing for a Content-Security-Policy that only reports', async () => {
    const opened = await testBed.open({ headers: { 'content-security-policy-report-only': "frame-src 'none'" } })
    await opened.waitForEvent('ready')
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.waitForEvent('token')
    assert.deepEqual(await opened.eventValues('error'), [])
    await opened.page.close()
  })

  it('accepts a card in a sandbox without allow-forms, with the button and with Enter', async () => {
    const opened = await testBed.open({ headers: { 'content-security-policy': 'sandbox allow-scripts allow-same-origin' } })
    await enterCard(opened, success)
    await opened.form.locator('#code').fill('666666')
    await opened.waitForEvent('token')
    assert.equal(opened.callCount('cards.create'), 1)
    assert.equal(opened.callCount('cards.verify'), 1)
    await opened.page.close()
  })

  it('says why it does not work in a sandbox without allow-same-origin', async () => {
    const opened = await testBed.open({ headers: { 'content-security-policy': 'sandbox allow-scripts' } })
    const error = (await opened.waitForEvent('error')) as { reason: string; docs: string }
    assert.equal(error.reason, 'page_sandboxed')
    assert.equal(error.docs, `${testBed.formOrigin}/form/reasons#page_sandboxed`)
    await opened.page.close()
  })

  it('is not shown to a page that claims another origin', async () => {
    const impostor = await startFormShop(testBed.formOrigin)
    const page = await testBed.browser.newPage()
    await page.goto(impostor.servePage({}))
    const refused = page.waitForEvent('console', (line) => line.text().includes('frame-ancestors'))
    await awaitWithin(
      page.evaluate(
        ({ form, merchant, claimed }) => {
          const frame = document.createElement('iframe')
          frame.src = `${form}/form/v1?merchant=${merchant}&origin=${encodeURIComponent(claimed)}#${'a'.repeat(32)}`
          document.getElementById('card')?.append(frame)
          return new Promise((resolve) => frame.addEventListener('load', resolve))
        },
        { form: testBed.formOrigin, merchant: testBed.merchant, claimed: testBed.shopOrigin },
      ),
      'the refused frame has loaded',
    )
    await refused
    assert.equal(await page.frameLocator('iframe').locator('#number').count(), 0)
    impostor.server.close().closeAllConnections()
    await page.close()
  })
})
