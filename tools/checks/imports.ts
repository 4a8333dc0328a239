import { posix } from 'node:path'
import ts from 'typescript'
import type { Tree } from '../tree.ts'
import { lineOf } from './finding.ts'

/** One import of a file: the specifier, and the file that it resolves to. */
export type Import = {
  line: number
  specifier: string
  /** The path of a file of this repository; null for a package or a builtin. */
  target: string | null
  /** Whether it is removed with the types. */
  isType: boolean
}

/** Every import of a file: static, `export from`, dynamic, and the files of workers (`new URL('…', import.meta.url)`). */
export function listImports(tree: Tree, path: string): Import[] {
  const file = tree.parse(path)
  const found: Import[] = []
  const add = (node: ts.Node, specifier: string, isType: boolean): void => {
    found.push({ line: lineOf(file, node), specifier, target: resolveImport(path, specifier), isType })
  }
  const visit = (node: ts.Node): void => {
    const imported = readImport(node)
    if (imported !== null) add(node, imported.specifier, imported.isType)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** `./x.ts` and `@tessera/vault/seal` are files of this repository; everything else is a package or a builtin. */
export function resolveImport(from: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return posix.join(posix.dirname(from), specifier)
  const [, folder, file] = /^@tessera\/([^/]+)\/(.+)$/.exec(specifier) ?? []
  return folder === undefined || file === undefined ? null : `${folder}/src/${file}.ts`
}

/** `@scope/name/deep` → `@scope/name`; null for builtins and for files of this repository. */
export function packageOf({ specifier, target }: Import): string | null {
  if (target !== null || specifier.startsWith('node:')) return null
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
}

function readImport(node: ts.Node): { specifier: string; isType: boolean } | null {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return { specifier: node.moduleSpecifier.text, isType: node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword }
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier)) {
    return { specifier: node.moduleSpecifier.text, isType: node.isTypeOnly }
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return { specifier: node.argument.literal.text, isType: true }
  }
  const [first, second] = ts.isCallExpression(node) || ts.isNewExpression(node) ? (node.arguments ?? []) : []
  if (first === undefined || !ts.isStringLiteralLike(first)) return null
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return { specifier: first.text, isType: false }
  const isFileUrl = ts.isNewExpression(node) && node.expression.getText() === 'URL' && second?.getText() === 'import.meta.url'
  return isFileUrl && /^\.{1,2}\/.*\.ts$/.test(first.text) ? { specifier: first.text, isType: false } : null
}
