import assert from 'node:assert/strict'
import { test } from 'node:test'

import { correctInvisible, findContrastProblems, visibleRatio } from './appearance-contrast.ts'
import { appearanceExamples } from './appearance-examples.ts'
import { colorSchemes, readAppearance, type ColorScheme } from './appearance-reader.ts'
import { appearanceProperties, appearanceStates, type AppearancePart, type AppearanceProperty } from './appearance.ts'
import { listProperties, listSelectors, readAppearanceValue, readRules } from './appearance-syntax.ts'
import { measureContrast, readRgb, type Rgb } from './contrast.ts'
import { cssWords, evilSelectors, evilValues } from './css-injection.fixture.ts'
import { palette } from './palette.fixture.ts'
import { themeVariables, type ThemeColor } from './theme.ts'
import { themeTable } from './theme-table.ts'

/** Every property of every part in every state. */
const places = listSelectors().flatMap(({ part, state }) => listProperties(part, state).map((property) => ({ part, state, property })))

const valid: Readonly<Record<AppearanceProperty, readonly (string | number)[]>> = {
  color: ['#123', '#aabbcc', 'rgb(1, 2, 3)', 'hsl(120 50% 40%)', 'var(--accent)'],
  backgroundColor: ['#123', 'transparent', 'var(--field)'],
  border: ['none', '0', '1px solid #ccc', '2px dashed rgb(1, 2, 3)', '1px solid var(--border)', '1px solid transparent'],
  borderTop: ['none'],
  borderRight: ['none'],
  borderBottom: ['1px solid #ccc'],
  borderLeft: ['none'],
  borderColor: ['#123', 'transparent'],
  borderWidth: ['0', '4px', '0 0 1px', '0 0 1px 0'],
  borderStyle: ['solid', 'dashed', 'none'],
  borderRadius: ['0', '32px', '8px 8px 0 0'],
  boxShadow: [
    'none',
    '0 1px 2px #0003',
    '0px 1px 1px rgba(0, 0, 0, 0.03), 0px 3px 6px rgba(18, 42, 66, 0.02)',
    'inset 0 0 0 1px var(--accent)',
    '0 8px 24px -6px rgb(0 0 0 / 20%)',
    '0 0 0 3px hsla(210, 50%, 40%, .3)',
  ],
  outlineColor: ['#123', 'var(--focus)'],
  outlineWidth: ['1px', '4px'],
  outlineOffset: ['0', '2px'],
  padding: ['0', '12px', '10px 14px'],
  minHeight: ['44px', '4rem'],
  fontFamily: ['Inter, sans-serif'],
  fontSize: ['16px', '1.2rem'],
  fontStyle: ['italic'],
  fontWeight: ['bold', '600', 600],
  letterSpacing: ['0.02em', '-0.5px', '0'],
  lineHeight: ['1.4', 1.4, 2],
  textTransform: ['uppercase'],
  textDecoration: ['none'],
}

test('each property accepts what designers write', () => {
  for (const { part, state, property } of places) {
    for (const value of valid[property])
      assert.equal(readAppearanceValue(part, state, property, value), String(value), `.${part}${state} ${property}: ${String(value)}`)
  }
  assert.deepEqual([...new Set(places.map(({ property }) => property))].sort(), [...appearanceProperties].sort())
})

test('no property of any part and state accepts a URL, an expression, the end of a rule, or anything else of the corpus', () => {
  for (const { part, state, property } of places) {
    for (const value of [...evilValues, ...(property === 'fontFamily' ? [] : cssWords)])
      assert.equal(readAppearanceValue(part, state, property, value), null, `.${part}${state} ${property}: ${String(value)}`)
    // Nothing can be put before or after what is valid.
    for (const value of valid[property]) {
      for (const text of [
        `${String(value)};`,
        `${String(value)}}`,
        `${String(value)} url(x)`,
        `${String(value)}!important`,
        `{${String(value)}`,
        `${String(value)}\n`,
      ])
        assert.equal(readAppearanceValue(part, state, property, text), null, `.${part}${state} ${property}: ${text}`)
    }
  }
})

