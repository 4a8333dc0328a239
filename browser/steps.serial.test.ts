// time limit: 180 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'

import { pressInFrame } from '../tools/press-in-frame.ts'
import { enterCard, startTestBed, type TestBed, type TestPage } from './form.fixture.ts'

const success = '8600069195406311'
const body = '<h1>Shop</h1><div id="card"></div><p>Delivery</p><p>Returns</p>'

describe('the steps of the card form', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  it('do not move the page around it: at most two heights, and a layout shift of at most 0.01', async () => {
    const opened = await testBed.open({ body, page: { viewport: { width: 360, height: 740 } }, prepare: observeHeights })
    await opened.waitUntilComplete()
    const heights = async (): Promise<string[]> => {
      const all = await opened.page.evaluate(() => (globalThis as unknown as Observed).heights)
      return all.filter((height, index) => height !== all[index - 1])
    }
    const atStart = await opened.page.locator('iframe').evaluate((frame) => frame.clientHeight)
    await enterCard(opened, success)
    await opened.form.locator('#code').waitFor()
    await opened.form.locator('#code').pressSequentially('666666')
    await opened.waitForEvent('token')
    assert.equal(await opened.page.locator('iframe').evaluate((frame) => frame.clientHeight), atStart)
    assert.ok((await heights()).length <= 3, `the first height, and at most two others: ${(await heights()).join()}`)
    // The first is that of mount(): this shop left no room for the form.
    const [, ...shifts] = await opened.page.evaluate(() => (globalThis as unknown as Observed).shifts)
    const shift = shifts.reduce((sum, value) => sum + value, 0)
    assert.ok(shift <= 0.01, `a layout shift of ${String(shift)}`)
    await opened.page.close()
  })

  it('keep their height when the page changes an option', async () => {
    const opened = await testBed.open()
    await enterCard(opened, success)
    await opened.form.locator('#code').waitFor()
    const readHeight = (): Promise<number> => opened.form.locator('.root').evaluate((root) => root.clientHeight)
    const before = await readHeight()
    await opened.page.evaluate(() => (globalThis as unknown as TestPage).form.update({ labels: { verify: 'Go on' } }))
    await opened.form.locator('form.code button.main', { hasText: 'Go on' }).waitFor()
    assert.equal(await readHeight(), before)
    await opened.page.close()
  })

  it('show the card that was sent, the phone in words, and what to do when no SMS came', async () => {
    const opened = await testBed.open()
    const { form } = opened
    await enterCard(opened, success)
    await form.locator('.card-summary', { hasText: '8600 •••• 6311' }).waitFor()
    await form.locator('.card-summary [data-brand=uzcard]').waitFor()
    await form.locator('#sent', { hasText: '+998 90 ••• •• 66' }).waitFor()
    assert.equal(await form.locator('#sent .aloud').textContent(), '9 9 8 9 0, 5 hidden digits, 6 6')
    assert.match((await form.locator('#code').getAttribute('aria-describedby')) ?? '', /\bsent\b/)
    await pressInFrame(form.locator('.help summary'))
    for (const cause of ['different phone', 'SMS notifications', 'out of credit', 'request a new code'])
      await form.locator('.help li', { hasText: cause }).waitFor()
    await opened.page.close()
  })

  it('confirm a code of digits as it is typed, unless the page wants a button', async () => {
    const opened = await testBed.open({ options: { autoConfirm: false } })
    await enterCard(opened, success)
    await opened.form.locator('#code').pressSequentially('666666')
    assert.equal(opened.callCount('cards.verify'), 0)
    await pressInFrame(opened.form.locator('form.code button.main'))
    await opened.waitForEvent('token')
    await opened.page.close()
  })

  it('take the code from the message, where the browser can read it, and stop waiting when the step is left', async () => {
    const opened = await testBed.open({ prepare: (page) => page.addInitScript(simulateWebOtp) })
    assert.equal(await opened.page.locator('iframe').getAttribute('allow'), 'otp-credentials')
    await enterCard(opened, success)
    await pressInFrame(opened.form.locator('.back'))
    await opened.form.locator('#number').waitFor()
    const frame = await opened.frame()
    assert.deepEqual(await frame.evaluate(() => (globalThis as unknown as Otp).requests.map(({ signal }) => signal?.aborted)), [true])
    await enterCard(opened, success)
    await opened.form.locator('#code').waitFor()
    const request = await frame.evaluate(() => {
      const { requests, receive } = globalThis as unknown as Otp
      receive('666666')
      return (requests[1] as { otp?: unknown } | undefined)?.otp
    })
    assert.deepEqual(request, { transport: ['sms'] })
    await opened.waitForEvent('token')
    await opened.page.close()
  })

  it('mark the test environment, and no theme or label hides the mark', async () => {
    const opened = await testBed.open({ options: { theme: { background: '#ffd98a', text: '#ffd98a', fontSize: '14px' } } })
    await opened.form.locator('footer .test', { hasText: /^TEST$/ }).waitFor()
    await opened.page.close()
  })
})

interface Observed {
  readonly heights: string[]
  readonly shifts: number[]
}

interface Otp {
  readonly requests: CredentialRequestOptions[]
  receive: (code: string) => void
}

/** Records the heights of the frame and the layout shifts of the page, from the first on. */
function observeHeights(page: Page): Promise<unknown> {
  return page.addInitScript(() => {
    if (window !== top) return
    const observed: Observed = { heights: [], shifts: [] }
    Object.assign(globalThis, observed)
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) observed.shifts.push((entry as unknown as { value: number }).value)
    }).observe({ type: 'layout-shift', buffered: true })
    new MutationObserver(() => {
      const height = document.querySelector('iframe')?.style.height
      if (height !== undefined) observed.heights.push(height)
    }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['style'] })
  })
}

/** Chromium has WebOTP on Android only. */
function simulateWebOtp(): void {
  const requests: CredentialRequestOptions[] = []
  let receive = (_code: string): void => undefined
  Object.assign(globalThis, { OTPCredential: Object, requests, receive: (code: string) => receive(code) })
  Object.defineProperty(navigator, 'credentials', {
    value: {
      get: (request: CredentialRequestOptions) => {
        requests.push(request)
        return new Promise((resolve, reject) => {
          receive = (code) => resolve({ code })
          request.signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
        })
      },
    },
  })
}
