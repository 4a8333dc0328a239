import ts from 'typescript'
import type { Tree } from '../tree.ts'
import { isTest } from './kinds.ts'
import type { Finding } from './finding.ts'

/** An entry of the table of errors, as far as this check reads it. */
export type CheckedError = { reason: string; code: number; text: Readonly<Record<string, string>>; hint: string }

const path = 'contract/src/errors.ts'
const languages = ['en', 'ru', 'uz']

/** A check: every error speaks three languages, has a reason of its own, says what to do, and is thrown somewhere. */
export function checkErrors(tree: Tree, errors: Readonly<Record<string, CheckedError>>): Finding[] {
  const words = listWords(tree)
  const reasons = Object.values(errors).map(({ reason }) => reason)
  return Object.entries(errors).flatMap(([name, entry]) => {
    const complaints = [...judgeEntry(entry, reasons), ...(words.has(name) ? [] : ['nothing in service/ throws it'])]
    return complaints.map((complaint) => ({ path, line: lineOfEntry(tree, name), text: `${name}: ${complaint}` }))
  })
}

function judgeEntry({ reason, code, text, hint }: CheckedError, reasons: readonly string[]): string[] {
  return [
    ...languages.filter((language) => (text[language] ?? '').trim() === '').map((language) => `no text in ${language}`),
    ...(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(reason) ? [] : [`the reason "${reason}" is not snake_case`]),
    ...(reasons.filter((other) => other === reason).length === 1 ? [] : [`the reason "${reason}" is another error's too`]),
    ...(Number.isInteger(code) && code < 0 ? [] : [`the code ${code} is not a negative integer`]),
    ...(hint.trim() === '' ? ['no hint'] : []),
  ]
}

/** Every string that the service's own code says: an error is thrown by its name, or picked by it from a table. */
function listWords(tree: Tree): Set<string> {
  const words = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) words.add(node.text)
    ts.forEachChild(node, visit)
  }
  for (const file of tree.paths)
    if (/^(service|contract)\/src\/.*\.ts$/.test(file) && file !== path && !isTest(file)) visit(tree.parse(file))
  return words
}

function lineOfEntry(tree: Tree, name: string): number {
  const lines = tree.has(path) ? tree.read(path).split('\n') : []
  return Math.max(1, lines.findIndex((line) => line.startsWith(`  ${name}: {`)) + 1)
}
