import type { Tree } from '../tree.ts'
import type { CheckFinding } from './finding.ts'
import { listImports, packageOf, type Import } from './imports.ts'
import { isCode, isShipped, isTest } from './kinds.ts'

/**
 * Who may import whom (ARCHITECTURE.md). The row with the longest `of` that begins a file's path holds for it.
 * `x/` means everything in a folder, `x/*` the files directly in it, `types:x` that only types may be imported.
 * `packages` and `builtins`, where given, are the only npm packages and `node:` modules of that row.
 */
export type DirectionRow = { of: string; may: readonly string[]; packages?: readonly string[]; builtins?: readonly string[] }

const base = ['contract/', 'vault/', 'service/src/clock.ts', 'service/src/awaitable.ts']

/**
 * The service points one way: server → operations → domain → ports ← adapters, store. app.ts, app/ and ops/cli/ know everything; the port of an
 * adapter is known above and below by its types alone.
 */
const service: readonly DirectionRow[] = [
  { of: 'service/src/', may: ['contract/', 'service/src/*', 'types:service/src/store/'] },
  { of: 'service/src/main.ts', may: ['service/src/ops/cli/'] },
  { of: 'service/src/app.ts', may: ['contract/', 'vault/', 'service/src/'] },
  { of: 'service/src/app/', may: ['contract/', 'vault/', 'service/src/'] },
  { of: 'service/src/ops/cli/', may: ['contract/', 'vault/', 'service/src/', 'form-check/'] },

  {
    of: 'service/src/server/',
    may: [
      'contract/',
      'vault/src/id.ts',
      'service/src/clock.ts',
      'service/src/awaitable.ts',
      'service/src/server/',
      'service/src/operations/',
      'service/src/domain/',
      'service/src/plain-page.ts',
      'types:service/src/ops/config/',
    ],
  },
  {
    of: 'service/src/operations/',
    may: [
      'contract/',
      'vault/src/id.ts',
      'vault/src/token.ts',
      'service/src/clock.ts',
      'service/src/awaitable.ts',
      'service/src/operations/',
      'service/src/domain/',
      'types:service/src/store/',
      // The dashboard's pages of the sandbox and of the request log.
      'service/src/adapters/sandbox/',
      'service/src/ops/request-log/',
      'types:service/src/ops/audit/',
      'service/src/ops/version.ts',
    ],
  },
  {
    of: 'service/src/domain/',
    may: [
      ...base,
      'service/src/domain/',
      'service/src/store/',
      'types:service/src/adapters/',
      // The bounded HTTP client, with its guard against private addresses.
      'service/src/adapters/http/',
      // What a network adapter throws when it has sent nothing.
      'service/src/adapters/network/network-not-reached.ts',
      'types:service/src/ops/config/',
    ],
  },
  // A process of its own reads a page by the rules of form-check; nothing else of the running service loads the parser.
  {
    of: 'service/src/domain/page-check/',
    may: [...base, 'service/src/domain/', 'service/src/store/', 'service/src/adapters/http/', 'form-check/'],
  },
  { of: 'service/src/store/', may: [...base, 'service/src/store/'] },
  ...['sms', 'network', 'holder', 'kms', 'merchant-api', 'http', 'checkpoints'].map((folder) => ({
    of: `service/src/adapters/${folder}/`,
    may: [
      'contract/',
      folder === 'kms' ? 'vault/' : 'types:vault/',
      'service/src/clock.ts',
      'service/src/adapters/*',
      'service/src/adapters/http/',
      'service/src/adapters/sandbox/',
      `service/src/adapters/${folder}/`,
      'types:service/src/store/',
    ],
  })),
  { of: 'service/src/adapters/', may: [...base, 'service/src/adapters/', 'types:service/src/store/', 'types:service/src/ops/config/'] },
  // The sandbox plays the network and the phones of the test environment, and so reads and writes what the service stores.
  {
    of: 'service/src/adapters/sandbox/',
    may: [...base, 'service/src/adapters/', 'service/src/store/', 'types:service/src/domain/', 'service/src/plain-page.ts'],
  },

  { of: 'service/src/ops/', may: ['contract/', 'service/src/ops/*'] },
  { of: 'service/src/ops/config/', may: ['contract/', 'service/src/ops/*', 'service/src/ops/config/', 'service/src/adapters/'] },
  { of: 'service/src/ops/tracing/', may: ['contract/', 'service/src/clock.ts', 'service/src/ops/tracing/'] },
  {
    of: 'service/src/ops/audit/',
    may: [
      ...base,
      'service/src/ops/audit/',
      'service/src/store/',
      'types:service/src/adapters/checkpoints/',
      'service/src/domain/keys/key-store-mismatch.ts',
    ],
  },
  {
    of: 'service/src/ops/backup/',
    may: [...base, 'service/src/ops/backup/', 'service/src/ops/audit/', 'service/src/store/', 'service/src/domain/keys/'],
  },
  {
    of: 'service/src/ops/request-log/',
    may: [
      ...base,
      'service/src/ops/request-log/',
      'service/src/store/',
      'types:service/src/domain/',
      'types:service/src/server/',
      'types:service/src/ops/config/',
    ],
  },
  ...['logging', 'metrics', 'health'].map((folder) => ({
    of: `service/src/ops/${folder}/`,
    may: [
      ...base,
      `service/src/ops/${folder}/`,
      'service/src/store/',
      // Gauges count receipts by their states.
      'service/src/domain/payments/states.ts',
      'types:service/src/ops/',
      'types:service/src/domain/',
      'types:service/src/server/',
      'types:service/src/adapters/',
    ],
  })),
]

