import ts from 'typescript'
import type { Tree } from '../tree.ts'
import { lineOf, type Finding } from './finding.ts'
import { isTest } from './kinds.ts'

/** One test or suite in the source: its title behind the titles of the suites around it. */
type Titled = { path: string; line: number; title: string; isSuite: boolean }

/** A check: each title is a fact said once; no test is left out or singled out; no test file is without an assertion. */
export function checkTitles(tree: Tree): Finding[] {
  const paths = tree.paths.filter(isTest)
  const tests = paths.flatMap((path) => listTitles(tree, path)).filter(({ isSuite }) => !isSuite)
  return [...findTwice(tests), ...paths.flatMap((path) => [...findMarks(tree, path), ...findUnasserted(tree, path)])]
}

function findTwice(tests: readonly Titled[]): Finding[] {
  const first = new Map<string, Titled>()
  return tests.flatMap((titled) => {
    const earlier = first.get(titled.title)
    if (earlier === undefined) first.set(titled.title, titled)
    return earlier === undefined
      ? []
      : [{ ...place(titled), text: `"${titled.title}" is a title already at ${earlier.path}:${earlier.line}` }]
  })
}

function place({ path, line }: Titled): { path: string; line: number } {
  return { path, line }
}

function listTitles(tree: Tree, path: string): Titled[] {
  const file = tree.parse(path)
  const found: Titled[] = []
  const visit = (node: ts.Node, around: string): void => {
    const spoken = readTest(node)
    if (spoken === null) return ts.forEachChild(node, (child) => visit(child, around))
    const title = around === '' ? spoken.title : `${around} › ${spoken.title}`
    found.push({ path, line: lineOf(file, node), title, isSuite: spoken.isSuite })
    ts.forEachChild(node, (child) => visit(child, title))
  }
  visit(file, '')
  return found
}

/** `test('…')`, `describe('…')`, `t.test('…')`; a template counts by its text, holes included. */
function readTest(node: ts.Node): { title: string; isSuite: boolean } | null {
  if (!ts.isCallExpression(node)) return null
  const name = calleeName(node.expression)
  const first = node.arguments[0]
  if (name === null || first === undefined || !(ts.isStringLiteralLike(first) || ts.isTemplateExpression(first))) return null
  return {
    title: ts.isStringLiteralLike(first) ? first.text : first.getText().slice(1, -1),
    isSuite: name === 'describe' || name === 'suite',
  }
}

const testNames = ['test', 'it', 'describe', 'suite']

function calleeName(callee: ts.Expression): string | null {
  if (ts.isIdentifier(callee)) return testNames.includes(callee.text) ? callee.text : null
  if (!ts.isPropertyAccessExpression(callee)) return null
  if (callee.name.text === 'test' && ts.isIdentifier(callee.expression)) return 'test'
  return marks.includes(callee.name.text) ? calleeName(callee.expression) : null
}

const marks = ['only', 'skip', 'todo']

function findMarks(tree: Tree, path: string): Finding[] {
  const file = tree.parse(path)
  const findings: Finding[] = []
  const visit = (node: ts.Node): void => {
    const mark = readMark(node)
    if (mark !== null)
      findings.push({ path, line: lineOf(file, node), text: `${mark}: every test runs, every time (tools/skips.ts tells the exceptions)` })
    ts.forEachChild(node, visit)
  }
  visit(file)
  return findings
}

/** `test.only(…)`, `t.skip()`, `test('…', { todo: true }, …)`. */
function readMark(node: ts.Node): string | null {
  if (!ts.isCallExpression(node)) return null
  const { expression: callee } = node
  if (ts.isPropertyAccessExpression(callee) && marks.includes(callee.name.text)) {
    const onTest = calleeName(callee.expression) !== null
    const onContext = ts.isIdentifier(callee.expression) && isTestContext(callee.expression)
    if (onTest || onContext) return `.${callee.name.text}`
  }
  const options = calleeName(callee) === null ? undefined : node.arguments.find(ts.isObjectLiteralExpression)
  const option = options?.properties.find((property) => marks.includes(property.name?.getText() ?? ''))
  return option === undefined ? null : `{ ${option.name?.getText() ?? ''} }`
}

/** Whether a name is the first parameter of the function of a test. */
function isTestContext(name: ts.Identifier): boolean {
  for (let node: ts.Node = name; !ts.isSourceFile(node); node = node.parent) {
    if (!ts.isArrowFunction(node) && !ts.isFunctionExpression(node)) continue
    if (readTest(node.parent) !== null && node.parameters[0]?.name.getText() === name.text) return true
  }
  return false
}

/** A file whose tests live in a suite that it runs asserts there. */
function findUnasserted(tree: Tree, path: string): Finding[] {
  let asserts = !path.endsWith('.test.ts')
  const visit = (node: ts.Node): void => {
    const isSuiteImport = ts.isImportDeclaration(node) && /\.suite\.ts['"]$/.test(node.moduleSpecifier.getText())
    const isAssertion = ts.isCallExpression(node) && /(^|\.)assert(\.|$)|^fc\.assert$/.test(node.expression.getText())
    asserts ||= isSuiteImport || isAssertion
    if (!asserts) ts.forEachChild(node, visit)
  }
  visit(tree.parse(path))
  return asserts ? [] : [{ path, line: 1, text: 'asserts nothing: a test that cannot fail protects nothing' }]
}
