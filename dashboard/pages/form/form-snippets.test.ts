import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInNewContext } from 'node:vm'

import { findPale, readRgb } from '@tessera/contract/contrast'

import { firstChoices, listPale, optionsOf, valueIn, type Choices } from './choices.ts'
import { writePolicy, writeSnippets, type SnippetPlace } from './form-snippets.ts'

const place: SnippetPlace = {
  merchantId: '65f0c0ffee0000000000cafe',
  origin: 'https://form.example',
  sdk: { version: '1.2.3', integrity: 'sha384-a', moduleIntegrity: 'sha384-b' },
}
const odd = `</script><!-- 'quoted' "twice" \\ \u2028 \n \${x}`

test('a snippet holds exactly the options that were chosen, and no label ends the script that it stands in', () => {
  const options = { locale: 'ru', save: 'off', theme: { accent: '#123456', dark: { accent: '#abcdef' } }, labels: { submit: odd } } as const
  for (const way of ['script', 'module', 'react', 'element'] as const) {
    const text = writeSnippets(way, place, options)
      .map(([, snippet]) => snippet)
      .join('\n')
    assert.doesNotMatch(
      text.replace(/<\/?script[^>]*>|<link[^>]*>|<\/?tessera-card[^>]*>|<TesseraCardForm|<div id="card"><\/div>/g, ''),
      /<\/|<!--/,
      way,
    )
    const [, object = ''] = /(?:CardForm\(|options = |card\.labels = )(\{[^]*?\n\})/.exec(text) ?? []
    const read = runInNewContext(`(${object})`) as { labels?: { submit: string }; submit?: string; theme?: object }
    assert.equal(read.labels?.submit ?? read.submit, odd, way)
    if (way !== 'element') assert.equal(JSON.stringify(read.theme), JSON.stringify(options.theme))
  }
})

test('what the page has to allow is told for each way: a bundle is a script of its own', () => {
  assert.equal(
    writePolicy('script', place),
    "Content-Security-Policy: script-src 'self' https://form.example; frame-src https://form.example",
  )
  assert.equal(writePolicy('react', place), 'Content-Security-Policy: frame-src https://form.example')
})

test('options are what the form does not have by itself, and nothing that it would refuse', () => {
  const first = firstChoices('uz')
  assert.deepEqual(optionsOf(first), { locale: 'uz', save: 'ask' })
  const chosen: Choices = {
    ...first,
    ...{ layout: 'row', hasButton: false, labels: { number: '  ', submit: 'Go' } },
    values: { light: { accent: '#123', text: 'url(x)', radius: '99px' }, dark: { accent: '#abc' } },
  }
  assert.deepEqual(optionsOf(chosen), {
    ...{ locale: 'uz', save: 'ask', layout: 'row', button: false, labels: { submit: 'Go' } },
    theme: { accent: '#123', dark: { accent: '#abc' } },
  })
  assert.deepEqual(optionsOf({ ...chosen, scheme: 'dark' }).theme, { scheme: 'dark', accent: '#abc' })
  assert.deepEqual(optionsOf({ ...chosen, scheme: 'light' }).theme, { scheme: 'light', accent: '#123' })
})

test('a shade is measured with what is seen in it: its own, else the light one, else the form’s', () => {
  const values = { light: { background: '#fff', text: 'nonsense' }, dark: { field: '#000' } }
  assert.deepEqual(
    (['background', 'text', 'field'] as const).map((name) => valueIn(values, 'dark', name)),
    ['#fff', '#f1f3f6', '#000'],
  )
  const choices = { ...firstChoices('en'), values }
  const found = listPale(choices)
  assert.ok(found.length > 0 && found.every(({ shade }) => shade === 'dark'))
  const measured = findPale((name) => readRgb(valueIn(values, 'dark', name)) ?? assert.fail(name), true)
  assert.deepEqual(
    found,
    measured.map((pale) => ({ ...pale, shade: 'dark' })),
  )
  assert.deepEqual(listPale({ ...choices, scheme: 'light' }), [])
})
