import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkWords, judgeName } from './words.ts'

function judge(text: string, path = 'service/src/cards/card.ts'): string[] {
  return checkWords(treeOf({ [path]: text })).map((finding) => finding.text)
}

test('a declared name with a word of no meaning is found, with what to write instead', () => {
  const spellings = [
    'const cardUtils = 1',
    'function dataOf() {}',
    'class CardManager {}',
    'class CardService {}',
    'const cardService = 1',
    'interface CardInfo {}',
    'type BaseCard = object',
    'const { row: cardData2Info } = found',
    'const [info] = list',
    'function f(helper: string) {}',
    'class Card { processAll() {} }',
    "import { open as openImpl } from './open.ts'",
  ]
  for (const text of spellings) assert.equal(judge(text).length, 1, text)
  assert.deepEqual(judge('const cardNumber = 1'), ['"cardNumber": write pan'])
  assert.deepEqual(judge('const timeout = 1'), ['"timeout": write a name with its unit last (queryTimeoutMs)'])
})

test('names that others gave are left as they are', () => {
  const theirs = ['const { data } = event', "import process from 'node:process'", 'const x = { handler: 1, data: 2 }', 'reply.data = 3']
  for (const text of theirs) assert.deepEqual(judge(text), [], text)
})

test('a word of no meaning in a path is found, and the package called service is not', () => {
  assert.deepEqual(judge('', 'service/src/cards/card-utils.ts'), ['the path says "utils": say what it does'])
  assert.equal(judge('', 'service/src/service/card.ts').length, 1)
  assert.equal(judge('', 'docs/common/card.md').length, 1)
  assert.deepEqual(judge('', 'service/src/cards/card.ts'), [])
})

test('terms of a standard that hold such a word are right', () => {
  for (const name of [
    'associatedData',
    'database',
    'baseUrl',
    'metadata',
    'base62',
    'sensitiveAuthenticationData',
    'processing',
    'askService',
    'service',
  ]) {
    assert.equal(judgeName(name), null, name)
  }
})

test('a name from the prototype of objects is a name like any other', () => {
  assert.equal(judgeName('constructor'), null)
  assert.equal(judgeName('toString'), null)
})
