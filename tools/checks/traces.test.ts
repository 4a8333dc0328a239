import assert from 'node:assert/strict'
import { test } from 'node:test'
import { treeOf } from '../tree.ts'
import { checkTraces } from './traces.ts'

function count(line: string): number {
  return checkTraces(treeOf({ 'page.md': `first\n${line}\n` })).length
}

test('a path of one machine and a registry host are found', () => {
  const host = ['registry', 'npmjs', 'org'].join('.')
  for (const folder of ['work', 'root', 'home/ann']) assert.equal(count(`see /${folder}/main/x.ts`), 1, folder)
  assert.equal(count(['', 'tmp', 'probe.ts'].join('/')), 1)
  assert.equal(count(`fetched from https://${host}/left-pad`), 1)
  assert.equal(count(['  "resolved"', ' "https://example.org/left-pad.tgz"'].join(':')), 1)
})

test('paths inside the project, and words that look like them, are accepted', () => {
  for (const line of [
    'docs/work/page.md',
    './root/x',
    '../work/main',
    'https://example.org/work/x',
    'network/root/x',
    '/tmp/tessera-test-1',
  ]) {
    assert.equal(count(line), 0, line)
  }
})
