import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsByImport } from '../test-needs.ts'
import { treeOf } from '../tree.ts'
import { checkTestNeeds } from './test-needs.ts'

const table = Object.fromEntries(Object.keys(needsByImport).map((path) => [path, '']))

function judge(texts: Record<string, string>): string[] {
  return checkTestNeeds(treeOf({ ...table, ...texts })).map(({ path, text }) => `${path}: ${text}`)
}

test('a test that uses a program without saying so is found, and so is one whose fixture does', () => {
  const expected = 'service/src/a.test.ts: uses strace and does not say so: write "// needs: strace" in its first lines'
  const use = "spawn('strace', ['-f'])"
  assert.deepEqual(judge({ 'service/src/a.test.ts': use }), [expected])
  assert.deepEqual(judge({ 'service/src/a.test.ts': "import { f } from './a.fixture.ts'", 'service/src/a.fixture.ts': use }), [expected])
  assert.deepEqual(judge({ 'service/src/a.test.ts': `// needs: strace\n${use}` }), [])
})

test('the service, a database and a browser that a test starts by itself are found', () => {
  for (const text of ["spawn('service/bin/tessera.mjs')", 'await startCluster()', 'await chromium.launch()'])
    assert.equal(judge({ 'service/src/a.test.ts': text }).length, 1, text)
})

test('a missing fixture in the table is found', () => {
  const [path = ''] = Object.keys(table)
  const { [path]: _gone, ...rest } = table
  assert.equal(checkTestNeeds(treeOf(rest)).length, 1)
})
