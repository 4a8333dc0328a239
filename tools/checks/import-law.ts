import type { Tree } from '../tree.ts'
import type { Finding } from './finding.ts'
import { listImports, packageOf, type Import } from './imports.ts'
import { isCode, isShipped, isTest } from './kinds.ts'

/**
 * Who may import whom (ARCHITECTURE.md). The row with the longest `of` that begins a file's path holds for it.
 * `x/` means everything in a folder, `x/*` the files that lie right in it, `types:` that only types may be imported.
 * `packages` and `builtins`, where given, are the only npm packages and `node:` modules of that row.
 */
export type LawRow = { of: string; may: readonly string[]; packages?: readonly string[]; builtins?: readonly string[] }

const nouns = [
  'service/src/cards/',
  'service/src/verification/',
  'service/src/receipts/',
  'service/src/merchants/',
  'service/src/idempotency/',
  'service/src/form-sessions/',
  'service/src/consents/',
  'service/src/limits/',
  'service/src/dashboard/',
  'service/src/compliance/',
  'service/src/page-check/',
  'service/src/request-log/',
]
const ports = [
  'service/src/clock.ts',
  'service/src/store/store.ts',
  'service/src/store/money.ts',
  'service/src/store/riders.ts',
  'service/src/sms/sms.ts',
  'service/src/sms/codes.ts',
  'service/src/network/network.ts',
  'service/src/endpoint/endpoint.ts',
  'service/src/webhooks/webhooks.ts',
]
const words = ['contract/', 'vault/', 'service/src/clock.ts']
const workshopWords = ['client/', 'contract/', 'service/src/store/', 'tools/']
const nounRow = { may: [...words, 'service/src/audit/', ...nouns, ...ports] }

export const importLaw: readonly LawRow[] = [
  { of: 'contract/', may: ['contract/'], packages: ['typebox'], builtins: [] },
  { of: 'vault/', may: ['vault/', 'contract/'], packages: [], builtins: ['node:crypto'] },

  { of: 'service/src/', may: ['contract/', 'service/src/*', 'types:service/src/store/store.ts'] },
  { of: 'service/src/config/', may: ['contract/', 'service/src/*', 'service/src/config/'] },
  // How the parts are put together; those that know every adapter are named below.
  {
    of: 'service/src/start/',
    may: [
      ...['contract/', 'types:vault/', 'service/src/*', 'service/src/config/', 'service/src/start/'],
      ...nouns,
      ...[
        'service/src/form/',
        'service/src/outbound/',
        'service/src/rpc/',
        'service/src/store/store.ts',
        'types:service/src/observe/log.ts',
      ],
    ],
  },
  {
    of: 'service/src/start/figures.ts',
    may: [
      'service/src/config/',
      'service/src/idempotency/figures.ts',
      'service/src/receipts/figures.ts',
      'service/src/verification/limits.ts',
      'types:service/src/request-log/recorder.ts',
    ],
  },
  // The composition root: the only files that know every adapter.
  ...['main', 'start/adapters', 'start/admission', 'start/kept', 'start/nouns'].map((file) => ({
    of: `service/src/${file}.ts`,
    may: ['contract/', 'vault/', 'service/src/'],
  })),
  { of: 'service/src/cli/', may: ['contract/', 'vault/', 'service/src/', 'form-check/'] },
  {
    of: 'service/src/rpc/',
    may: ['contract/', 'service/src/rpc/', 'service/src/limits/', 'service/src/clock.ts', 'types:service/src/methods/method.ts'],
  },
  {
    of: 'service/src/methods/',
    may: ['contract/', 'vault/src/token.ts', 'service/src/methods/', 'service/src/clock.ts', ...nouns],
  },
  ...nouns
    .filter((of) => !['service/src/dashboard/', 'service/src/page-check/', 'service/src/request-log/'].includes(of))
    .map((of) => ({ of, ...nounRow })),
  // It is told of calls as the door answered them, and names members as replies do.
  { of: 'service/src/request-log/', may: [...nounRow.may, 'types:service/src/rpc/answered.ts', 'service/src/rpc/fault.ts'] },
  // Its door hands requests to the road of the API, which it knows by its types.
  {
    of: 'service/src/dashboard/',
    may: [...nounRow.may, 'types:service/src/rpc/', 'service/src/rpc/client-address.ts', 'types:service/src/methods/method.ts'],
  },
  // A process of its own reads a page by the rules of form-check; nothing else of the running service loads the parser.
  { of: 'service/src/page-check/', may: [...nounRow.may, 'service/src/outbound/', 'form-check/'] },

  { of: 'service/src/audit/', may: [...words, 'service/src/audit/', 'service/src/store/store.ts'] },
  { of: 'service/src/store/', may: [...words, 'service/src/store/', 'service/src/audit/'] },
  { of: 'service/src/sms/', may: ['contract/', 'types:vault/', 'service/src/clock.ts', 'service/src/sms/'] },
  { of: 'service/src/network/', may: ['contract/', 'types:vault/', 'service/src/clock.ts', 'service/src/network/'] },
  { of: 'service/src/endpoint/', may: [...words, 'service/src/endpoint/', 'service/src/outbound/'] },
  { of: 'service/src/outbound/', may: [...words, 'service/src/outbound/'] },
  { of: 'service/src/webhooks/', may: [...words, 'service/src/webhooks/', 'service/src/outbound/', 'service/src/store/store.ts'] },
  { of: 'service/src/kms/', may: [...words, 'service/src/kms/'] },
  {
    of: 'service/src/observe/',
    may: [
      'contract/',
      'types:vault/',
      'types:service/src/rpc/journal.ts',
      'types:service/src/endpoint/told.ts',
      'types:service/src/limits/refusing.ts',
      'service/src/clock.ts',
      'service/src/observe/',
    ],
  },
  { of: 'service/src/form/', may: ['contract/', 'service/src/form/'] },
  {
    of: 'service/src/sandbox/',
    may: [
      ...words,
      'service/src/sandbox/',
      'service/src/form/legal.ts',
      'service/src/form/disclosure.ts',
      'service/src/form/plain-page.ts',
      ...ports,
    ],
  },

  { of: 'browser/', may: ['contract/', 'browser/'] },
  // The only place in the browser that reads a digit, and it knows nothing of the page; the page knows only the way to it.
  { of: 'browser/frame/', may: ['contract/', 'browser/frame/'], packages: [], builtins: [] },
  {
    of: 'browser/hosted/',
    may: ['types:contract/', 'contract/src/frame.ts', 'browser/bridge/', 'browser/page/', 'browser/frame/call.ts', 'browser/hosted/'],
    ...{ packages: [], builtins: [] },
  },
  { of: 'browser/bridge/', may: ['contract/src/frame.ts'], packages: [], builtins: [] },
  {
    of: 'browser/page/',
    may: ['types:contract/', 'contract/src/frame.ts', 'browser/bridge/', 'browser/page/'],
    packages: ['react'],
    builtins: [],
  },
  // Its form builder holds a frame of the form, by the same way to it as a merchant's page.
  { of: 'dashboard/pages/form/', may: ['contract/', 'dashboard/', 'browser/bridge/'] },
  ...['dashboard/', 'client/', 'form-check/'].map((of) => ({ of, may: ['contract/', of] })),
  // What is measured is started as what is broken is.
  { of: 'bench/', may: ['bench/', 'fault/', ...workshopWords] },
  { of: 'fault/', may: ['fault/', ...workshopWords] },
  // Stand-ins for parts of a service that is made wrong on purpose, so that an experiment is seen to find it.
  ...['bench/doubles/', 'fault/doubles/'].map((of) => ({ of, may: [of, 'fault/doubles/', 'contract/', 'vault/', 'service/src/'] })),
  { of: 'examples/', may: ['examples/', 'client/', 'browser/'] },
  { of: 'conformance/', may: ['conformance/'], packages: [] },
  { of: 'docs/', may: ['docs/'], packages: [] },
  {
    of: 'tools/',
    // What is printed: the settings and the rules into the docs, the form's texts into a file of the build.
    may: [
      'tools/',
      'contract/',
      'service/src/config/',
      'form-check/src/rules.ts',
      'browser/frame/texts.ts',
      'dashboard/pages/compliance/compliance-words.ts',
      'dashboard/pages/form/form-words.ts',
      'dashboard/pages/page-check/page-check-words.ts',
      'dashboard/pages/start/start-words.ts',
      'dashboard/pages/settings/settings-words.ts',
      'dashboard/pages/sandbox/sandbox-words.ts',
      'dashboard/pages/verification/verification-words.ts',
      'dashboard/pages/webhooks/webhook-words.ts',
    ],
  },
]