test('no text may be half transparent, tiny, or larger than its part, and no part may leave its place', () => {
  const refused: readonly (readonly [AppearancePart, string, unknown])[] = [
    ['Input', 'color', 'transparent'],
    ['Input', 'color', '#0000'],
    ['Input', 'color', 'rgba(0, 0, 0, 0)'],
    ['Input', 'color', 'var(--background)'],
    ['Input', 'color', 'var(--field)'],
    ['Input', 'color', 'var(--fixedBack)'],
    ['Input', 'fontSize', '15px'],
    ['Input', 'fontSize', '1em'],
    ['Input', 'fontSize', '21px'],
    ['Label', 'fontSize', '1px'],
    ['Error', 'fontSize', '0'],
    ['Error', 'fontSize', '0.1rem'],
    ['Button', 'fontSize', '99px'],
    ['Button', 'minHeight', '1px'],
    ['Input', 'padding', '-10px'],
    ['Input', 'padding', '99px'],
    ['Input', 'padding', '1px 1px 1px 1px 1px'],
    ['Input', 'borderWidth', '40px'],
    ['Input', 'letterSpacing', '-1em'],
    ['Input', 'letterSpacing', '40px'],
    ['Button', 'boxShadow', '0 0 0 9999px #fff'],
    ['Button', 'boxShadow', '0 0 0 5px #fff'],
    ['Button', 'boxShadow', '0 -200px 0 0 #fff'],
    ['Button', 'boxShadow', '0 1px #000, 0 1px #000, 0 1px #000, 0 1px #000, 0 1px #000'],
    ['Button', 'boxShadow', '1px #000'],
    ['Input', 'outlineWidth', '0'],
    ['Input', 'outlineColor', 'transparent'],
    ['Error', 'lineHeight', '0'],
    ['Error', 'lineHeight', '20'],
    ['Label', 'lineHeight', '1px'],
    ['Error', 'backgroundColor', '#fff'],
  ]
  for (const [part, property, value] of refused)
    assert.equal(readAppearanceValue(part, '', property as AppearanceProperty, value), null, `${part} ${property}: ${String(value)}`)
  for (const property of [
    'position',
    'zIndex',
    'content',
    'animation',
    'animationName',
    'transition',
    'transform',
    'margin',
    'marginTop',
    'textIndent',
    'opacity',
    'visibility',
    'display',
    'filter',
    'clipPath',
    'mask',
    'background',
    'backgroundImage',
    'cursor',
    'width',
    'height',
    'maxHeight',
    'overflow',
    'pointerEvents',
    'WebkitTextFillColor',
    'webkitTextSecurity',
    'fontFeatureSettings',
    'unicodeBidi',
    'direction',
    'cssText',
    'all',
    'font',
    'background-color',
    '--accent',
    'constructor',
    'toString',
    '__proto__',
    '',
  ])
    // prettier-ignore
    for (const part of Object.keys(appearanceStates) as AppearancePart[]) {
      const rules: unknown = JSON.parse(`{".${part}":{${JSON.stringify(property)}:"inherit"}}`)
      assert.deepEqual(readRules(rules), { passed: [], rejected: [`rules[".${part}"].${property}`] })
    }
})

test('a state changes colors, shadows and outlines, and nothing that would change the size of a part', () => {
  for (const { part, state, property } of places.filter((place) => place.state !== ''))
    assert.ok(
      ['color', 'backgroundColor', 'borderColor', 'boxShadow', 'outlineColor', 'textDecoration'].includes(property),
      `${part}${state}`,
    )
  assert.deepEqual(readRules({ '.Input:focus': { padding: '1px', color: '#000' } }).rejected, ['rules[".Input:focus"].padding'])
})

test('only the listed parts and states are selectors', () => {
  for (const selector of evilSelectors) {
    const { passed, rejected } = readRules(Object.fromEntries([[selector, { color: '#000' }]]))
    assert.deepEqual([passed.length, rejected.length], [0, 1], selector)
  }
  const every = Object.fromEntries(listSelectors().map(({ selector }) => [selector, { color: '#123' }]))
  assert.deepEqual(readRules(every).rejected, [])
  assert.equal(readRules(every).passed.length, listSelectors().length)
})

test('ten thousand rules cost a bounded list of names, and long names are cut', () => {
  const many = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`.Rule${'x'.repeat(99)}${String(index)}`, { color: '#000' }]),
  )
  const { passed, rejected } = readRules({ ...many, '.Input': many })
  assert.ok(passed.length === 0 && rejected.length <= 200, String(rejected.length))
  assert.ok(rejected.every((name) => name.length < 100))
})

