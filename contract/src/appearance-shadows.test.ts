import assert from 'node:assert/strict'
import { test } from 'node:test'

import { findDarkShadows, measureRoom } from './appearance-shadows.ts'
import { readRules } from './appearance-syntax.ts'
import { palette } from './palette.fixture.ts'
import type { ThemeColor } from './theme.ts'

test('a shadow that reaches the texts around its part may not hide them, and one that stays close may', () => {
  const find = (rules: unknown, other: Partial<Record<ThemeColor, string>> = {}): string[] =>
    findDarkShadows(palette(other, rules)).map(({ part, state, value }) => `.${part}${state} ${value}`)
  for (const [boxShadow, ...isRefused] of [
    ['4px 4px 0 0 #16191f'],
    ['0 0 0 4px var(--text)'],
    ['inset 0 12px 0 0 #16191f'],
    ['0 6px 14px -6px rgba(10, 107, 77, 0.6)'],
    ['0 12px 40px 4px #0002'],
    ['0 12px 40px #ffffff'],
    ['0 -12px 0 4px #16191f', true],
    ['0 12px 40px 4px #000', true],
    ['0 8px 0 0 rgb(22 25 31 / 90%)', true],
    ['0 8px 0 0 hsla(0, 0%, 10%, .9)', true],
    ['0 8px 0 0 #16191fee', true],
    ['0 0 0 1px #fff, 12px 0 40px var(--text)', true],
    ['0 -12px 0 4px rgba(22, 25, 31, .35)'],
    [Array(4).fill('0 -12px 0 4px rgba(22, 25, 31, .35)').join(', '), true],
    ['0 12px 0 4px #fff, 0 -12px 0 4px #16191f5a, 0 -12px 0 4px #16191f5a, 0 -12px 0 4px #16191f5a', true],
  ] as const)
    for (const selector of ['.Input', '.Button:hover'])
      assert.deepEqual(find({ [selector]: { boxShadow } }), isRefused.length > 0 ? [`${selector} ${boxShadow}`] : [], boxShadow)
  // Text of a middle shade is hidden by the middle of a blurred shadow.
  assert.deepEqual(
    find({ '.Input': { boxShadow: '0 0 20px #000' } }, { text: '#777', muted: '#777', error: '#777', success: '#777' }).length,
    1,
  )
  assert.deepEqual(find({ '.Label': { color: '#fff' }, '.Input': { boxShadow: '0 0 20px #fff' } }, { background: '#000' }).length, 1)
})

test('shadows of several parts that hide a text only together are refused together, and others stay', () => {
  const find = (rules: unknown): string[] => findDarkShadows(palette({}, rules)).map(({ part, state }) => `.${part}${state}`)
  const half = { boxShadow: '0 -12px 0 4px rgba(22, 25, 31, .35), 0 12px 0 4px #16191f18' }
  const faint = { boxShadow: '0 8px 24px -6px #0001' }
  assert.deepEqual(find({ '.Input': half }), [])
  assert.deepEqual(find({ '.Input': half, '.Button': half }), ['.Input', '.Button'])
  assert.deepEqual(find({ '.Input': half, '.Button:hover': half, '.Button': faint }), ['.Input', '.Button:hover'])
  assert.deepEqual(find({ '.Input:focus': half, '.Input--invalid': half, '.Button': faint }), ['.Input:focus', '.Input--invalid'])
  // There is one button, in one of its states.
  assert.deepEqual(find({ '.Button': half, '.Button:hover': half }), [])
  assert.deepEqual(find({ '.Input': faint, '.Input:focus': faint, '.Button': faint, '.Button:hover': faint }), [])
})

test('the form gets as much space around it as its shadows and outlines need, and at most 12 pixels', () => {
  const room = (rules: unknown): unknown => Object.values(measureRoom(readRules(rules).passed))
  assert.deepEqual(room({ '.Input': { padding: '10px' }, '.Input:focus': { color: '#111' } }), [0, 0])
  assert.deepEqual(room({ '.Input:focus': { boxShadow: '0 0 0 3px #0003' } }), [3, 3])
  assert.deepEqual(room({ '.Input': { boxShadow: 'inset 0 0 0 4px #000' } }), [0, 0])
  assert.deepEqual(room({ '.Button': { boxShadow: '0 6px 15px -6px #0002' } }), [10, 4])
  assert.deepEqual(room({ '.Button': { boxShadow: '0 12px 40px 0 #0002' } }), [12, 12])
  assert.deepEqual(room({ '.Button': { outlineOffset: '2px' } }), [4, 4])
  assert.deepEqual(room({ '.Button': { outlineOffset: '0.125rem', outlineWidth: '1px' } }), [3, 3])
})
