import assert from 'node:assert/strict'

import type { AppearanceColors } from './appearance-contrast.ts'
import { readRules } from './appearance-syntax.ts'
import { readRgb } from './contrast.ts'
import { themeTable } from './theme-table.ts'
import type { ThemeColor } from './theme.ts'

/** The form's default colors in the light scheme, with some replaced. */
export function palette(other: Partial<Record<ThemeColor, string>> = {}, rules: unknown = {}): AppearanceColors {
  const read = readRules(rules)
  assert.deepEqual(read.rejected, [])
  return {
    colorOf: (name) => (other[name] === 'transparent' ? null : (readRgb(other[name] ?? themeTable[name].light) ?? assert.fail(name))),
    hasBorder: true,
    rules: read.passed,
    page: [255, 255, 255],
  }
}
