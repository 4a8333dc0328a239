import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseToolArguments } from './command-line.ts'

const options = { store: { type: 'string' }, json: { type: 'boolean', default: false } } as const
const usage = 'npm run measure -- [--store <name>] [--json]'

test('a tool gets its options and arguments', () => {
  const typed = parseToolArguments(['kill9', '--store', 'sqlite'], options, usage)
  assert.ok('read' in typed)
  assert.deepEqual([typed.read.values.store, typed.read.values.json, typed.read.positionals], ['sqlite', false, ['kill9']])
})

test('--help prints the usage, and a wrong command line an error before it', () => {
  assert.deepEqual(parseToolArguments(['--help'], options, usage), { output: usage, exitCode: 0 })
  assert.deepEqual(parseToolArguments(['--stoer', 'x'], options, usage), { output: `Unknown option '--stoer'.\n\n${usage}`, exitCode: 64 })
  const missing = parseToolArguments(['--store'], options, usage)
  assert.ok('output' in missing && missing.exitCode === 64 && /^Option '--store <value>' argument missing\.\n/.test(missing.output))
})
