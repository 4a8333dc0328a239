// `npm run check`: every check. `npm run check -- <name> …` runs some of them, `--thorough` lints all files by their types.
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCommandLine } from './command-line.ts'
import { listCheckNames, runChecks, type CheckResult } from './run-checks.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const maxComplaintsShown = 200

const usage = `npm run check -- [check …] [--thorough]

  ${listCheckNames().join(', ')}

  --thorough   lints every file with every rule, not only those that differ from where this branch came from

Without arguments all of them. Ends with 1 when one fails.`
const { values, positionals: names } = readCommandLine({ thorough: { type: 'boolean', default: false } }, usage)
const unknown = names.filter((name) => !listCheckNames().includes(name))
if (unknown.length > 0) {
  process.stderr.write(`There is no check ${unknown.join(', ')}; there are ${listCheckNames().join(', ')}.\n`)
  process.exit(1)
}

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
const results = await runChecks({ root, names, isThorough: values.thorough, signal: stopping.signal, onResult: show })
const failed = results.filter(({ complaints }) => complaints.length > 0)
for (const result of failed) explain(result)
process.stdout.write(`${results.length - failed.length} passed, ${failed.length} failed\n`)
process.exitCode = failed.length > 0 ? 1 : 0

function show({ name, seconds, complaints, note }: CheckResult): void {
  process.stdout.write(
    `${complaints.length === 0 ? 'ok  ' : 'FAIL'} ${seconds.toFixed(1).padStart(6)} s  ${name}${note === '' ? '' : ` (${note})`}\n`,
  )
}

function explain({ name, complaints }: CheckResult): void {
  const more = complaints.length - maxComplaintsShown
  const shown = complaints.slice(0, maxComplaintsShown).map((complaint) => `  ${complaint}\n`)
  process.stdout.write(`\n✖ ${name}\n${shown.join('')}${more > 0 ? `  … and ${more} more\n` : ''}`)
}
