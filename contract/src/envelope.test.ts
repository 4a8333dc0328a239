import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { readLanguage } from './envelope.ts'

test('the language is the most preferred of the three, English when none is named', () => {
  const cases: readonly [string | undefined, string][] = [
    [undefined, 'en'],
    ['', 'en'],
    ['ru', 'ru'],
    ['uz', 'uz'],
    ['RU', 'ru'],
    ['ru-RU', 'ru'],
    ['uz-Cyrl-UZ', 'uz'],
    ['fr, de', 'en'],
    ['*', 'en'],
    ['ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7', 'ru'],
    ['en;q=0.8,uz;q=0.9,ru;q=0.7', 'uz'],
    ['fr,ru;q=0.3', 'ru'],
    ['ru;q=0.5,uz;q=0.5', 'ru'],
    ['ru ; q=0.2 , uz ; q=0.4', 'uz'],
    ['ru;q=0', 'en'],
    ['ru;q=0,uz;q=0.1', 'uz'],
    ['ru;q=2', 'en'],
    ['ru;q=-1', 'en'],
    ['ru;q=high', 'en'],
    ['russian', 'en'],
    ['uzb', 'en'],
    [',,;,', 'en'],
  ]
  for (const [header, language] of cases) assert.equal(readLanguage(header), language, header)
})

test('a header beyond 200 characters is not read', () => {
  assert.equal(readLanguage(`ru${' '.repeat(198)}`), 'ru')
  assert.equal(readLanguage(`ru${' '.repeat(199)}`), 'en')
})

test('any header at all gives one of the three languages', () => {
  const anyHeader = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('r', 'u', 'z', '-', ';', 'q', '=', ',', '.', '1', ' ', '*') }))
  fc.assert(fc.property(anyHeader, (header) => assert.ok(['en', 'ru', 'uz'].includes(readLanguage(header)))))
})
