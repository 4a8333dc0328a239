import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'

/**
 * Clicks an element of a frame, and makes sure that the click arrived. Chromium may discard clicks on a frame of another origin that has just
 * moved or changed its size, and Playwright does not notice. A click of which the frame received nothing is repeated; one that arrived
 * is not, so a click without an effect still fails the test.
 */
export async function pressInFrame(target: Locator, { clickCount = 1 } = {}): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const arrival = await target.evaluateHandle(({ ownerDocument }: { ownerDocument: EventTarget }) => {
      const state = { hasArrived: false }
      ownerDocument.addEventListener('pointerdown', () => (state.hasArrived = true), { capture: true, once: true })
      return state
    })
    await target.click({ clickCount })
    // A frame that cannot be read any more was left because of the click.
    if (await arrival.evaluate(({ hasArrived }) => hasArrived).catch(() => true)) return
  }
  assert.fail(`${maxAttempts} clicks on ${String(target)} did not arrive in its frame`)
}

/** Ticks a checkbox of a frame in the same way. */
export async function tickInFrame(box: Locator): Promise<void> {
  if (!(await box.isChecked())) await pressInFrame(box)
  assert.equal(await box.isChecked(), true, `${String(box)} is not ticked`)
}

const maxAttempts = 10
