import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build, type BuildOptions } from 'esbuild-wasm'

import { complianceWords } from '../../dashboard/pages/compliance/compliance-words.ts'
import { formWords } from '../../dashboard/pages/form/form-words.ts'
import { pageCheckWords } from '../../dashboard/pages/page-check/page-check-words.ts'
import { startWords } from '../../dashboard/pages/start/start-words.ts'
import { settingsWords } from '../../dashboard/pages/settings/settings-words.ts'
import { sandboxWords } from '../../dashboard/pages/sandbox/sandbox-words.ts'
import { verificationWords } from '../../dashboard/pages/verification/verification-words.ts'
import { webhookWords } from '../../dashboard/pages/webhooks/webhook-words.ts'
import { putWhole } from '../put-whole.ts'

/** Pages whose words are no part of the script: by the page's name, each language a file. */
const longWords: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  compliance: complianceWords,
  form: formWords,
  'page-check': pageCheckWords,
  start: startWords,
  settings: settingsWords,
  sandbox: sandboxWords,
  verification: verificationWords,
  webhooks: webhookWords,
}

/** Builds the dashboard into `folder`: one script and one style, whose lasting names the service makes, and the words of long pages under their own. Tells their sizes in bytes. */
export async function buildDashboard(root: string, folder: string): Promise<Readonly<Record<string, number>>> {
  const words = makeWords()
  const built = await build({ ...dashboardBuild(root, words), outdir: folder })
  mkdirSync(folder, { recursive: true })
  const scripts = built.outputFiles.map(({ path, contents }) => [path.split(/[\\/]/).at(-1) ?? '', contents] as const)
  const files = [...scripts, ...words.map(({ name, contents }) => [name, contents] as const)]
  for (const old of readdirSync(folder)) if (old.endsWith('.json') && !words.some(({ name }) => name === old)) rmSync(join(folder, old))
  for (const [name, contents] of files) putWhole(join(folder, name), contents)
  return Object.fromEntries(files.map(([name, { length }]) => [name, length]))
}

/** How its script and style are made, but for where they go: what is measured is made in the same way. */
export function dashboardBuild(root: string, words = makeWords()) {
  return {
    absWorkingDir: join(root, 'dashboard'),
    entryPoints: ['app/main.tsx'],
    entryNames: 'app',
    ...({ bundle: true, write: false, minify: true, charset: 'utf8', legalComments: 'none', format: 'esm', platform: 'browser' } as const),
    ...({ jsx: 'automatic', jsxImportSource: 'preact' } as const),
    define: { longWordsFiles: JSON.stringify(listWords(words)) },
    target: ['chrome123', 'firefox120', 'safari17.5'],
  } satisfies BuildOptions
}

interface WordsFile {
  readonly page: string
  readonly of: string
  readonly name: string
  readonly contents: Uint8Array
}

function makeWords(): WordsFile[] {
  return Object.entries(longWords).flatMap(([page, all]) => Object.entries(all).map(([of, told]) => nameWords(page, of, told)))
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
