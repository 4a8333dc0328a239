import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild-wasm'

import { complianceWords } from '../../dashboard/pages/compliance/compliance-words.ts'
import { formWords } from '../../dashboard/pages/form/form-words.ts'
import { pageCheckWords } from '../../dashboard/pages/page-check/page-check-words.ts'
import { startWords } from '../../dashboard/pages/start/start-words.ts'
import { settingsWords } from '../../dashboard/pages/settings/settings-words.ts'
import { sandboxWords } from '../../dashboard/pages/sandbox/sandbox-words.ts'
import { webhookWords } from '../../dashboard/pages/webhooks/webhook-words.ts'

/** Pages whose words are no part of the script: by the page's name, each language a file. */
const longWords: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  compliance: complianceWords,
  form: formWords,
  'page-check': pageCheckWords,
  start: startWords,
  settings: settingsWords,
  sandbox: sandboxWords,
  webhooks: webhookWords,
}

/** Builds the dashboard into `folder`: one script and one style, whose lasting names the service makes, and the words of long pages under their own. Tells their sizes in bytes. */
export async function buildDashboard(root: string, folder: string): Promise<Readonly<Record<string, number>>> {
  const words = Object.entries(longWords).flatMap(([page, all]) => Object.entries(all).map(([of, told]) => nameWords(page, of, told)))
  const built = await build({
    absWorkingDir: join(root, 'dashboard'),
    entryPoints: ['app/main.tsx'],
    outdir: folder,
    entryNames: 'app',
    ...{ bundle: true, write: false, minify: true, charset: 'utf8', legalComments: 'none', format: 'esm', platform: 'browser' },
    ...{ jsx: 'automatic', jsxImportSource: 'preact' },
    define: { longWordsFiles: JSON.stringify(listWords(words)) },
    target: ['chrome123', 'firefox120', 'safari17.5'],
  })
  mkdirSync(folder, { recursive: true })
  const scripts = built.outputFiles.map(({ path, contents }) => [path.split(/[\\/]/).at(-1) ?? '', contents] as const)
  const files = [...scripts, ...words.map(({ name, contents }) => [name, contents] as const)]
  for (const old of readdirSync(folder)) if (old.endsWith('.json') && !words.some(({ name }) => name === old)) rmSync(join(folder, old))
  for (const [name, contents] of files) put(folder, name, contents)
  return Object.fromEntries(files.map(([name, { length }]) => [name, length]))
}

interface WordsFile {
  readonly page: string
  readonly of: string
  readonly name: string
  readonly contents: Uint8Array
}

/** By its hash, so that it never changes under its name. */
function nameWords(page: string, of: string, told: object): WordsFile {
  const contents = Buffer.from(JSON.stringify(told))
  return { page, of, name: `${page}.${of}-${createHash('sha256').update(contents).digest('hex').slice(0, 16)}.json`, contents }
}

function listWords(words: readonly WordsFile[]): object {
  const byPage = Object.entries(Object.groupBy(words, ({ page }) => page))
  return Object.fromEntries(byPage.map(([page, files = []]) => [page, Object.fromEntries(files.map(({ of, name }) => [of, name]))]))
}

/** Whole or not at all. */
function put(folder: string, name: string, contents: Uint8Array): void {
  const path = join(folder, name)
  writeFileSync(`${path}.${process.pid}`, contents)
  renameSync(`${path}.${process.pid}`, path)
}
