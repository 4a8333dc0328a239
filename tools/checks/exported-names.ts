import ts from 'typescript'
import type { Tree } from '../tree.ts'
import { lineOf, type CheckFinding } from './finding.ts'
import { isCode } from './kinds.ts'

/** A check: an exported name is declared in one file of the repository, tests, fixtures and examples included. A search for it finds one thing. */
export function checkExportedNames(tree: Tree): CheckFinding[] {
  const firstPaths = new Map<string, string>()
  return tree.paths.filter(isCode).flatMap((path) =>
    listExported(tree, path).flatMap(({ name, line }) => {
      const firstPath = firstPaths.get(name)
      if (firstPath === undefined) firstPaths.set(name, path)
      if (firstPath === undefined || firstPath === path) return []
      return [{ path, line, text: `exports "${name}", which ${firstPath} exports too: rename one of them` }]
    }),
  )
}

/** The names that a file itself declares and exports; one that it passes on from another file is not its own. */
function listExported(tree: Tree, path: string): { name: string; line: number }[] {
  const file = tree.parse(path)
  return file.statements
    .filter(isExported)
    .flatMap((statement) => listNames(statement).map((name) => ({ name, line: lineOf(file, statement) })))
}

function isExported(statement: ts.Statement): boolean {
  return ts.canHaveModifiers(statement) && (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
}

function listNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.flatMap(({ name }) => listBound(name))
  const isNamed =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement) ||
    ts.isEnumDeclaration(statement)
  return isNamed && statement.name !== undefined ? [statement.name.text] : []
}

/** `export const { a, b: [c] } = …` declares a and c. */
function listBound(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text]
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? listBound(element.name) : []))
}
