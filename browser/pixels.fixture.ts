import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'

import type { OpenForm } from './form.fixture.ts'

type Position = readonly [x: number, y: number]

/**
 * Waits until all these positions of the page have this color, for at most 5 s. A new appearance changes the form's height: its frame is
 * resized after it, and is painted by another process, so that a picture of the moment can still show the layout before.
 */
export async function waitForPixels(
  { page }: OpenForm,
  color: string,
  otherwise: string,
  measure: () => Promise<readonly Position[]>,
): Promise<void> {
  const end = Date.now() + 5000
  for (;;) {
    const pixels = await pixelsOf(page, await measure())
    const other = pixels.map((pixel) => `rgb(${pixel.join(', ')})`).find((shown) => shown !== color)
    if (other === undefined) return
    if (Date.now() > end) assert.equal(other, color, otherwise)
    await sleep(50)
  }
}

/** Red, green and blue at these positions of the page, as it is shown. */
async function pixelsOf(page: Page, positions: readonly Position[]): Promise<number[][]> {
  const shot = (await page.screenshot({ fullPage: true })).toString('base64')
  const drawing = await (page.context().browser() ?? assert.fail('the page has no browser')).newPage()
  const pixels = await drawing.evaluate(
    async ([png, places]) => {
      const image = new Image()
      image.src = `data:image/png;base64,${png}`
      await image.decode()
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
      const context = canvas.getContext('2d')
      context?.drawImage(image, 0, 0)
      return places.map(([x, y]) => [...(context?.getImageData(Math.round(x), Math.round(y), 1, 1).data ?? [])].slice(0, 3))
    },
    [shot, positions] as const,
  )
  await drawing.close()
  return pixels
}