const developmentImports = ['client/', 'contract/', 'service/src/store/', 'tools/']

export const importDirections: readonly DirectionRow[] = [
  { of: 'contract/', may: ['contract/'], packages: ['typebox'], builtins: [] },
  { of: 'vault/', may: ['vault/', 'contract/'], packages: [], builtins: ['node:crypto'] },
  ...service,

  { of: 'browser/', may: ['contract/', 'browser/'] },
  // The only place in the browser that reads a digit, and it knows nothing of the page; the page knows only the way to it.
  { of: 'browser/frame/', may: ['contract/', 'browser/frame/'], packages: [], builtins: [] },
  {
    of: 'browser/hosted/',
    may: ['types:contract/', 'contract/src/frame.ts', 'browser/bridge/', 'browser/page/', 'browser/frame/api-call.ts', 'browser/hosted/'],
    packages: [],
    builtins: [],
  },
  { of: 'browser/bridge/', may: ['browser/bridge/', 'types:contract/', 'contract/src/frame.ts'], packages: [], builtins: [] },
  {
    of: 'browser/page/',
    may: ['types:contract/', 'contract/src/frame.ts', 'browser/bridge/', 'browser/page/'],
    packages: ['react'],
    builtins: [],
  },
  // Its form builder holds a frame of the form, by the same way to it as a merchant's page.
  { of: 'dashboard/pages/form/', may: ['contract/', 'dashboard/', 'browser/bridge/'] },
  ...['dashboard/', 'client/', 'form-check/'].map((of) => ({ of, may: ['contract/', of] })),
  { of: 'bench/', may: ['bench/', 'fault/', 'service/src/domain/freshness/', 'vault/src/id.ts', ...developmentImports] },
  { of: 'fault/', may: ['fault/', ...developmentImports] },
  // Builds the application in its own process to create cards as the service does, a million of them. What is measured runs as a process of its own.
  { of: 'fault/app-in-process.ts', may: ['fault/', 'service/src/'] },
  { of: 'fault/command-in-process.ts', may: ['service/src/ops/cli/'] },
  { of: 'fault/fill-cards.ts', may: ['fault/', 'vault/', 'service/src/'] },
  { of: 'fault/fill-merchants.ts', may: ['fault/', 'service/src/'] },
  // Replacements of modules of the service that plant a fault, so that an experiment proves that it can find one.
  { of: 'fault/doubles/', may: ['fault/doubles/', 'contract/', 'vault/', 'service/src/'] },
  { of: 'examples/', may: ['examples/', 'client/', 'browser/'] },
  // Builds the application in its own process, on a clock in the past, and calls its operations.
  { of: 'examples/example-data/', may: ['examples/example-data/', 'service/src/', 'contract/'] },
  // Starts a database and a browser, as the tests do. It knows the service by its command line and its wire alone.
  { of: 'examples/production/', may: ['examples/production/', 'examples/merchant-endpoint/', 'client/', 'browser/testing/', 'tools/'] },
  { of: 'conformance/', may: ['conformance/'], packages: [] },
  { of: 'docs/', may: ['docs/'], packages: [] },
  {
    of: 'tools/',
    // What is printed: the settings, the rules and what calls cost into the docs, the form's and the dashboard's texts into files of the build.
    may: [
      'tools/',
      'contract/',
      'service/src/ops/config/',
      'bench/capacity/',
      'form-check/src/rules.ts',
      'service/src/domain/payments/states.ts',
      'service/src/ops/cli/going-live.ts',
      'service/src/ops/cli/evidence/rows.ts',
      'service/src/ops/cli/evidence/broken-deployments.ts',
      'service/src/ops/cli/refused-starts.fixture.ts',
      'browser/frame/texts.ts',
      'browser/frame/deferred/reasons.ts',
      'dashboard/export/export-messages.ts',
      'dashboard/components/docs-path.ts',
      'dashboard/messages/audit-labels.ts',
      'dashboard/messages/reason-messages.ts',
      'dashboard/pages/account/account-messages.ts',
      'dashboard/pages/audit/audit-messages.ts',
      'dashboard/pages/cards/card-messages.ts',
      'dashboard/pages/compliance/compliance-messages.ts',
      'dashboard/pages/customers/customer-messages.ts',
      'dashboard/pages/form/form-messages.ts',
      'dashboard/pages/overview/overview-messages.ts',
      'dashboard/pages/page-check/page-check-messages.ts',
      'dashboard/pages/receipts/receipt-action-messages.ts',
      'dashboard/pages/receipts/receipt-messages.ts',
      'dashboard/pages/receipts/totals-messages.ts',
      'dashboard/pages/requests/request-messages.ts',
      'dashboard/pages/sandbox/sandbox-messages.ts',
      'dashboard/pages/search/search-messages.ts',
      'dashboard/pages/settings/settings-messages.ts',
      'dashboard/pages/start/start-messages.ts',
      'dashboard/pages/users/user-messages.ts',
      'dashboard/pages/verification/verification-messages.ts',
      'dashboard/views/view-messages.ts',
      'dashboard/pages/webhooks/webhook-messages.ts',
    ],
  },
]

