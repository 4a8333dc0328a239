// time limit: 120 s
import assert from 'node:assert/strict'
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

  const limited = { error: { code: -31700, message: { en: 'Too many' }, reason: 'pan_limit' } }
  for (const [reason, reply, text] of [
    ['offline', (route: Route) => route.abort('connectionfailed'), /no connection/],
    ['pan_limit', (route: Route) => route.fulfill({ json: limited }), /Too many attempts/],
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
})

type Route = Parameters<Parameters<Page['route']>[1]>[0]
