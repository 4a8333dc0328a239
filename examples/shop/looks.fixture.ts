import assert from 'node:assert/strict'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * Holds the page as it stands to axe (WCAG 2.2 A and AA, and good practice): on a desk in the light, and on a phone in the dark, where it may not
 * scroll sideways either. The card form has tests of its own.
 */
export async function looksAt(page: Page, what: string): Promise<void> {
  await page.evaluate(axe.source)
  const size = page.viewportSize()
  for (const [how, colorScheme, viewport] of [
    ['on a desk', 'light', { width: 1280, height: 720 }],
    ['on a phone in the dark', 'dark', { width: 390, height: 844 }],
  ] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize(viewport)
    assert.deepEqual(await page.evaluate(faultsOf), [], `${what}, ${how}`)
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth')) <= viewport.width, `${what} scrolls sideways ${how}`)
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  if (size !== null) await page.setViewportSize(size)
}

const faultsOf = `axe.run(document, { iframes: false, exclude: [['iframe']], resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).join(' | ')))`
