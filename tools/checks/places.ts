import ts from 'typescript'
import type { Tree } from '../tree.ts'
import { lineOf, type CheckFinding } from './finding.ts'
import { isCode, isShipped, isTest } from './kinds.ts'

/** A construct that is allowed in few places: how it is recognized, which files are judged, where it is allowed, and what to do elsewhere. */
type PlaceRule = {
  find: (node: ts.Node) => string | null
  judges: (path: string) => boolean
  allowed: readonly RegExp[]
  instead: string
}

/** The digits of a PAN. Tests are judged as well. */
const reveal: PlaceRule = {
  find: (node) => (ts.isPropertyAccessExpression(node) && node.name.text === 'reveal' ? '.reveal' : null),
  judges: isCode,
  allowed: [
    /^vault\//,
    /^browser\/frame\//,
    /^service\/src\/adapters\/network\//,
    /^service\/src\/adapters\/sandbox\/network(\.test)?\.ts$/,
    /^contract\/src\/card\.test\.ts$/,
  ],
  instead: 'a PAN is read in the vault, the frame and the networks only (ARCHITECTURE.md, invariant 1)',
}

const sql: PlaceRule = {
  find: (node) => (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) ? readSql(node.text) : null),
  judges: isShipped,
  allowed: [/^service\/src\/store\//],
  instead: 'export it from the file of its table (service/src/store/)',
}

const wire: PlaceRule = {
  find: (node) => (isTypeOrAddressTest(node) ? null : (readModule(node, wireModules) ?? readGlobalCall(node, ['fetch']))),
  judges: isShipped,
  allowed: [
    /^service\/src\/server\/http\//,
    /^service\/src\/(adapters|domain\/webhooks)\//,
    /^service\/src\/ops\/cli\/((control|doctor)[^/]*\.ts$|canary\/)/,
    /^(client|browser|dashboard|form-check)\//,
  ],
  instead: 'sockets and HTTP live in server/http, adapters, domain/webhooks, ops/cli/control, ops/cli/doctor and ops/cli/canary',
}

