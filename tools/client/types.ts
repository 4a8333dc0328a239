import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

export interface TypeBundleOptions {
  /** The libraries of TypeScript that the types may use. */
  readonly libs?: readonly string[]
  /** Of another bundle: names that are declared there are imported from `from`, so that both bundles mean the same type. */
  readonly others?: { readonly entry: string; readonly from: string }
}

/**
 * Bundles the types of everything that the entry exports into one text. Declarations that no export needs are left out. Throws when a file does
 * not compile.
 */
export function bundleTypes(entry: string, { libs = ['lib.es2022.d.ts'], others }: TypeBundleOptions = {}): string {
  const emitted = emitTypes(others === undefined ? [entry] : [entry, others.entry], { ...options, lib: [...libs] })
  const elsewhere = others === undefined ? new Set<string>() : listReached(emitted, declarationOf(others.entry))
  const paths = [...listReached(emitted, declarationOf(entry))].filter((path) => !elsewhere.has(path))
  const files = paths.map((path) => readEmitted(emitted, path))
  const exports = printExports(readEmitted(emitted, declarationOf(entry)))
  const imported = listNamesFrom(files, elsewhere)
  const needed = keepNeeded(
    files.flatMap((file) => file.statements.filter((statement) => !isOurImport(statement) && !ts.isExportDeclaration(statement))),
    exports,
  )
  const declarations = needed.map((statement) =>
    statement
      .getFullText()
      .replace(/^export (declare )?/m, '$1')
      .replace(/^\n+/, '\n'),
  )
  const imports = imported.length === 0 ? '' : `import type { ${imported.join(', ')} } from '${others?.from ?? ''}';\n`
  return [imports, declarations.join(''), exports].filter((text) => text !== '').join('\n')
}

/** The declaration files that a file needs, itself included, those that others need first. */
function listReached(emitted: ReadonlyMap<string, ts.SourceFile>, entry: string): Set<string> {
  const reached = new Set<string>()
  const started = new Set<string>()
  const visit = (path: string): void => {
    if (started.has(path)) return
    started.add(path)
    for (const imported of listImported(readEmitted(emitted, path))) visit(imported)
    reached.add(path)
  }
  visit(entry)
  return reached
}

function readEmitted(emitted: ReadonlyMap<string, ts.SourceFile>, path: string): ts.SourceFile {
  const file = emitted.get(path)
  if (file === undefined) throw new Error(`${basename(path)} was not emitted`)
  return file
}

/** The names that files import, or pass on, from declaration files of another bundle. */
function listNamesFrom(files: readonly ts.SourceFile[], elsewhere: ReadonlySet<string>): string[] {
  const names = files.flatMap((file) =>
    file.statements.flatMap((statement) => {
      const specifier = importedFrom(statement)
      if (specifier === null || !elsewhere.has(declarationOf(resolveImport(file, specifier)))) return []
      const bindings = ts.isImportDeclaration(statement)
        ? statement.importClause?.namedBindings
        : ts.isExportDeclaration(statement)
          ? statement.exportClause
          : undefined
      return bindings !== undefined && (ts.isNamedImports(bindings) || ts.isNamedExports(bindings))
        ? bindings.elements.map((element) => element.getText().replace(/^type /, ''))
        : []
    }),
  )
  return [...new Set(names)].sort()
}

/** The declarations that the exports name, directly or not, and those of global scope or of other modules. */
function keepNeeded(statements: readonly ts.Statement[], exports: string): ts.Statement[] {
  const wordsOf = (text: string): string[] => text.match(/[\w$]+/g) ?? []
  const needed = new Set(wordsOf(exports))
  const kept = new Set<ts.Statement>()
  for (let size = -1; size < kept.size;) {
    size = kept.size
    for (const statement of statements) {
      const names = declaredNames(statement)
      if (kept.has(statement) || (names !== null && !names.some((name) => needed.has(name)))) continue
      kept.add(statement)
      for (const word of wordsOf(statement.getText())) needed.add(word)
    }
  }
  return statements.filter((statement) => kept.has(statement))
}

/** Null: the statement is always kept, as an import of another package or an augmentation is. */
function declaredNames(statement: ts.Statement): string[] | null {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map(({ name }) => name.getText())
  if (ts.isModuleDeclaration(statement)) return null
  return ts.isDeclarationStatement(statement) && statement.name !== undefined ? [statement.name.getText()] : null
}

function emitTypes(entries: readonly string[], compilerOptions: ts.CompilerOptions): ReadonlyMap<string, ts.SourceFile> {
  const host = ts.createCompilerHost(compilerOptions)
  const read = host.getSourceFile.bind(host)
  // TypeScript's own libraries are large and the same for every entry.
  host.getSourceFile = (path, ...rest) => {
    if (!/[\\/]typescript[\\/]lib[\\/]/.test(path)) return read(path, ...rest)
    const found = libraries.get(path) ?? read(path, ...rest)
    if (found !== undefined) libraries.set(path, found)
    return found
  }
  const program = ts.createProgram(entries, compilerOptions, host)
  const emitted = new Map<string, ts.SourceFile>()
  const result = program.emit(undefined, (path, text) => emitted.set(path, ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)))
  const diagnostics = [...ts.getPreEmitDiagnostics(program), ...result.diagnostics]
  if (diagnostics.length > 0)
    throw new Error(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n')).join('\n'))
  return emitted
}

function listImported(file: ts.SourceFile): string[] {
  return file.statements.flatMap((statement) => {
    const specifier = importedFrom(statement)
    return specifier === null ? [] : [declarationOf(resolveImport(file, specifier))]
  })
}

/** The file of this repository that a statement imports or exports from; null for another statement, and for packages of others. */
function importedFrom(statement: ts.Statement): string | null {
  const isImport = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)
  const specifier = isImport ? statement.moduleSpecifier : undefined
  return specifier !== undefined && ts.isStringLiteral(specifier) && /^(\.|@tessera\/)/.test(specifier.text) ? specifier.text : null
}

/** Of this repository, only the contract is imported by its package name. */
function resolveImport(file: ts.SourceFile, specifier: string): string {
  const [, name] = /^@tessera\/contract\/(.+)$/.exec(specifier) ?? []
  return name === undefined ? join(dirname(file.fileName), specifier) : join(root, 'contract', 'src', `${name}.ts`)
}

/** Imports of other packages stay: a user of the types has the package. */
function isOurImport(statement: ts.Statement): boolean {
  return ts.isImportDeclaration(statement) && importedFrom(statement) !== null
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
