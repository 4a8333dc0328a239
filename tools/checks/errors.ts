import ts from 'typescript'
import type { Tree } from '../tree.ts'
import { isTest } from './kinds.ts'
import type { Finding } from './finding.ts'

/** An entry of the table of errors, as far as this check reads it. */
export type CheckedError = { reason: string; code: number; text: Readonly<Record<string, string>>; hint: string }

const path = 'contract/src/errors.ts'
const languages = ['en', 'ru', 'uz']

/** A check: every error speaks three languages, has a reason of its own under its code, says what to do, and is thrown somewhere. */
export function checkErrors(tree: Tree, errors: Readonly<Record<string, CheckedError>>): Finding[] {
  const words = listWords(tree)
  // One cause may be told under two codes: an expired card at the code and at the payment.
  const causes = Object.values(errors).map(causeOf)
  return Object.entries(errors).flatMap(([name, entry]) => {
    const complaints = [...judgeEntry(entry, causes), ...(words.has(name) ? [] : ['nothing in service/ throws it'])]
    return complaints.map((complaint) => ({ path, line: lineOfEntry(tree, name), text: `${name}: ${complaint}` }))
  })
}

function judgeEntry(entry: CheckedError, causes: readonly string[]): string[] {
  const { reason, code, text, hint } = entry
  return [
    ...languages.filter((language) => (text[language] ?? '').trim() === '').map((language) => `no text in ${language}`),
    ...(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(reason) ? [] : [`the reason "${reason}" is not snake_case`]),
    ...(causes.filter((other) => other === causeOf(entry)).length === 1 ? [] : [`the reason "${reason}" is another error's too`]),
    ...(Number.isInteger(code) && code < 0 ? [] : [`the code ${code} is not a negative integer`]),
    ...(hint.trim() === '' ? ['no hint'] : []),
  ]
}

function causeOf({ code, reason }: CheckedError): string {
  return `${code} ${reason}`
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