const environment: PlaceRule = {
  find: (node) => {
    const isProperty = ts.isPropertyAccessExpression(node) && node.getText() === 'process.env'
    const isImported =
      ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === 'env' && importedFrom(node) === 'node:process'
    return isProperty || isImported ? 'process.env' : null
  },
  judges: isShipped,
  allowed: [/^service\/src\/ops\/config\/config\.ts$/, /^(form-check)\//],
  instead: 'add a setting to service/src/ops/config/config.ts and pass it in',
}

const clock: PlaceRule = {
  find: readTime,
  judges: isShipped,
  allowed: [
    /^service\/src\/(main|app|app\/services|app\/http)\.ts$/,
    /^service\/src\/(system-)?clock\.ts$/,
    /^service\/src\/ops\/cli\//,
    /^(browser|client|dashboard|form-check)\//,
  ],
  instead: 'use the clock that is passed in (service/src/clock.ts)',
}

/** Adapters may measure and limit their own waiting; the domain waits by the clock. */
const timers: PlaceRule = {
  find: (node) =>
    readMeasure(node) ?? readGlobalCall(node, ['setTimeout', 'setInterval']) ?? readModule(node, ['node:timers', 'node:timers/promises']),
  judges: isShipped,
  allowed: [...clock.allowed, /^service\/src\/(server|store|adapters|domain\/webhooks|ops\/logging|ops\/metrics)\//, /^client\//],
  instead: 'wait by the clock that is passed in (service/src/clock.ts)',
}

const randomness: PlaceRule = {
  find: readRandom,
  judges: isShipped,
  allowed: [
    /^service\/src\/main\.ts$/,
    /^service\/src\/(system-)?clock\.ts$/,
    /^vault\//,
    /^service\/src\/adapters\/kms\//,
    /^(browser|client|dashboard|form-check)\//,
  ],
  instead: 'use the randomness that is passed in, or that of the vault',
}

const drivers: readonly PlaceRule[] = [
  {
    find: (node) => readModule(node, ['pg']),
    judges: isShipped,
    allowed: [/^service\/src\/store\/postgres\//],
    instead: 'only store/postgres uses the driver of PostgreSQL',
  },
  {
    find: (node) => readModule(node, ['node:sqlite']),
    judges: isShipped,
    allowed: [/^service\/src\/store\/sqlite\//],
    instead: 'only store/sqlite uses the driver of SQLite',
  },
  {
    find: (node) => readModule(node, ['pino']),
    judges: isShipped,
    allowed: [/^service\/src\/ops\/logging\//],
    instead: 'use the log that is passed in',
  },
]

const places: readonly PlaceRule[] = [reveal, sql, wire, environment, clock, timers, randomness, ...drivers]

/** A check: the digits of a PAN, SQL, sockets, settings, time, randomness and drivers are used only where they belong. */
export function checkPlaces(tree: Tree): CheckFinding[] {
  return [...tree.paths.filter(isCode).flatMap((path) => findMisplaced(tree, path)), ...findMisplacedSql(tree)]
}

function findMisplaced(tree: Tree, path: string): CheckFinding[] {
  const foreign = places.filter((place) => place.judges(path) && !place.allowed.some((pattern) => pattern.test(path)))
  const file = tree.parse(path)
  const findings: CheckFinding[] = []
  const visit = (node: ts.Node): void => {
    for (const place of foreign) {
      const what = place.find(node)
      if (what !== null) findings.push({ path, line: lineOf(file, node), text: `${what}: ${place.instead}` })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return findings
}

function findMisplacedSql(tree: Tree): CheckFinding[] {
  const strays = tree.paths.filter((path) => path.endsWith('.sql') && !path.startsWith('service/src/store/') && !isTest(path))
  return strays.map((path) => ({ path, line: 1, text: `an SQL file: ${sql.instead}` }))
}

const wireModules = ['node:http', 'node:https', 'node:http2', 'node:net', 'node:tls', 'node:dgram', 'undici']

/** A type opens no socket, and neither does a test of an address. */
function isTypeOrAddressTest(node: ts.Node): boolean {
  if (!ts.isImportDeclaration(node) || node.importClause?.name !== undefined) return false
  if (node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const names = node.importClause?.namedBindings
  return (
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.every(({ name, isTypeOnly }) => isTypeOnly || /^isIP(v4|v6)?$|^BlockList$/.test(name.text))
  )
}

/** Matches statements and not English: a verb with what must follow it. */
const statement = new RegExp(
  [
    String.raw`^\s*select\s[\s\S]+\sfrom\s`,
    String.raw`^\s*select\s+\d+\s*$`,
    String.raw`\binsert\s+(or\s+\w+\s+)?into\s+\w+`,
    String.raw`\bupdate\s+\w+\s+set\s`,
    String.raw`\bdelete\s+from\s+\w+`,
    String.raw`\b(create|alter|drop)\s+(table|index|unique index|view|database)\s`,
    String.raw`^\s*with\s+\w+\s+as\s*\(`,
    String.raw`^\s*(begin|commit|rollback|savepoint\s+\w+|pragma\s+\w+.*)\s*;?\s*$`,
  ].join('|'),
  'i',
)

/** A text that begins with one capital letter is a sentence. */
function readSql(text: string): string | null {
  return statement.test(text) && !/^[A-Z][a-z]/.test(text.trim()) ? `SQL (${text.trim().slice(0, 24)}…)` : null
}

function readModule(node: ts.Node, modules: readonly string[]): string | null {
  const specifier = ts.isImportDeclaration(node) || ts.isExportDeclaration(node) ? node.moduleSpecifier : readDynamicImport(node)
  if (specifier === undefined || !ts.isStringLiteralLike(specifier)) return null
  return modules.includes(specifier.text) ? specifier.text : null
}

function readDynamicImport(node: ts.Node): ts.Expression | undefined {
  return ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword ? node.arguments[0] : undefined
}

function readGlobalCall(node: ts.Node, names: readonly string[]): string | null {
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) && names.includes(node.expression.text) ? node.expression.text : null
}

function readTime(node: ts.Node): string | null {
  if (ts.isNewExpression(node) && node.expression.getText() === 'Date' && (node.arguments?.length ?? 0) === 0) return 'new Date()'
  if (ts.isCallExpression(node) && node.expression.getText() === 'Date') return 'Date()'
  return ts.isPropertyAccessExpression(node) && node.getText() === 'Date.now' ? 'Date.now' : null
}

const measures = ['performance.now', 'process.hrtime', 'process.hrtime.bigint']

function readMeasure(node: ts.Node): string | null {
  return ts.isPropertyAccessExpression(node) && measures.includes(node.getText()) ? node.getText() : null
}

const randomDrawers = [
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
  'randomUUID',
  'getRandomValues',
  'generateKeySync',
  'generateKey',
]

function readRandom(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node) && node.getText() === 'Math.random') return 'Math.random'
  if (ts.isPropertyAccessExpression(node) && /(^|\.)crypto$/.test(node.expression.getText())) return drawer(node.name.text)
  return ts.isImportSpecifier(node) && importedFrom(node) === 'node:crypto' ? drawer((node.propertyName ?? node.name).text) : null
}

function drawer(name: string): string | null {
  return randomDrawers.includes(name) ? name : null
}

function importedFrom(node: ts.ImportSpecifier): string {
  const specifier = node.parent.parent.parent.moduleSpecifier
  return ts.isStringLiteral(specifier) ? specifier.text : ''
}
