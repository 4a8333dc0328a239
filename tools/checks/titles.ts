import ts from 'typescript'
import { allowedSkips } from '../skips.ts'
import type { Tree } from '../tree.ts'
import { lineOf, type CheckFinding } from './finding.ts'
import { isTest } from './kinds.ts'

/** One test or suite in the source. Its title begins with the titles of the suites around it. */
type TitledTest = { path: string; line: number; title: string; isSuite: boolean }

/** A check: each title is used once; no test is skipped or singled out; every test file has an assertion. */
export function checkTitles(tree: Tree): CheckFinding[] {
  const paths = tree.paths.filter(isTest)
  const tests = paths.flatMap((path) => listTitles(tree, path)).filter(({ isSuite }) => !isSuite)
  return [...findTwice(tests), ...paths.flatMap((path) => [...findMarks(tree, path), ...findUnasserted(tree, path)])]
}

function findTwice(tests: readonly TitledTest[]): CheckFinding[] {
  const first = new Map<string, TitledTest>()
  return tests.flatMap((titled) => {
    const earlier = first.get(titled.title)
    if (earlier === undefined) first.set(titled.title, titled)
    return earlier === undefined
      ? []
      : [{ ...place(titled), text: `"${titled.title}" is already a title at ${earlier.path}:${earlier.line}` }]
  })
}

function place({ path, line }: TitledTest): { path: string; line: number } {
  return { path, line }
}

function listTitles(tree: Tree, path: string): TitledTest[] {
  const file = tree.parse(path)
  const found: TitledTest[] = []
  const visit = (node: ts.Node, around: string): void => {
    const titled = readTest(node)
    if (titled === null) return ts.forEachChild(node, (child) => visit(child, around))
    const title = around === '' ? titled.title : `${around} › ${titled.title}`
    found.push({ path, line: lineOf(file, node), title, isSuite: titled.isSuite })
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

function findMarks(tree: Tree, path: string): CheckFinding[] {
  const maySkip = allowedSkips.some((skip) => skip.file === path)
  const file = tree.parse(path)
  const findings: CheckFinding[] = []
  const visit = (node: ts.Node): void => {
    const mark = readMark(node)
    if (mark !== null && !(maySkip && mark.includes('skip')))
      findings.push({ path, line: lineOf(file, node), text: `${mark}: every test runs every time (exceptions: tools/skips.ts)` })
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

/** A file that runs a suite has its assertions there. */
function findUnasserted(tree: Tree, path: string): CheckFinding[] {
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
