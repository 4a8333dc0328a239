import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, type BuildOptions } from 'esbuild-wasm'

import { auditLabels } from '../../dashboard/messages/audit-labels.ts'
import { compliancePageMessages } from '../../dashboard/pages/compliance/compliance-messages.ts'
import { formBuilderMessages } from '../../dashboard/pages/form/form-messages.ts'
import { overviewPageMessages } from '../../dashboard/pages/overview/overview-messages.ts'
import { pageCheckMessages } from '../../dashboard/pages/page-check/page-check-messages.ts'
import { startPageMessages } from '../../dashboard/pages/start/start-messages.ts'
import { settingsPageMessages } from '../../dashboard/pages/settings/settings-messages.ts'
import { sandboxPageMessages } from '../../dashboard/pages/sandbox/sandbox-messages.ts'
import { verificationPageMessages } from '../../dashboard/pages/verification/verification-messages.ts'
import { webhookPageMessages } from '../../dashboard/pages/webhooks/webhook-messages.ts'
import { replaceFile } from '../replace-file.ts'

/** The message tables of pages whose texts are not part of the script: by page, one object per language. */
const lazyMessages: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  'audit-labels': auditLabels,
  compliance: compliancePageMessages,
  form: formBuilderMessages,
  overview: overviewPageMessages,
  'page-check': pageCheckMessages,
  start: startPageMessages,
  settings: settingsPageMessages,
  sandbox: sandboxPageMessages,
  verification: verificationPageMessages,
  webhooks: webhookPageMessages,
}

/**
 * Builds the dashboard into `folder`: one script and one stylesheet, which the service names by their hashes, and the message files, which are named by theirs
 * here. Returns the size of each file in bytes.
 */
export async function buildDashboard(root: string, folder: string): Promise<Readonly<Record<string, number>>> {
  const messageFiles = createMessageFiles()
  const built = await build({ ...dashboardBuild(root, messageFiles), outdir: folder })
  mkdirSync(folder, { recursive: true })
  const scripts = built.outputFiles.map(({ path, contents }) => [path.split(/[\\/]/).at(-1) ?? '', contents] as const)
  const files = [...scripts, ...messageFiles.map(({ name, contents }) => [name, contents] as const)]
  for (const old of readdirSync(folder))
    if (old.endsWith('.json') && !messageFiles.some(({ name }) => name === old)) rmSync(join(folder, old))
  for (const [name, contents] of files) replaceFile(join(folder, name), contents)
  return Object.fromEntries(files.map(([name, { length }]) => [name, length]))
}

/** The options of the build without its output folder, so that its size is measured on the same build. */
export function dashboardBuild(root: string, messageFiles = createMessageFiles()) {
  return {
    absWorkingDir: join(root, 'dashboard'),
    entryPoints: ['app/main.tsx'],
    entryNames: 'app',
    bundle: true,
    write: false,
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    format: 'esm',
    platform: 'browser',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    // Read by dashboard/app/lazy-messages.tsx.
    define: { messageFiles: JSON.stringify(fileNamesByPage(messageFiles)) },
    target: ['chrome123', 'firefox120', 'safari17.5'],
  } as const satisfies Readonly<BuildOptions>
}

interface MessageFile {
  readonly page: string
  readonly language: string
  readonly name: string
  readonly contents: Uint8Array
}

function createMessageFiles(): MessageFile[] {
  return Object.entries(lazyMessages).flatMap(([page, table]) =>
    Object.entries(table).map(([language, messages]) => createMessageFile(page, language, messages)),
  )
}

/** Named by its hash, so that its content never changes under its name. */
function createMessageFile(page: string, language: string, messages: object): MessageFile {
  const contents = Buffer.from(JSON.stringify(messages))
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 16)
  return { page, language, name: `${page}.${language}-${hash}.json`, contents }
}

function fileNamesByPage(files: readonly MessageFile[]): object {
  const byPage = Object.entries(Object.groupBy(files, ({ page }) => page))
  return Object.fromEntries(
    byPage.map(([page, list = []]) => [page, Object.fromEntries(list.map(({ language, name }) => [language, name]))]),
  )
}
