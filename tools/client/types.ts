import { basename, dirname, join } from 'node:path'
import ts from 'typescript'

/** Writes the types of everything that the entry exports into one text that imports nothing. Throws when a file does not compile. */
export function bundleTypes(entry: string): string {
  const emitted = emitTypes(entry)
  const parts = new Map<string, string>()
  const visit = (path: string): void => {
    if (parts.has(path)) return
    parts.set(path, '')
    const file = emitted.get(path)
    if (file === undefined) throw new Error(`${basename(path)} was not emitted`)
    for (const imported of listImported(file)) visit(imported)
    parts.set(path, path === declarationOf(entry) ? printExports(file) : printDeclarations(file))
  }
  visit(declarationOf(entry))
  // The entry was met first and is printed last: what it exports stands under everything that it names.
  const [exports = '', ...declarations] = parts.values()
  return [...declarations, exports].filter((text) => text !== '').join('\n')
}

function emitTypes(entry: string): ReadonlyMap<string, ts.SourceFile> {
  const program = ts.createProgram([entry], options)
  const emitted = new Map<string, ts.SourceFile>()
  const result = program.emit(undefined, (path, text) => emitted.set(path, ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)))
  const faults = [...ts.getPreEmitDiagnostics(program), ...result.diagnostics]
  if (faults.length > 0) throw new Error(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n'))
  return emitted
}

function listImported(file: ts.SourceFile): string[] {
  return file.statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
    const specifier = isImport ? statement.moduleSpecifier : undefined
    return specifier !== undefined && ts.isStringLiteral(specifier) ? [declarationOf(join(dirname(file.fileName), specifier.text))] : []
  })
}

/** Everything declared, exported or not, as a name of the one file. */
function printDeclarations(file: ts.SourceFile): string {
  const declarations = file.statements.filter((statement) => !ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement))
  return declarations.map((statement) => statement.getFullText().replace(/^export (declare )?/m, '$1')).join('')
}

function printExports(file: ts.SourceFile): string {
  const lines = file.statements.filter(ts.isExportDeclaration).map((statement) => {
    return `export ${statement.isTypeOnly ? 'type ' : ''}${statement.exportClause?.getText() ?? '{}'};`
  })
  return `${lines.join('\n')}\n`
}

function declarationOf(path: string): string {
  return path.replace(/\.ts$/, '.d.ts')
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts'],
  types: ['node'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  declaration: true,
  emitDeclarationOnly: true,
}
