// time limit: 120 s
import assert from 'node:assert/strict'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'

import { enterCard, enterCode, startTestBed, type OpenForm, type TestBed } from './form.fixture.ts'

const success = '8600069195406311'
/** Lower than the form. */
const phone = { viewport: { width: 360, height: 380 }, hasTouch: true, isMobile: true }
const body = '<h1>Shop</h1><p style="height:300px"></p><div id="card"></div><p style="height:600px"></p>'

describe('an error that belongs to no field', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  /** Replies to one method of the service. Before the page has its frame: later requests are not always intercepted. */
  const intercept = (method: string, reply: (route: Route) => Promise<void>) => (page: Page) => page.route(`**/api/${method}`, reply)

  /** Where the message is: on the screen, how far above the button, and whether it has the focus. */
  async function whereIsFault({ form, page }: OpenForm, step: 'card' | 'code'): Promise<object> {
    const fault = form.locator(`form.${step} .whole[role=alert]`)
    await fault.waitFor()
    const readBoxes = async (): Promise<{ isOnScreen: boolean; isAboveButton: boolean }> => {
      const [box, button] = [await fault.boundingBox(), await form.locator(`form.${step} button.main`).boundingBox()]
      assert.ok(box !== null && button !== null)
      const gap = button.y - (box.y + box.height)
      return { isOnScreen: box.y >= 0 && box.y + box.height <= phone.viewport.height, isAboveButton: gap >= 0 && gap < 20 }
    }
    let boxes = await readBoxes()
    // The page scrolls when it has resized the frame, in another process.
    for (let i = 0; i < 50 && !boxes.isOnScreen; i++) {
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
      boxes = await readBoxes()
    }
    return { ...boxes, hasFocus: await fault.evaluate((element) => element === document.activeElement) }
  }

  const replyWith = (reason: string) => (route: Route) => route.fulfill({ json: { error: { code: -31700, message: 'no', reason } } })
  const badGateway = (route: Route): Promise<void> => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' })
  for (const [reason, reply, text] of [
    ['offline', (route: Route) => route.abort('connectionfailed'), /no connection/],
    ['service_error', badGateway, /not available right now/],
    ['pan_limit', replyWith('pan_limit'), /Too many attempts/],
    ['session_used_up', replyWith('session_used_up'), /No attempts are left\. Go back to the shop/],
    ['session_done', replyWith('session_done'), /already completed\. Go back to the shop/],
    ['session_unknown', replyWith('session_unknown'), /no longer valid/],
    ['store_unavailable', replyWith('store_unavailable'), /service is not available/],
  ] as const) {
    it(`is shown, focused and announced above the button on a phone: ${reason}`, async () => {
      const opened = await testBed.open({ body, page: phone, prepare: intercept('cards.create', reply) })
      await enterCard(opened, success)
      const { reason: reported, message } = (await opened.waitForEvent('error')) as { reason: string; message: string }
      assert.equal(reported, reason)
      assert.match(message, text)
      assert.deepEqual(await whereIsFault(opened, 'card'), { isOnScreen: true, isAboveButton: true, hasFocus: true })
      await opened.page.close()
    })
  }

  it('is shown above the button of the code, too', async () => {
    const opened = await testBed.open({ body, page: phone, prepare: intercept('cards.verify', (route) => route.abort('connectionfailed')) })
    await enterCard(opened, success)
    await enterCode(opened)
    assert.deepEqual(await whereIsFault(opened, 'code'), { isOnScreen: true, isAboveButton: true, hasFocus: true })
    await opened.page.close()
  })

  it('is not what the last wrong code causes: the field says that no attempts are left', async () => {
    const opened = await testBed.open()
    await enterCard(opened, success)
    const fault = opened.form.locator('#code-fault')
    for (let attempt = 1; attempt <= 5; attempt++) {
      await enterCode(opened, '111111')
      await opened.waitForEvents('error', attempt)
      await fault.filter({ hasText: attempt < 5 ? 'Check the SMS' : 'no attempts are left' }).waitFor()
    }
    await opened.page.close()
  })
})

describe('a form that is not there yet', () => {
  let testBed: TestBed
  let silent: Server
  before(async () => {
    testBed = await startTestBed()
    silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    silent.close()
    await testBed.stop()
  })

  const readFrame = (): readonly [hasSkeleton: boolean, busy: string | null] => {
    const frame = document.querySelector('iframe') as HTMLIFrameElement
    return [getComputedStyle(frame).backgroundImage.includes('gradient'), frame.getAttribute('aria-busy')]
  }

  it('has a skeleton in its place, and after ten seconds without a response the page gets an error', async () => {
    const formOrigin = `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}`
    const opened = await testBed.open({ options: { formOrigin }, prepare: (page) => page.clock.install() })
    assert.deepEqual(await opened.page.evaluate(readFrame), [true, 'true'])
    await opened.page.clock.fastForward(9000)
    assert.deepEqual(await opened.eventValues('error'), [])
    await opened.page.clock.fastForward(1000)
    assert.equal(((await opened.waitForEvent('error')) as { reason: string }).reason, 'frame_no_answer')
    await opened.page.close()
  })

  it('has no skeleton any more when it is seen, and says so where ARIA attributes are no properties', async () => {
    const opened = await testBed.open({
      prepare: (page) => page.addInitScript(() => Reflect.deleteProperty(Element.prototype, 'ariaBusy')),
    })
    await opened.page.locator('iframe[aria-busy=false]').waitFor()
    assert.deepEqual(await opened.page.evaluate(readFrame), [false, 'false'])
    await opened.page.close()
  })
})

type Route = Parameters<Parameters<Page['route']>[1]>[0]
