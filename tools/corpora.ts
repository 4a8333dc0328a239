import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Public collections of bad input are expected beside the project. A clone without them gets empty lists. */
const folder = join(import.meta.dirname, '../../shared/corpora')

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

/** The strings that JSON can hold, and a few that are always there; those that look like markup come first. */
export function naughtyTexts(): string[] {
  const texts = [...ownTexts, ...readNaughtyStrings()].filter((text) => text.trim() !== '' && text.isWellFormed())
  const isMarkup = (text: string): boolean => /[<>]|javascript:/i.test(text)
  return [...texts.filter(isMarkup), ...texts.filter((text) => !isMarkup(text))]
}

const ownTexts = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<a href="javascript:alert(1)">x</a>',
  '=1+1',
  '__proto__',
  '\u202E',
  '💳',
]

function sayIfAbsent(path: string): boolean {
  if (existsSync(path)) return false
  process.stdout.write(`# ${path} is missing: the public collection is skipped, and only the cases of this repository run\n`)
  return true
}
