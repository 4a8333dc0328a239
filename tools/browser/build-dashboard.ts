import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, type BuildOptions } from 'esbuild-wasm'

import { exportMessages } from '../../dashboard/export/export-messages.ts'
import { auditLabels } from '../../dashboard/messages/audit-labels.ts'
import { reasonMessages } from '../../dashboard/messages/reason-messages.ts'
import { accountPageMessages } from '../../dashboard/pages/account/account-messages.ts'
import { auditPageMessages } from '../../dashboard/pages/audit/audit-messages.ts'
import { cardPageMessages } from '../../dashboard/pages/cards/card-messages.ts'
import { compliancePageMessages } from '../../dashboard/pages/compliance/compliance-messages.ts'
import { customerPageMessages } from '../../dashboard/pages/customers/customer-messages.ts'
import { formBuilderMessages } from '../../dashboard/pages/form/form-messages.ts'
import { overviewPageMessages } from '../../dashboard/pages/overview/overview-messages.ts'
import { pageCheckMessages } from '../../dashboard/pages/page-check/page-check-messages.ts'
import { receiptActionMessages } from '../../dashboard/pages/receipts/receipt-action-messages.ts'
import { receiptPageMessages } from '../../dashboard/pages/receipts/receipt-messages.ts'
import { totalsMessages } from '../../dashboard/pages/receipts/totals-messages.ts'
import { requestPageMessages } from '../../dashboard/pages/requests/request-messages.ts'
import { startPageMessages } from '../../dashboard/pages/start/start-messages.ts'
import { settingsPageMessages } from '../../dashboard/pages/settings/settings-messages.ts'
import { sandboxPageMessages } from '../../dashboard/pages/sandbox/sandbox-messages.ts'
import { searchMessages } from '../../dashboard/pages/search/search-messages.ts'
import { userPageMessages } from '../../dashboard/pages/users/user-messages.ts'
import { viewMessages } from '../../dashboard/views/view-messages.ts'
import { verificationPageMessages } from '../../dashboard/pages/verification/verification-messages.ts'
import { webhookPageMessages } from '../../dashboard/pages/webhooks/webhook-messages.ts'
import { replaceFile } from '../replace-file.ts'

/** The tables of messages that are not part of the script, by the name in dashboard/messages/page-texts.ts: one object per language. */
const lazyMessages: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  account: accountPageMessages,
  audit: auditPageMessages,
  'audit-labels': auditLabels,
  cards: cardPageMessages,
  compliance: compliancePageMessages,
  customers: customerPageMessages,
  export: exportMessages,
  form: formBuilderMessages,
  overview: overviewPageMessages,
  'page-check': pageCheckMessages,
  reasons: reasonMessages,
  receipts: receiptPageMessages,
  'receipt-actions': receiptActionMessages,
  requests: requestPageMessages,
  sandbox: sandboxPageMessages,
  search: searchMessages,
  settings: settingsPageMessages,
  start: startPageMessages,
  totals: totalsMessages,
  users: userPageMessages,
  verification: verificationPageMessages,
  views: viewMessages,
  webhooks: webhookPageMessages,
}

/**
 * Builds the dashboard into `folder`: one script and one stylesheet, which the service names by their hashes, and the scripts of pages and the message
 * files, which are named by theirs here. Returns the size of each file in bytes.
 */
export async function buildDashboard(root: string, folder: string): Promise<Readonly<Record<string, number>>> {
  const messageFiles = createMessageFiles()
  const worker = await buildProofWorker(root)
  const built = await build({ ...dashboardBuild(root, messageFiles, worker.name), outdir: folder })
  mkdirSync(folder, { recursive: true })
  const scripts = built.outputFiles.map(({ path, contents }) => [path.split(/[\\/]/).at(-1) ?? '', contents] as const)
  const files = [
    ...scripts,
    [worker.name, worker.contents] as const,
    ...messageFiles.files.map(({ name, contents }) => [name, contents] as const),
  ]
  for (const old of readdirSync(folder))
    if (/\.json$|^(?:proof|part)-.*\.js$/.test(old) && !files.some(([name]) => name === old)) rmSync(join(folder, old))
  for (const [name, contents] of files) replaceFile(join(folder, name), contents)
  return Object.fromEntries(files.map(([name, { length }]) => [name, length]))
}

/** The options of the build, so that its size is measured on the same build. */
export function dashboardBuild(root: string, messageFiles = createMessageFiles(), proofWorkerFile = 'proof-0123456789abcdef.js') {
  return {
    absWorkingDir: join(root, 'dashboard'),
    entryPoints: ['app/main.tsx'],
    entryNames: 'app',
    // Pages are loaded when they are first opened.
    chunkNames: 'part-[hash]',
    splitting: true,
    outdir: 'dist',
    bundle: true,
    write: false,
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // Read by dashboard/app/lazy-messages.tsx and solve-proof.ts.
    define: { messagesHash: JSON.stringify(messageFiles.hash), proofWorkerFile: JSON.stringify(proofWorkerFile) },
    target: ['chrome123', 'firefox120', 'safari17.5'],
  } as const satisfies Readonly<BuildOptions>
}

/** The worker that solves proofs of work: a script of its own, named by its hash. */
async function buildProofWorker(root: string): Promise<{ readonly name: string; readonly contents: Uint8Array }> {
  const { outputFiles } = await build({ ...dashboardBuild(root), entryPoints: ['app/proof-worker.ts'], splitting: false, format: 'iife' })
  const contents = outputFiles[0]?.contents ?? new Uint8Array(0)
  return { name: `proof-${createHash('sha256').update(contents).digest('hex').slice(0, 16)}.js`, contents }
}

interface MessageFiles {
  /** Of all of them, so that the script has one hash and not one for each, and no content ever changes under its name. */
  readonly hash: string
  readonly files: readonly { readonly name: string; readonly contents: Uint8Array }[]
}

function createMessageFiles(): MessageFiles {
  const texts = Object.entries(lazyMessages).flatMap(([table, languages]) =>
    Object.entries(languages).map(([language, messages]) => [`${table}.${language}`, JSON.stringify(messages)] as const),
  )
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 16)
  return { hash, files: texts.map(([name, text]) => ({ name: `${name}-${hash}.json`, contents: Buffer.from(text) })) }
}
