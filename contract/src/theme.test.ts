import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { findContrastProblems, shapePairs, textPairs, type ContrastProblem } from './appearance-contrast.ts'
import { measureContrast, readRgb, type Rgb } from './contrast.ts'
import { readThemeValue, themeLengths, themeVariables, transparentVariables, type ThemeColor, type ThemeVariable } from './theme.ts'
import { themeTable } from './theme-table.ts'

const colours = themeVariables.filter((name) => name !== 'fontFamily' && !(name in themeLengths))

test('each colour of a theme accepts the four notations, complete and opaque', () => {
  const taken = ['#fff', '#1457D9', 'rgb(1, 2, 3)', 'rgb(1,2,3)', 'rgb(1 2 3)', 'hsl(210, 50%, 40%)', 'hsl(210 50% 40%)']
  for (const name of colours) for (const value of taken) assert.equal(readThemeValue(name, value), value, `${name}: ${value}`)
  const seeThrough = ['#fff8', '#ffffff80', 'rgb(1, 2, 3, 0)', 'rgb(1 2 3 / 0)', 'rgba(1, 2, 3, 0)', 'hsl(1 2% 3% / 0)']
  const broken = [
    '#ff',
    '#fffff',
    '#ggg',
    'rgb(1, 2)',
    'rgb(1, 2 3)',
    'rgb(,,,)',
    'rgb(1 2 3%)',
    'hsl(1 2 3)',
    'hsl(1, 2%, 3)',
    'red',
    'currentcolor',
  ]
  for (const name of colours) {
    for (const value of [...seeThrough, ...broken]) assert.equal(readThemeValue(name, value), null, `${name}: ${value}`)
    const isTransparent = transparentVariables.some((variable) => variable === name)
    assert.equal(readThemeValue(name, 'transparent'), isTransparent ? 'transparent' : null, name)
  }
})

test('each length of a theme accepts px, em or rem within its bounds, and nothing else', () => {
  for (const [name, [least, most]] of Object.entries(themeLengths) as [keyof typeof themeLengths, readonly [number, number]][]) {
    for (const value of [`${String(least)}px`, `${String(most)}px`, `${String(most / 16)}rem`, `${String(most / 16)}em`])
      assert.equal(readThemeValue(name, value), value, `${name}: ${value}`)
    const beyond = [
      `${String(least - 1)}px`,
      `${String(most + 1)}px`,
      `${String(most)}rem`,
      '999999px',
      '0.00001px',
      '-1px',
      '1e9px',
      '10',
      '10%',
      '10vw',
      '1cm',
    ]
    for (const value of beyond) assert.equal(readThemeValue(name, value), null, `${name}: ${value}`)
  }
})

test('fonts are names separated by commas, and no reserved CSS keyword', () => {
  for (const value of ['Inter', 'Open Sans, sans-serif', "'PT Sans', system-ui", '"Noto Sans", -apple-system', themeTable.fontFamily.light])
    assert.equal(readThemeValue('fontFamily', value), value)
  for (const value of [
    '',
    ' ',
    ',',
    'a,',
    "'a",
    '"a\'',
    '1st',
    "a'b",
    'inherit',
    'Inter, initial',
    'unset',
    'revert-layer',
    'a\nb',
    'a\\b',
    'a!important',
    'a/b',
  ])
    assert.equal(readThemeValue('fontFamily', value), null, value)
})

test('no variable accepts a URL, an expression, the end of a rule, another variable, or anything but text', () => {
  const evil = [
    'url(https://evil.example/x)',
    'url(data:image/png;base64,AA)',
    'URL(x)',
    'image-set("x" 1x)',
    'image(x)',
    'cross-fade(url(x), red)',
    'var(--text)',
    'env(x)',
    'attr(value)',
    'calc(1px + 1px)',
    'min(1px, 2px)',
    'expression(alert(1))',
    'color-mix(in srgb, red, blue)',
    '#fff;',
    '#fff}',
    '#fff;} #number{display:none}',
    '#fff!important',
    '#fff/**/',
    '/**/#fff',
    '10px;',
    '10px}',
    'Inter;',
    'Inter}',
    'Inter{',
    '#fff\n',
    '10px\n',
    'Inter\n',
    ' #fff',
    '\\75rl(x)',
    '@import "x"',
    '<style>',
    '</style>',
    'inherit',
    'initial',
    'unset',
    '#fff '.repeat(200),
  ]
  const noText = [null, undefined, 1, true, {}, [], ['#fff'], { toString: () => '#fff' }, Symbol('#fff'), () => '#fff']
  for (const name of themeVariables) {
    for (const value of [...evil, ...noText]) assert.equal(readThemeValue(name, value), null, `${name}: ${String(value)}`)
    assert.equal(readThemeValue(name, 'a'.repeat(101)), null)
  }
})

