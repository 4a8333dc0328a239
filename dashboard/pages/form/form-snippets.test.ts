import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'

import { findContrastProblems } from '@tessera/contract/appearance-contrast'
import { readRgb } from '@tessera/contract/contrast'

import { initialDesign, listLowContrast, toFrameOptions, themeValueIn, withSuggestion, type FormDesign } from './form-design.ts'
import { formatPolicy, formSnippets, type SnippetContext } from './form-snippets.ts'

const context: SnippetContext = {
  merchantId: '65f0c0ffee0000000000cafe',
  origin: 'https://form.example',
  sdk: { version: '1.2.3', integrity: 'sha384-a', moduleIntegrity: 'sha384-b' },
}
const awkwardLabel = `</script><!-- 'quoted' "twice" \\ \u2028 \n \${x}`

test('a snippet holds exactly the options that were chosen, and no label ends its script element', () => {
  const options = {
    locale: 'ru',
    save: 'off',
    appearance: {
      variables: { accent: '#123456' },
      rules: { '.Input:focus': { boxShadow: '0 0 0 3px var(--accent)' } },
      dark: { variables: { accent: '#abcdef' } },
    },
    labels: { submit: awkwardLabel },
  } as const
  for (const kind of ['script', 'module', 'react', 'element'] as const) {
    const text = formSnippets(kind, context, options)
      .map(([, snippet]) => snippet)
      .join('\n')
    assert.doesNotMatch(
      text.replace(/<\/?script[^>]*>|<link[^>]*>|<\/?tessera-card[^>]*>|<TesseraCardForm|<div id="card"><\/div>/g, ''),
      /<\/|<!--/,
      kind,
    )
    const [, object = ''] = /(?:CardForm\(|options = |card\.labels = )(\{[^]*?\n\})/.exec(text) ?? []
    const read = runInNewContext(`(${object})`) as { labels?: { submit: string }; submit?: string; appearance?: object }
    assert.equal(read.labels?.submit ?? read.submit, awkwardLabel, kind)
    if (kind !== 'element') assert.equal(JSON.stringify(read.appearance), JSON.stringify(options.appearance))
  }
})

test('the policy allows the script where it is loaded from the service; with React it is bundled into the page’s own', () => {
  assert.equal(
    formatPolicy('script', context),
    "Content-Security-Policy: script-src 'self' https://form.example; frame-src https://form.example",
  )
  assert.equal(formatPolicy('react', context), 'Content-Security-Policy: frame-src https://form.example')
})

test('options are only what differs from the defaults of the form and what the form accepts', () => {
  const first = initialDesign('uz')
  assert.deepEqual(toFrameOptions(first), { locale: 'uz', save: 'ask' })
  const chosen: FormDesign = {
    ...first,
    layout: 'row',
    hasButton: false,
    labels: { number: '  ', submit: 'Go' },
    labelPlace: 'floating',
    rules: [
      { selector: '.Button', property: 'fontWeight', value: '700' },
      { selector: '.Button', property: 'boxShadow', value: 'none' },
      { selector: '.Button', property: 'color', value: 'url(x)' },
      { selector: '.Button:hover', property: 'padding', value: '2px' },
      { selector: '.Input', property: 'padding', value: '' },
    ],
    values: { light: { accent: '#123', text: 'url(x)', radius: '99px' }, dark: { accent: '#abc' } },
  }
  assert.deepEqual(toFrameOptions(chosen), {
    locale: 'uz',
    save: 'ask',
    layout: 'row',
    button: false,
    labels: { submit: 'Go' },
    appearance: {
      labels: 'floating',
      variables: { accent: '#123' },
      rules: { '.Button': { fontWeight: '700', boxShadow: 'none' } },
      dark: { variables: { accent: '#abc' } },
    },
  })
  const { labels, rules } = toFrameOptions(chosen).appearance ?? {}
  assert.deepEqual(toFrameOptions({ ...chosen, scheme: 'dark' }).appearance, {
    scheme: 'dark',
    labels,
    variables: { accent: '#abc' },
    rules,
  })
  assert.deepEqual(toFrameOptions({ ...chosen, scheme: 'light' }).appearance, {
    scheme: 'light',
    labels,
    variables: { accent: '#123' },
    rules,
  })
})

test('contrast is measured with the colors a scheme really shows: its own, else the light one, else the default', () => {
  const values = { light: { background: '#fff', text: 'nonsense' }, dark: { field: '#000' } }
  assert.deepEqual(
    (['background', 'text', 'field'] as const).map((name) => themeValueIn(values, 'dark', name)),
    ['#fff', '#f1f3f6', '#000'],
  )
  const design = { ...initialDesign('en'), values }
  const found = listLowContrast(design)
  assert.ok(found.length > 0 && found.every(({ colorScheme }) => colorScheme === 'dark'))
  const measured = findContrastProblems({
    colorOf: (name) => readRgb(themeValueIn(values, 'dark', name)) ?? assert.fail(name),
    hasBorder: true,
    page: [0, 0, 0],
  })
  assert.deepEqual(
    found,
    measured.map((pale) => ({ ...pale, colorScheme: 'dark' })),
  )
  assert.deepEqual(listLowContrast({ ...design, scheme: 'light' }), [])
})

test('the suggested color of a pale rule is set where the pale color is, in the line that is there', () => {
  const pale: FormDesign = {
    ...initialDesign('en'),
    scheme: 'light',
    rules: [
      { selector: '.Input', property: 'borderColor', value: '#eee' },
      { selector: '.Input', property: 'border', value: '1px solid #ddd' },
      { selector: '.Input:focus', property: 'outlineColor', value: '#eee' },
      { selector: '.Label', property: 'color', value: '#ccc' },
    ],
  }
  const namesOf = (design: FormDesign): string[] => listLowContrast(design).map(({ of, property }) => `${of} ${property}`)
  assert.deepEqual(namesOf(pale), ['.Label color', '.Input borderColor', '.Input:focus outlineColor'])
  const corrected = listLowContrast(pale).reduce(withSuggestion, pale)
  assert.deepEqual(namesOf(corrected), [])
  assert.equal(corrected.rules.length, pale.rules.length)
  assert.deepEqual(Object.keys(toFrameOptions(corrected).appearance?.rules?.['.Input'] ?? {}), ['border', 'borderColor'])
  const [variable] = listLowContrast({ ...pale, rules: [], values: { light: { text: '#ccc' }, dark: {} } })
  assert.match(String(withSuggestion(pale, variable ?? assert.fail()).values.light.text), /^#/)
})
