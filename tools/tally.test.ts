import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileResult } from './run-file.ts'
import { formatSkips, formatTally, tally } from './tally.ts'

function file(path: string, ...states: ('passed' | 'failed' | 'skipped')[]): FileResult {
  return {
    path,
    seconds: 1,
    outcomes: states.map((state, index) => ({ title: `test ${index}`, state, milliseconds: 1, detail: `why ${index}` })),
  }
}

test('a skipped test counts as failed unless it is on the list', () => {
  const results = [file('a.test.ts', 'passed', 'skipped'), file('b.test.ts', 'failed')]
  const strict = tally(results, [])
  assert.deepEqual([strict.passed, strict.failed], [1, 2])
  const lenient = tally(results, [{ file: 'a.test.ts', title: 'test 1', why: 'for this test' }])
  assert.deepEqual([lenient.passed, lenient.failed], [2, 1])
})

test('what is skipped as allowed has a line with its reason', () => {
  const allowed = [{ file: 'a.test.ts', title: 'test 1', why: 'there is no such server.' }]
  assert.equal(formatSkips(file('a.test.ts', 'passed', 'skipped'), allowed), 'skip  a.test.ts: test 1: there is no such server.\n')
  assert.equal(formatSkips(file('b.test.ts', 'passed', 'skipped'), allowed), '')
})

test('the summary is alone on the last line, and failures are shown in full before it', () => {
  const lines = formatTally(tally([file('a.test.ts', 'passed', 'failed')], []), { seconds: 3 }).split('\n')
  assert.equal(lines.at(-1), '1 passed, 1 failed')
  assert.ok(lines.includes('✖ a.test.ts') && lines.includes('  test 1') && lines.includes('    why 1'))
})

test('a run of nothing says that nothing ran', () => {
  const text = formatTally(tally([], []), { seconds: 0 })
  assert.match(text, /Nothing ran\./)
  assert.ok(text.endsWith('\n0 passed, 0 failed'))
})

test('the slowest files are named with their time and processor time, as many as wanted', () => {
  const results = [1, 3, 2].map((seconds) => ({ ...file(`${seconds}.test.ts`, 'passed'), seconds, processorSeconds: seconds / 2 }))
  const text = formatTally(tally(results, []), { seconds: 7, processorSeconds: 5, maxSlowest: 2 })
  assert.match(text, /:\n +3\.0 s +1\.5 s {2}3\.test\.ts\n +2\.0 s +1\.0 s {2}2\.test\.ts\n\nIt took 7 s, and 5 s of processor time\.\n/)
})
