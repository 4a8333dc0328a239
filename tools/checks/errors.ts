import ts from 'typescript'
import type { Tree } from '../tree.ts'
import { isTest } from './kinds.ts'
import type { CheckFinding } from './finding.ts'

/** An entry of the table of errors, as far as this check reads it. */
export type CheckedError = { reason: string; code: number; text: Readonly<Record<string, string>>; hint: string }

const path = 'contract/src/errors.ts'
const languages = ['en', 'ru', 'uz']

/** A check: every error has texts in three languages, a reason that is unique within its code, a hint, and code that throws it. */
export function checkErrors(tree: Tree, errors: Readonly<Record<string, CheckedError>>): CheckFinding[] {
  const strings = listStrings(tree)
  // One reason may occur under two codes: an expired card at verification and at payment.
  const causes = Object.values(errors).map(causeOf)
  return Object.entries(errors).flatMap(([name, entry]) => {
    const complaints = [...judgeEntry(entry, causes), ...(strings.has(name) ? [] : ['nothing in service/ throws it'])]
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

/** Every string in the code of the service: an error is thrown by its name, or found in a table by it. */
function listStrings(tree: Tree): Set<string> {
  const strings = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) strings.add(node.text)
    ts.forEachChild(node, visit)
  }
  for (const file of tree.paths)
    if (/^(service|contract)\/src\/.*\.ts$/.test(file) && file !== path && !isTest(file)) visit(tree.parse(file))
  return strings
}

function lineOfEntry(tree: Tree, name: string): number {
  const lines = tree.has(path) ? tree.read(path).split('\n') : []
  return Math.max(1, lines.findIndex((line) => line.startsWith(`  ${name}: {`)) + 1)
}
