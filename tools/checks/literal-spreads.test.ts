import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkLiteralSpreads } from './literal-spreads.ts'

function judge(text: string): number[] {
  return checkLiteralSpreads(treeOf({ 'a.test.ts': text })).map(({ line }) => line)
}

test('the spread of a literal is found in every spelling', () => {
  const spellings = ['f({ ...{ a, b } })', 'f([...[1, 2]])', 'f(...[1, 2])', 'f({ ...({ a } as const) })', 'f({ ...({ a } satisfies A) })']
  for (const text of spellings) assert.deepEqual(judge(`\n${text}`), [2], text)
})

test('the spread of a value, of a choice and of a result is accepted', () => {
  for (const text of ['f({ ...a })', 'f([...(isLong ? [1] : [])])', 'f({ ...(a === null ? {} : { a }) })', 'f([...[1, 2].map(g)])'])
    assert.deepEqual(judge(text), [], text)
})
