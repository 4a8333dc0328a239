import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/**
 * Bundles the types of everything that the entry exports into one text without imports. `libs` are the libraries of TypeScript that it may use.
 * Throws when a file does not compile.
 */
export function bundleTypes(entry: string, libs: readonly string[] = ['lib.es2022.d.ts']): string {
  const emitted = emitTypes(entry, { ...options, lib: [...libs] })
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
  // The entry was visited first and is printed last, below every declaration that it exports.
  const [exports = '', ...declarations] = parts.values()
  return [...declarations, exports].filter((text) => text !== '').join('\n')
}

function emitTypes(entry: string, compilerOptions: ts.CompilerOptions): ReadonlyMap<string, ts.SourceFile> {
  const host = ts.createCompilerHost(compilerOptions)
  const read = host.getSourceFile.bind(host)
  // TypeScript's own libraries are large and the same for every entry.
  host.getSourceFile = (path, ...rest) => {
    if (!/[\\/]typescript[\\/]lib[\\/]/.test(path)) return read(path, ...rest)
    const found = libraries.get(path) ?? read(path, ...rest)
    if (found !== undefined) libraries.set(path, found)
    return found
  }
  const program = ts.createProgram([entry], compilerOptions, host)
  const emitted = new Map<string, ts.SourceFile>()
  const result = program.emit(undefined, (path, text) => emitted.set(path, ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)))
  const diagnostics = [...ts.getPreEmitDiagnostics(program), ...result.diagnostics]
  if (diagnostics.length > 0)
    throw new Error(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n'))
  return emitted
}

function listImported(file: ts.SourceFile): string[] {
  return file.statements.flatMap((statement) => {
    const isImport = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
    const specifier = isImport ? statement.moduleSpecifier : undefined
    const isOurs = specifier !== undefined && ts.isStringLiteral(specifier) && /^(\.|@tessera\/)/.test(specifier.text)
    return isOurs ? [declarationOf(resolveImport(file, specifier.text))] : []
  })
}

/** Of this repository, only the contract is imported by its package name. */
function resolveImport(file: ts.SourceFile, specifier: string): string {
  const [, name] = /^@tessera\/contract\/(.+)$/.exec(specifier) ?? []
  return name === undefined ? join(dirname(file.fileName), specifier) : join(root, 'contract', 'src', `${name}.ts`)
}

/** Every declaration, exported or not, as part of the one file. */
function printDeclarations(file: ts.SourceFile): string {
  const declarations = file.statements.filter((statement) => !isOurImport(statement) && !ts.isExportDeclaration(statement))
  return declarations.map((statement) => statement.getFullText().replace(/^export (declare )?/m, '$1')).join('')
}

/** Imports of other packages stay: a user of the types has the package. */
function isOurImport(statement: ts.Statement): boolean {
  return (
    ts.isImportDeclaration(statement) &&
    ts.isStringLiteral(statement.moduleSpecifier) &&
    /^(\.|@tessera\/)/.test(statement.moduleSpecifier.text)
  )
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

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

const libraries = new Map<string, ts.SourceFile>()

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  types: ['node'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  declaration: true,
  emitDeclarationOnly: true,
  // As sources, because files found in a package are not emitted.
  paths: { '@tessera/contract/*': [join(root, 'contract', 'src', '*.ts')] },
}
