import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkPages } from './pages.ts'

const printed = new Map([['docs/reference/errors.md', '# Errors\n\none\n']])

function judge(texts: Record<string, string>): [string, number][] {
  return checkPages(treeOf(texts), printed).map(({ path, line }) => [path, line])
}

test('a printed page that differs from the code, is missing or is left over is found', () => {
  assert.deepEqual(judge({ 'docs/reference/errors.md': '# Errors\n\none\n' }), [])
  assert.deepEqual(judge({ 'docs/reference/errors.md': '# Errors\n\ntwo\n' }), [['docs/reference/errors.md', 3]])
  assert.deepEqual(judge({ 'docs/reference/errors.md': '# Errors\n\n' }), [['docs/reference/errors.md', 3]])
  assert.deepEqual(judge({}), [['docs/reference/errors.md', 1]])
  const old = 'docs/reference/methods/cards.old.md'
  assert.deepEqual(judge({ 'docs/reference/errors.md': '# Errors\n\none\n', [old]: '' }), [[old, 1]])
})
