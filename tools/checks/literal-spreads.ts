import ts from 'typescript'
import type { Tree } from '../tree.ts'
import { lineOf, type CheckFinding } from './finding.ts'
import { isCode } from './kinds.ts'

/** A check: nothing spreads a literal (`...{ a, b }`, `...[x, y]`). Its only effect is on the formatter's line breaks, and it hides the members. */
export function checkLiteralSpreads(tree: Tree): CheckFinding[] {
  return tree.paths.filter(isCode).flatMap((path) => {
    const file = tree.parse(path)
    const findings: CheckFinding[] = []
    const visit = (node: ts.Node): void => {
      if (isLiteralSpread(node))
        findings.push({ path, line: lineOf(file, node), text: 'spreads a literal: write its members in its place' })
      ts.forEachChild(node, visit)
    }
    visit(file)
    return findings
  })
}

function isLiteralSpread(node: ts.Node): boolean {
  if (!ts.isSpreadElement(node) && !ts.isSpreadAssignment(node)) return false
  let { expression } = node
  while (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression) || ts.isSatisfiesExpression(expression))
    expression = expression.expression
  return ts.isObjectLiteralExpression(expression) || ts.isArrayLiteralExpression(expression)
}