/** What a test may know beyond its row: the whole service from inside it, and the tools that start a database or a browser. */
const testsMay = [
  'tools/browser/build.ts',
  'tools/postgres.ts',
  'tools/free-port.ts',
  'tools/chromium.ts',
  'tools/corpora.ts',
  'tools/find-program.ts',
  'tools/other-browsers.ts',
  'tools/scan-memory.ts',
  'tools/service-child.ts',
  'tools/start-tessera.ts',
]
const insideTestsMay = ['contract/', 'vault/', 'service/', 'examples/merchant-endpoint/']

/** A check: every import goes in a direction that the table allows. */
export function checkImportLaw(tree: Tree, law: readonly LawRow[] = importLaw): Finding[] {
  return tree.paths.filter(isCode).flatMap((path) => {
    const row = findRow(law, path)
    if (row === null) return [{ path, line: 1, text: 'is in no row of the import law: add the folder to tools/checks/import-law.ts' }]
    return listImports(tree, path).flatMap((imported) => {
      const text = judge(row, path, imported)
      return text === null ? [] : [{ path, line: imported.line, text }]
    })
  })
}

function findRow(law: readonly LawRow[], path: string): LawRow | null {
  const rows = law.filter((row) => path.startsWith(row.of))
  return rows.reduce<LawRow | null>((best, row) => (best === null || row.of.length > best.of.length ? row : best), null)
}

function judge(row: LawRow, path: string, imported: Import): string | null {
  const { specifier, target } = imported
  if (target === null) return isTest(path) ? null : judgeForeign(row, imported)
  if (isShipped(path) && isTest(target)) return `imports ${specifier}: shipped code knows no test`
  const may = [...row.may, ...(isTest(path) ? [...testsMay, ...(path.startsWith('service/') ? insideTestsMay : [])] : [])]
  if (may.some((entry) => allows(entry, target, imported.isType))) return null
  const typesOnly = may.some((entry) => allows(entry, target, true))
  return `imports ${specifier}: ${row.of} may import ${typesOnly ? 'only types of it' : listRow(row)}`
}

function judgeForeign(row: LawRow, imported: Import): string | null {
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

function listRow(row: LawRow): string {
  const others = row.may.filter((entry) => entry !== row.of)
  return others.length === 0 ? 'nothing of ours' : others.join(', ')
}
