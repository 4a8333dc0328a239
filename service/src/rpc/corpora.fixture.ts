import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Public collections of bad input lie beside the project, where they are at all: a stranger's clone has none, and then these lists are empty. */
const folder = join(import.meta.dirname, '../../../../shared/corpora')

/** nst/JSONTestSuite: `y_*` is JSON, `n_*` is not, `i_*` may be either. */
export function readJsonTestSuite(): { name: string; bytes: Buffer }[] {
  const suite = join(folder, 'json-test-suite')
  return sayIfAbsent(suite) ? [] : readdirSync(suite).map((name) => ({ name, bytes: readFileSync(join(suite, name)) }))
}

/** minimaxir/big-list-of-naughty-strings. */
export function readNaughtyStrings(): string[] {
  const file = join(folder, 'naughty-strings.json')
  return sayIfAbsent(file) ? [] : (JSON.parse(readFileSync(file, 'utf8')) as string[])
}

function sayIfAbsent(path: string): boolean {
  if (existsSync(path)) return false
  process.stdout.write(`# ${path} is not there: the public collection is left out, our own cases run\n`)
  return true
}
