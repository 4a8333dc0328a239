import assert from 'node:assert/strict'
import { test } from 'node:test'

import { isPageDark } from './page-scheme.ts'

const none = 'rgba(0, 0, 0, 0)'

test('the nearest background that is not transparent decides whether the page is dark, and else the color of the text', () => {
  for (const [colors, isDark] of [
    [['rgb(0, 0, 0)', none, 'rgb(255, 255, 255)'], false],
    [['rgb(255, 255, 255)', none, none, 'rgb(16, 20, 24)', 'rgb(255, 255, 255)'], true],
    [['rgb(0, 0, 0)', 'rgba(0, 0, 0, 0.9)', 'rgb(255, 255, 255)'], true],
    [['rgb(0, 0, 0)', 'rgba(0, 0, 0, 0.2)', 'rgb(255, 255, 255)'], false],
    [['rgb(255, 255, 255)', none, none], true],
    [['rgb(0, 0, 0)', none, none], false],
    [['rgb(0, 0, 0)', 'oklch(0.2 0.04 265)'], true],
    [['rgb(0, 0, 0)', 'oklab(0.97 0 0)'], false],
    [['rgb(0, 0, 0)', 'lab(12 0 0)'], true],
    [['rgb(0, 0, 0)', 'lch(97 0 0)'], false],
    [['rgb(0, 0, 0)', 'color(srgb 0.1 0.1 0.2)'], true],
    [['rgb(0, 0, 0)', 'color(display-p3 1 1 0.9)'], false],
    [['rgb(0, 0, 0)', 'color(srgb 0.1 0.1 0.2 / 0.2)', 'rgb(255, 255, 255)'], false],
    [['', ''], false],
    [[], false],
  ] as const)
    assert.equal(isPageDark(colors), isDark, colors.join(' '))
})