test('the prototype is neither read nor written', () => {
  const polluting: unknown = JSON.parse(
    '{"__proto__":{".Input":{"color":"#000"}},"constructor":{"prototype":{"color":"#000"}},".Label":{"__proto__":{"color":"#000"}}}',
  )
  assert.deepEqual(readRules(polluting).passed, [])
  assert.deepEqual(readRules(Object.create({ '.Input': { color: '#000' } })).passed, [])
  assert.equal(({} as { color?: string }).color, undefined)
  for (const rules of [null, 7, 'x', [], [{ '.Input': {} }], true]) assert.deepEqual(readRules(rules).rejected, ['rules'])
  assert.deepEqual(readRules({ '.Input': 'color:red', '.Label': null }).rejected.length, 2)
  assert.deepEqual(readRules(undefined), { passed: [], rejected: [] })
})

test('contrast is measured with the color that a rule gives to a part in a state', () => {
  const measure = (rules: unknown, other = {}): string[] =>
    findContrastProblems(palette(other, rules)).map(({ of, on, ratio }) => `${of} on ${on} ${String(ratio)}`)
  assert.deepEqual(measure({}), [])
  assert.deepEqual(measure({ '.Button': { color: '#000', backgroundColor: '#fff' } }), [])
  assert.deepEqual(measure({ '.Button': { color: '#949494', backgroundColor: '#fff' } }), ['.Button on .Button 3.03'])
  assert.deepEqual(measure({ '.Button:hover': { backgroundColor: '#949494' } }), ['accentText on .Button:hover 3.03'])
  assert.deepEqual(measure({ '.Input': { backgroundColor: 'transparent' } }, { background: 'transparent' }), [])
  assert.deepEqual(measure({ '.Input': { border: 'none' } }), ['field on background 1'])
  assert.deepEqual(measure({ '.Input': { border: 'none', borderBottom: '1px solid #555' } }), [])
  assert.deepEqual(measure({ '.Input': { border: '1px solid #eee' } }), ['.Input on background 1.16'])
  assert.deepEqual(measure({ '.Input:focus': { outlineColor: 'var(--accent)' } }), [])
  assert.deepEqual(measure({ '.Button:disabled': { color: '#eee', backgroundColor: '#fff' } }), [], 'a disabled part has no limit')
  // Two problems of one part differ by what has the color.
  const properties = (rules: unknown): unknown => findContrastProblems(palette({}, rules)).map(({ of, property }) => `${of} ${property}`)
  const pale = { borderColor: '#eee', outlineColor: '#eee' }
  assert.deepEqual(properties({ '.Input': pale }), ['.Input borderColor', '.Input outlineColor'])
  assert.deepEqual(properties({ '.Input': { border: 'none', backgroundColor: '#eee' } }), ['.Input backgroundColor'])
  assert.deepEqual(properties({ '.Label': { color: '#949494' } }), ['.Label color'])
  // A rule that colors a part hides the variables that nobody sees any more.
  assert.deepEqual(measure({ '.Button': { color: '#fff', backgroundColor: '#000' } }, { accentText: '#1457d9' }), [])
})

test('what nobody could see is corrected, in every combination of states, and the rest is shown as requested', () => {
  const correct = (other: Partial<Record<ThemeColor, string>>, rules: unknown = {}): ReturnType<typeof correctInvisible> =>
    correctInvisible(palette(other, rules), lightDefaults())
  assert.deepEqual(correct({}), { variables: {}, parts: [] })
  assert.deepEqual(correct({ text: '#949494' }), { variables: {}, parts: [] }, 'pale, and visible')
  assert.deepEqual(Object.keys(correct({ text: '#fff' }).variables), ['text'])
  assert.deepEqual(correct({}, { '.Button': { color: '#fff', backgroundColor: '#fff' } }).parts, ['Button'])
  assert.deepEqual(correct({}, { '.Button:hover': { backgroundColor: '#fff' }, '.Button:active': { color: '#000' } }).parts, ['Button'])
  assert.deepEqual(correct({}, { '.Input:hover': { color: '#fff' }, '.Input:focus': { backgroundColor: '#000' } }).parts, ['Input'])
  assert.deepEqual(
    correct({}, { '.Button': { color: '#000', backgroundColor: '#fff' }, '.Button:hover': { color: '#fff', backgroundColor: '#000' } })
      .parts,
    [],
  )
  assert.deepEqual(correct({}, { '.Input::placeholder': { color: '#eee' } }).parts, [])
})