/** What a test may know beyond its row: the whole service from inside it, and the tools that start a database or a browser. */
const testsMay = [
  'tools/await-within.ts',
  'tools/browser/build.ts',
  'tools/postgres.ts',
  'tools/press-in-frame.ts',
  'tools/free-port.ts',
  'tools/chromium.ts',
  'tools/corpora.ts',
  'tools/find-program.ts',
  'tools/open-chromium.ts',
  'tools/other-browsers.ts',
  'tools/scan-memory.ts',
  'tools/search-size.ts',
  'tools/service-child.ts',
  'tools/start-tessera.ts',
]
const insideTestsMay = ['contract/', 'vault/', 'service/', 'examples/merchant-endpoint/']

/** A check: every import goes in a direction that the table allows. */
export function checkImportDirections(tree: Tree, rows: readonly DirectionRow[] = importDirections): CheckFinding[] {
  return tree.paths.filter(isCode).flatMap((path) => {
    const row = findRow(rows, path)
    if (row === null)
      return [
        { path, line: 1, text: 'is in no row of the table of import directions: add the folder to tools/checks/import-directions.ts' },
      ]
    return listImports(tree, path).flatMap((imported) => {
      const text = judge(row, path, imported)
      return text === null ? [] : [{ path, line: imported.line, text }]
    })
  })
}

function findRow(rows: readonly DirectionRow[], path: string): DirectionRow | null {
  const matching = rows.filter((row) => path.startsWith(row.of))
  return matching.reduce<DirectionRow | null>((best, row) => (best === null || row.of.length > best.of.length ? row : best), null)
}

function judge(row: DirectionRow, path: string, imported: Import): string | null {
  const { specifier, target } = imported
  if (target === null) return isTest(path) ? null : judgeForeign(row, imported)
  if (isShipped(path) && isTest(target)) return `imports ${specifier}: shipped code knows no test`
  const may = [...row.may, ...(isTest(path) ? [...testsMay, ...(path.startsWith('service/') ? insideTestsMay : [])] : [])]
  if (may.some((entry) => allows(entry, target, imported.isType))) return null
  const typesOnly = may.some((entry) => allows(entry, target, true))
  return `imports ${specifier}: ${row.of} may import ${typesOnly ? 'only types of it' : listRow(row)}`
}

function judgeForeign(row: DirectionRow, imported: Import): string | null {
  const name = packageOf(imported)
  const allowed = name === null ? row.builtins : row.packages
  if (allowed === undefined || allowed.includes(name ?? imported.specifier)) return null
  return `imports ${imported.specifier}: ${row.of} may import ${allowed.join(', ') || (name === null ? 'no node: module' : 'no package')}`
}

function allows(entry: string, target: string, isType: boolean): boolean {
  if (entry.startsWith('types:')) return isType && allows(entry.slice('types:'.length), target, true)
  if (entry.endsWith('/*')) return target.startsWith(entry.slice(0, -1)) && !target.slice(entry.length - 1).includes('/')
  return entry.endsWith('/') ? target.startsWith(entry) : target === entry
}

function listRow(row: DirectionRow): string {
  const others = row.may.filter((entry) => entry !== row.of)
  return others.length === 0 ? 'nothing of ours' : others.join(', ')
}
