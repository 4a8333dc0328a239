import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkTypeNames } from './type-names.ts'

function judge(text: string, path = 'service/src/domain/cards/remove.ts'): string[] {
  return checkTypeNames(treeOf({ [path]: text })).map((finding) => finding.text)
}

test('a type named by a participle or a verb is found, exported or not', () => {
  const declarations = [
    'export type Asked = 1',
    'interface Told {}',
    'type ReceiptsAsked = 1',
    'class Kept {}',
    'type Looking = 1',
    'interface Tell {}',
    'function f() { type Found = 1 }',
  ]
  for (const text of declarations) assert.equal(judge(text).length, 1, text)
})

test('a type named by a noun is accepted, even one that ends like a participle', () => {
  const declarations = [
    'type CardListQuery = 1',
    'interface Keyring {}',
    'type Setting = 1',
    'type RandomSeed = 1',
    'type Read<T> = T',
    'type XAuth = 1',
  ]
  for (const text of declarations) assert.deepEqual(judge(text), [], text)
})

test('an error class may be named by a short sentence, and tests name their types freely', () => {
  assert.deepEqual(judge('class StoreLocked extends Error {}'), [])
  assert.equal(judge('type StoreLocked = 1').length, 1)
  assert.deepEqual(judge('type Asked = 1', 'service/src/a.test.ts'), [])
})