test('the table of variables agrees with the style of the form', () => {
  const style = readFileSync(new URL('../../browser/frame/frame.css', import.meta.url), 'utf8')
  const [light = '', dark = ''] = [/^:root \{([^}]+)\}/m.exec(style)?.[1], /^:root\[data-scheme='dark'\] \{([^}]+)\}/m.exec(style)?.[1]]
  const read = (block: string, name: string): string | undefined => new RegExp(`--${name}: ([^;]+);`).exec(block)?.[1]
  for (const name of themeVariables) {
    assert.equal(themeTable[name].light, read(light, name), name)
    assert.equal(themeTable[name].dark, read(dark, name) ?? read(light, name), name)
    assert.notEqual(readThemeValue(name, themeTable[name].light), null, `${name}: its default is not valid`)
  }
})

/** The form's default colors, with some replaced. */
function palette(scheme: 'light' | 'dark', other: Partial<Record<ThemeVariable, string>> = {}): (name: ThemeColor) => Rgb {
  return (name) => readRgb(other[name] ?? themeTable[name][scheme]) ?? assert.fail(name)
}

function findIn(colorOf: (name: ThemeColor) => Rgb, hasBorder: boolean): ContrastProblem[] {
  return findContrastProblems({ colorOf, hasBorder, page: [255, 255, 255] })
}

test('the contrast of two colors is that of WCAG 2.2', () => {
  const ratio = (one: string, other: string): number => measureContrast(readRgb(one) ?? assert.fail(), readRgb(other) ?? assert.fail())
  assert.equal(ratio('#000', '#fff'), 21)
  assert.equal(ratio('#767676', '#ffffff').toFixed(2), '4.54')
  assert.equal(ratio('rgb(119, 119, 119)', '#fff').toFixed(2), '4.48')
  assert.deepEqual(readRgb('hsl(210, 50%, 40%)'), [51, 102, 153])
  assert.deepEqual(readRgb('hsl(0 100% 50%)'), [255, 0, 0])
  assert.equal(readRgb('red'), null)
})

test('the form’s own colours pass in both schemes, and every pair with too little contrast is found', () => {
  const pairs = [...textPairs.map(([, of, on]) => [of, on] as const), ...shapePairs.map(([of, on]) => [of, on] as const)]
  for (const scheme of ['light', 'dark'] as const) {
    assert.deepEqual(findIn(palette(scheme), true), [])
    for (const [of, on] of pairs) {
      const found = findIn(
        palette(scheme, { [of]: themeTable[on][scheme], ...(of === 'border' ? { field: themeTable.background[scheme] } : {}) }),
        true,
      )
      assert.ok(
        found.some((pale) => pale.of === of && pale.on === on && pale.ratio === 1),
        `${scheme}: ${of} on ${on}`,
      )
    }
  }
})

test('a suggested colour always has enough contrast', () => {
  const all = ['#000', '#fff', '#767676', '#808080', '#777', '#ff0', '#0000ff', '#d91457', '#0f6b3a', 'hsl(30 90% 50%)']
  for (const of of all) {
    for (const on of all) {
      for (const { of: name, on: ground, needed, ratio, suggestion } of findIn(
        palette('light', { text: of, border: of, background: on, field: on }),
        true,
      )) {
        if (name !== 'text' && name !== 'border') continue
        assert.ok(ratio < needed)
        const improved = measureContrast(
          readRgb(suggestion) ?? assert.fail(),
          palette('light', { background: on, field: on })(ground as ThemeColor),
        )
        assert.ok(improved >= needed, `${of} on ${on}: ${suggestion} has ${String(improved)}`)
      }
    }
  }
})

test('a field needs a border or a fill with sufficient contrast, and without a border the fill must have it', () => {
  const of = (other: Partial<Record<ThemeVariable, string>>, hasBorder: boolean): unknown =>
    findIn(palette('light', other), hasBorder).map((pale) => pale.of)
  assert.deepEqual(of({ border: '#fff', field: '#fff' }, true), ['border'])
  assert.deepEqual(of({ field: '#fff' }, false), ['field'])
  assert.deepEqual(of({ field: '#000', border: '#fff', text: '#777', muted: '#777' }, false), ['text', 'muted'])
})
