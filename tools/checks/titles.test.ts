import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkTitles } from './titles.ts'

function judge(texts: Record<string, string>): string[] {
  return checkTitles(treeOf(texts)).map((finding) => finding.text)
}

test('a repeated title is found, in one file and across files', () => {
  const twice = judge({
    'a.test.ts': "test('a fact', () => { assert.ok(1) })",
    'b.test.ts': "import { it } from 'node:test'; it('a fact', () => { assert.ok(1) })",
  })
  assert.deepEqual(twice, ['"a fact" is already a title at a.test.ts:1'])
})

test('one title in two suites of different names is accepted', () => {
  const text = "describe('create', () => { test('a fact', () => { assert.ok(1) }) }); describe('check', () => { test('a fact', () => {}) })"
  assert.deepEqual(judge({ 'a.test.ts': text }), [])
})

test('skipped and singled out tests are found in every spelling', () => {
  const spellings = [
    "test.only('one', () => {})",
    "describe.skip('one', () => {})",
    "it.todo('one')",
    "test('one', { skip: true }, () => {})",
    "test('one', { timeout: 5, only: true }, () => {})",
    "test('one', (t) => { t.skip('later') })",
    "test('one', async (context) => { if (slow) { context.todo() } })",
    "test('one', async (t) => { await t.test('two', { skip: 'x' }, () => {}) })",
  ]
  for (const text of spellings) assert.equal(judge({ 'a.test.ts': `${text}; assert.ok(1)` }).length, 1, text)
})

test('an ordinary call or option named skip or only is accepted', () => {
  const text = "test('one', (t) => { reader.skip(4); list({ only: 3 }); assert.ok(t) })"
  assert.deepEqual(judge({ 'a.test.ts': text }), [])
})

test('a test file without an assertion is found, and one that runs a suite is not', () => {
  assert.equal(judge({ 'a.test.ts': "test('one', () => { open() })" }).length, 1)
  assert.deepEqual(judge({ 'a.test.ts': "import { storeSuite } from '../store.suite.ts'\nstoreSuite(open)" }), [])
  assert.deepEqual(judge({ 'a.test.ts': "test('one', (t) => { t.assert.equal(1, 1) })" }), [])
})
