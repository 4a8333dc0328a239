import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Checks the current page with axe (WCAG 2.2 A and AA, and good practice): on a desktop in the light scheme, and on a phone in the dark scheme,
 * where it must not scroll horizontally. The card form has its own tests.
 */
export async function expectAccessible(page: Page, title: string): Promise<void> {
  await page.evaluate(axe.source)
  const size = page.viewportSize()
  for (const [how, colorScheme, viewport] of [
    ['on a desktop', 'light', { width: 1280, height: 720 }],
    ['on a phone in the dark', 'dark', { width: 390, height: 844 }],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize(viewport)
    assert.deepEqual(await page.evaluate(findViolations), [], `${title}, ${how}`)
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= viewport.width, `${title} scrolls horizontally ${how}`)
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  if (size !== null) await page.setViewportSize(size)
}

const findViolations = `axe.run(document, { iframes: false, exclude: [['iframe']], resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`
