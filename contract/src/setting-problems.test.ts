import assert from 'node:assert/strict'
import { test } from 'node:test'

import { SettingProblem, settingProblems } from './setting-problems.ts'

test('a problem is described in the language of the reader, with its values in their places', () => {
  const problem = new SettingProblem('origin_not_exact', 'https://shop.example')
  assert.equal(problem.describe('en'), 'An origin is only scheme, host and port: write https://shop.example')
  assert.equal(problem.describe('ru'), 'Только схема, имя и порт: напишите https://shop.example')
  assert.equal(problem.describe('uz'), 'Faqat sxema, nom va port: https://shop.example deb yozing')
})

test('a value never counts as a placeholder', () => {
  assert.equal(new SettingProblem('account_field_duplicate', '{0}').describe('en'), 'Two account fields are named "{0}".')
})

test('no problem has an English text in Russian or Uzbek, and none names a value that the English text does not have', () => {
  const placeholders = (text: string): string[] => text.match(/\{\d\}/g) ?? []
  for (const [code, { en, ru, uz }] of Object.entries(settingProblems)) {
    assert.match(ru, /\p{Script=Cyrillic}/u, code)
    for (const text of [ru, uz]) {
      assert.notEqual(text, en, code)
      for (const placeholder of placeholders(text)) assert.ok(en.includes(placeholder), `${code}: ${text}`)
    }
  }
})