test('every text is visible after the correction, whatever the colors', () => {
  const choices = ['#000', '#fff', '#777', '#888', '#1457d9', '#ff0']
  const random = makeRandom(20_261_124)
  for (let round = 0; round < 200; round++) {
    const any = (): string => choices[random(choices.length)] ?? '#000'
    const names = Object.keys(lightDefaults()) as ThemeColor[]
    const other = Object.fromEntries(names.map((name) => [name, any()])) as Record<ThemeColor, string>
    const rules = Object.fromEntries(
      listSelectors()
        .filter(() => random(3) === 0)
        .map(({ selector, part, state }) => [
          selector,
          listProperties(part, state).includes('backgroundColor')
            ? { color: any(), backgroundColor: any() }
            : listProperties(part, state).includes('color')
              ? { color: any() }
              : {},
        ]),
    )
    const colors = palette(other, rules)
    const { variables, parts } = correctInvisible(colors, lightDefaults())
    const colorOf = (name: ThemeColor): Rgb => readRgb(variables[name] ?? other[name]) ?? assert.fail(name)
    const left = (colors.rules ?? []).filter((rule) => !parts.includes(rule.part))
    assert.ok(measureContrast(colorOf('text'), colorOf('background')) >= visibleRatio, JSON.stringify({ round, other, variables }))
    assert.deepEqual(
      correctInvisible({ ...colors, colorOf, rules: left }, lightDefaults()),
      { variables: {}, parts: [] },
      JSON.stringify({ round, other, rules }),
    )
  }
})

function lightDefaults(): Record<ThemeColor, string> {
  const names = themeVariables.filter((name) => readRgb(themeTable[name].light) !== null) as ThemeColor[]
  return Object.fromEntries(names.map((name) => [name, themeTable[name].light])) as Record<ThemeColor, string>
}

/** Whole numbers below a bound, the same for the same seed (mulberry32). */
function makeRandom(seed: number): (bound: number) => number {
  let state = seed
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
  }
}

test('the examples are valid, and have enough contrast in both schemes', () => {
  for (const [name, example] of Object.entries(appearanceExamples)) {
    const { rejected, rules, variables, labels } = readAppearance(example)
    assert.deepEqual(rejected, [], name)
    for (const scheme of colorSchemes) {
      const colorOf = (variable: ThemeColor): Rgb | null => readRgb(variables[scheme][variable] ?? themeTable[variable][scheme])
      const page = readRgb(themeTable.background[scheme]) ?? assert.fail()
      assert.deepEqual(findContrastProblems({ colorOf, hasBorder: true, rules: rules[scheme], labels, page }), [], `${name}, ${scheme}`)
    }
  }
})

test('the two spellings of variables are read, that of appearance first, and every invalid member is named', () => {
  const read = readAppearance(
    {
      variables: { accent: '#123', radius: '99px' },
      dark: { variables: { accent: '#456' }, more: 1 },
      labels: 'beside',
      scheme: 'light',
      position: 'fixed',
    },
    { accent: '#789', text: '#222', scheme: 'dark', fixedBack: '#000', muted: '', dark: { text: '#eee', shadow: '1px' } },
  )
  assert.deepEqual(read.variables, { light: { accent: '#123', text: '#222' }, dark: { accent: '#456', text: '#eee' } })
  assert.deepEqual([read.scheme, read.labels], ['light', 'above'])
  assert.deepEqual([...read.rejected].sort(), [
    'appearance.dark.more',
    'appearance.labels',
    'appearance.position',
    'appearance.variables.radius',
    'theme.dark.shadow',
    'theme.fixedBack',
  ])
  assert.deepEqual(readAppearance(undefined).scheme, 'page')
  assert.deepEqual(readAppearance('x', 7).rejected, [])
})

test('a rule of the dark scheme applies over one of both, and a state over the part itself', () => {
  const { rules } = readAppearance({
    rules: { '.Button:hover': { color: '#111' }, '.Button': { color: '#222' } },
    dark: { rules: { '.Button': { color: '#333' } } },
  })
  const list = (scheme: ColorScheme): string[] => rules[scheme].map(({ part, state, value }) => `${part}${state} ${value}`)
  assert.deepEqual(list('light'), ['Button #222', 'Button:hover #111'])
  assert.deepEqual(list('dark'), ['Button #222', 'Button #333', 'Button:hover #111'])
})
