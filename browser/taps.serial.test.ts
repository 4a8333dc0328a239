// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'

import { startTestBed, type OpenForm, type TestBed } from './form.fixture.ts'

const phone = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true }
/** The form in the middle of a long page. */
const body = '<h1>Shop</h1><p style="height:900px"></p><div id="card"></div><p style="height:1200px"></p>'
const pausesMs = [50, 100, 150, 200, 250, 300, 350, 400, 500, 600]

describe('a tap on a phone', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  for (const [what, scroll] of [
    ['a finger on the form', (opened: OpenForm, distance: number) => drag(opened, distance, 180)],
    ['a finger beside the form', (opened: OpenForm, distance: number) => drag(opened, distance, 3)],
    ['the page', (opened: OpenForm, distance: number) => opened.page.evaluate((by) => scrollBy(0, by), distance)],
  ] as const) {
    it(`is not lost after ${what} has scrolled it`, async () => {
      const opened = await testBed.open({ body, page: phone })
      const { page, form } = opened
      await opened.waitForEvent('ready')
      const button = form.locator('form.card button.main:enabled')
      const toButton = () => button.evaluate((element) => element.scrollIntoView({ block: 'center' }))
      await toButton()
      await opened.waitForEvent('seen')
      const lost: number[] = []
      let taps = 0
      for (const [index, pauseMs] of pausesMs.entries()) {
        // The error of the tap before has moved the first field into the middle.
        await toButton()
        // Longer than the form leaves between two looks at its footer, so that taps meet every part of that time.
        await delay(300 + index * 190)
        await scroll(opened, index % 2 === 0 ? 90 : -90)
        await delay(pauseMs)
        const { x, y, width, height } = (await button.boundingBox()) ?? assert.fail('the button is not on the page')
        await page.touchscreen.tap(x + width / 2, y + height / 2)
        taps++
        const arrived = await page
          .waitForFunction(
            (count) => ((globalThis as unknown as { formEvents: Record<string, unknown[]> }).formEvents['error'] ?? []).length >= count,
            taps,
            { timeout: 3000 },
          )
          .then(
            () => true,
            () => false,
          )
        if (!arrived) {
          lost.push(pauseMs)
          taps--
        }
      }
      assert.deepEqual(lost, [], 'pauses in ms after which the tap did nothing')
      await page.close()
    })
  }
})

/** Scrolls by a finger at `x` that rests before it is lifted, so that nothing scrolls on after it. */
async function drag({ page }: OpenForm, distance: number, x: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const from = 320 + distance / 2
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', y?: number): Promise<unknown> =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: y === undefined ? [] : [{ x, y }] })
  await touch('touchStart', from)
  for (let step = 1; step <= 6; step++) {
    await touch('touchMove', from - (distance * step) / 6)
    await delay(20)
  }
  await delay(100)
  await touch('touchMove', from - distance)
  await touch('touchEnd')
  await session.detach()
}
