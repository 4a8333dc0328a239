import assert from 'node:assert/strict'
import { test } from 'node:test'

import { brandColorsFor, contrastOf, grounds, textOn } from './brand-colors.ts'

/** Every sixteenth value of each channel: 4,913 colors. */
const steps = Array.from({ length: 17 }, (_, step) =>
  Math.min(255, step * 16)
    .toString(16)
    .padStart(2, '0'),
)
const colors = steps.flatMap((red) => steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)))

test('whatever the color, a button can be told from its ground, and its text can be read', () => {
  for (const color of colors) {
    assert.ok(contrastOf(color, textOn(color)) >= 4.5, `text on ${color}`)
    for (const scheme of ['light', 'dark'] as const) {
      const { accent, accentText } = brandColorsFor(color, scheme)
      assert.ok(contrastOf(accent, grounds[scheme]) >= 3, `${color} in ${scheme}: ${accent}`)
      assert.ok(contrastOf(accent, accentText) >= 4.5, `text on ${accent}`)
    }
  }
})

test('a color with enough contrast stays as it is', () => {
  assert.deepEqual(brandColorsFor('#0a7d5a', 'light'), { accent: '#0a7d5a', accentText: '#ffffff' })
  assert.equal(brandColorsFor('#ffee00', 'dark').accent, '#ffee00')
  assert.notEqual(brandColorsFor('#ffee00', 'light').accent, '#ffee00')
})
