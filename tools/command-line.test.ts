import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeApart } from './command-line.ts'

const options = { store: { type: 'string' }, json: { type: 'boolean', default: false } } as const
const usage = 'npm run measure -- [--store <name>] [--json]'

test('a tool is handed its options and words', () => {
  const typed = takeApart(['kill9', '--store', 'sqlite'], options, usage)
  assert.ok('read' in typed)
  assert.deepEqual([typed.read.values.store, typed.read.values.json, typed.read.positionals], ['sqlite', false, ['kill9']])
})

test('a tool that is asked for help prints how it is called, and one that is called wrong says what was wrong before it', () => {
  assert.deepEqual(takeApart(['--help'], options, usage), { said: usage, exitCode: 0 })
  assert.deepEqual(takeApart(['--stoer', 'x'], options, usage), { said: `Unknown option '--stoer'.\n\n${usage}`, exitCode: 64 })
  const missing = takeApart(['--store'], options, usage)
  assert.ok('said' in missing && missing.exitCode === 64 && /^Option '--store <value>' argument missing\.\n/.test(missing.said))
})
