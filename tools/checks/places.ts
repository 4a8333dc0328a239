import ts from 'typescript'
import type { Tree } from '../tree.ts'
import { lineOf, type Finding } from './finding.ts'
import { isCode, isShipped, isTest } from './kinds.ts'

/** A thing that belongs in few places: how it is recognised, where it may stand, and what to do elsewhere. */
type Place = { what: (node: ts.Node) => string | null; holds: (path: string) => boolean; homes: readonly RegExp[]; instead: string }

/** The digits of a PAN: tests of those places included, and no other test. */
const reveal: Place = {
  what: (node) => (ts.isPropertyAccessExpression(node) && node.name.text === 'reveal' ? '.reveal' : null),
  holds: isCode,
  homes: [
    /^vault\//,
    /^browser\/frame\//,
    /^service\/src\/network\//,
    /^service\/src\/sandbox\/network(\.test)?\.ts$/,
    /^contract\/src\/card\.test\.ts$/,
  ],
  instead: 'a PAN is read in the vault, the frame and the networks only (ARCHITECTURE.md, invariant 1)',
}

const sql: Place = {
  what: (node) => (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) ? readSql(node.text) : null),
  holds: isShipped,
  homes: [/^service\/src\/store\//],
  instead: 'ask the store a named question (service/src/store/store.ts)',
}

const wire: Place = {
  what: (node) => (isHarmless(node) ? null : (readModule(node, wireModules) ?? readGlobalCall(node, ['fetch']))),
  holds: isShipped,
  homes: [
    /^service\/src\/rpc\/(http[^/]*|server|exchange)\.ts$/,
    /^service\/src\/(sms|network|outbound|webhooks)\//,
    /^service\/src\/cli\/(control|doctor)[^/]*\.ts$/,
    /^service\/src\/observe\/admin[^/]*\.ts$/,
    /^(client|browser|dashboard|form-check)\//,
  ],
  instead:
    'sockets and HTTP live in rpc (http, server, exchange), sms, network, outbound, webhooks, cli/control, cli/doctor and observe/admin',
}

const environment: Place = {
  what: (node) => {
    const isProperty = ts.isPropertyAccessExpression(node) && node.getText() === 'process.env'
    const isImported =
      ts.isImportSpecifier(node) && (node.propertyName ?? node.name).text === 'env' && importedFrom(node) === 'node:process'
    return isProperty || isImported ? 'process.env' : null
  },
  holds: isShipped,
  homes: [/^service\/src\/config\/config\.ts$/, /^(form-check)\//],
  instead: 'add a setting to service/src/config/config.ts and have it handed in',
}

const clock: Place = {
  what: readTime,
  holds: isShipped,
  homes: [
    /^service\/src\/(main|start\/nouns)\.ts$/,
    /^service\/src\/(system-)?clock\.ts$/,
    /^service\/src\/cli\//,
    /^(browser|client|dashboard|form-check)\//,
  ],
  instead: 'take the clock that main.ts hands in (service/src/clock.ts)',
}

/** Adapters may measure their own waiting and put an end to it; rules wait by the clock. */
const timers: Place = {
  what: (node) =>
    readMeasure(node) ?? readGlobalCall(node, ['setTimeout', 'setInterval']) ?? readModule(node, ['node:timers', 'node:timers/promises']),
  holds: isShipped,
  homes: [
    ...clock.homes,
    /^service\/src\/(rpc|store|sms|network|outbound|webhooks|kms|observe)\//,
    /^service\/src\/rpc\/http[^/]*\.ts$/,
    /^client\//,
  ],
  instead: 'wait by the clock that main.ts hands in (service/src/clock.ts)',
}

const randomness: Place = {
  what: readRandom,
  holds: isShipped,
  homes: [
    /^service\/src\/main\.ts$/,
    /^service\/src\/(system-)?clock\.ts$/,
    /^vault\//,
    /^service\/src\/kms\//,
    /^(browser|client|dashboard|form-check)\//,
  ],
  instead: 'randomness is handed in from main.ts, or drawn by the vault',
}

const drivers: readonly Place[] = [
  {
    what: (node) => readModule(node, ['pg']),
    holds: isShipped,
    homes: [/^service\/src\/store\/postgres\//],
    instead: 'one folder knows PostgreSQL',
  },
  {
    what: (node) => readModule(node, ['node:sqlite']),
    holds: isShipped,
    homes: [/^service\/src\/store\/sqlite\//],
    instead: 'one folder knows SQLite',
  },
  {
    what: (node) => readModule(node, ['pino']),
    holds: isShipped,
    homes: [/^service\/src\/observe\//],
    instead: 'take the log that main.ts hands in',
  },
]

const places: readonly Place[] = [reveal, sql, wire, environment, clock, timers, randomness, ...drivers]

/** A check: a PAN's digits, SQL, sockets, settings, time and randomness each stand in their own places. */
export function checkPlaces(tree: Tree): Finding[] {
  return [...tree.paths.filter(isCode).flatMap((path) => findMisplaced(tree, path)), ...findMisplacedSql(tree)]
}

function findMisplaced(tree: Tree, path: string): Finding[] {
  const foreign = places.filter((place) => place.holds(path) && !place.homes.some((home) => home.test(path)))
  const file = tree.parse(path)
  const findings: Finding[] = []
  const visit = (node: ts.Node): void => {
    for (const place of foreign) {
      const what = place.what(node)
      if (what !== null) findings.push({ path, line: lineOf(file, node), text: `${what}: ${place.instead}` })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return findings
}

function findMisplacedSql(tree: Tree): Finding[] {
  const strays = tree.paths.filter((path) => path.endsWith('.sql') && !path.startsWith('service/src/store/') && !isTest(path))
  return strays.map((path) => ({ path, line: 1, text: `a file of SQL: ${sql.instead}` }))
}

const wireModules = ['node:http', 'node:https', 'node:http2', 'node:net', 'node:tls', 'node:dgram', 'fastify', 'undici']

/** A type opens no socket, and neither does a look at an address. */
function isHarmless(node: ts.Node): boolean {
  if (!ts.isImportDeclaration(node) || node.importClause?.name !== undefined) return false
  if (node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const names = node.importClause?.namedBindings
  return (
    names !== undefined &&
    ts.isNamedImports(names) &&
    names.elements.every(({ name, isTypeOnly }) => isTypeOnly || /^isIP(v4|v6)?$|^BlockList$/.test(name.text))
  )
}

/** Statements, not English: a verb with what must follow it. */
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

/** A capital letter first is a sentence: nobody writes `Select`. */
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
