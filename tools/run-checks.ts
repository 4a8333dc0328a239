import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { checkCircles } from './checks/circles.ts'
import { checkDependencies } from './checks/dependencies.ts'
import { checkErrors } from './checks/errors.ts'
import { formatFinding, type Finding } from './checks/finding.ts'
import { checkImportLaw } from './checks/import-law.ts'
import { checkLinks } from './checks/links.ts'
import { checkLockfile } from './checks/lockfile.ts'
import { checkMethods } from './checks/methods.ts'
import { checkPages } from './checks/pages.ts'
import { checkPans } from './checks/pans.ts'
import { checkPlaces } from './checks/places.ts'
import { checkSizes } from './checks/sizes.ts'
import { checkTitles } from './checks/titles.ts'
import { checkTraces } from './checks/traces.ts'
import { checkWords } from './checks/words.ts'
import { listChanged } from './changed.ts'
import { readTree, type Tree } from './tree.ts'

/** What one check found; no complaint is a pass. */
export type CheckResult = {
  name: string
  seconds: number
  complaints: string[]
  /** What it looked at, where that is not everything. */
  note: string
}

export type CheckOptions = {
  root: string
  /** Lints every file by its types, not only those that changed. */
  isThorough: boolean
  signal: AbortSignal
  /** The checks to run; all of them when there is none. */
  names?: readonly string[]
  /** Called as each one ends. */
  onResult?: (result: CheckResult) => void
}

type CheckRun = { name: string; run: (context: Context) => Promise<string[]> }
type Context = { root: string; tree: () => Tree; isThorough: boolean; signal: AbortSignal; tell: (note: string) => void }

const checkSecondsMax = 300

/** Runs the checks side by side: programs in processes of their own, ours in this one. */
export async function runChecks({ root, isThorough, signal, names = [], onResult }: CheckOptions): Promise<CheckResult[]> {
  let read: Tree | null = null
  const shared = { root, isThorough, signal, tree: () => (read ??= readTree(root)) }
  const wanted = checks.filter(({ name }) => names.length === 0 || names.includes(name))
  const running = wanted.map(async (check) => {
    const result = await runCheck(check, shared)
    onResult?.(result)
    return result
  })
  return Promise.all(running)
}

/** The names that `npm run check -- <name> …` takes. */
export function listCheckNames(): string[] {
  return checks.map(({ name }) => name)
}

const checks: readonly CheckRun[] = [
  { name: 'types', run: (context) => runCompiler(context, '.') },
  { name: 'browser types', run: (context) => runCompiler(context, 'browser') },
  { name: 'dashboard types', run: (context) => runCompiler(context, 'dashboard') },
  { name: 'lint', run: runLint },
  { name: 'format', run: runFormat },
  own('import law', async (tree) => checkImportLaw(tree)),
  own('circles', async (tree) => checkCircles(tree)),
  own('dependencies', async (tree) => checkDependencies(tree)),
  own('lockfile', async (tree) => checkLockfile(tree)),
  own('words', async (tree) => checkWords(tree)),
  own('places', async (tree) => checkPlaces(tree)),
  own('errors', async (tree) => checkErrors(tree, (await import('@tessera/contract/errors')).errors)),
  own('methods', async (tree) => checkMethods(tree, Object.keys((await import('@tessera/contract/methods')).methods))),
  own('pages', async (tree) => checkPages(tree, (await import('./pages/pages.ts')).printPages(readVersion(tree)))),
  own('titles', async (tree) => checkTitles(tree)),
  own('pans', async (tree) => checkPans(tree)),
  own('traces', async (tree) => checkTraces(tree)),
  own('sizes', async (tree) => checkSizes(tree)),
  own('links', async (tree) => checkLinks(tree)),
]

function own(name: string, look: (tree: Tree) => Promise<Finding[]>): CheckRun {
  return { name, run: async ({ tree }) => (await look(tree())).map(formatFinding) }
}

async function runCheck({ name, run }: CheckRun, shared: Omit<Context, 'tell'>): Promise<CheckResult> {
  // Programs are started before the first of ours takes this thread.
  await new Promise(setImmediate)
  const startedAt = performance.now()
  let note = ''
  const complaints = await run({ ...shared, tell: (told) => (note = told) }).catch((err: unknown) => [
    `the check itself failed: ${String(err)}`,
  ])
  return { name, complaints, note, seconds: (performance.now() - startedAt) / 1000 }
}

/** The compiler without a JS API, which takes a fifth of the time; lint needs the one that has it. */
async function runCompiler(context: Context, project: string): Promise<string[]> {
  return runProgram(context, ['typescript-7/bin/tsc', '-p', project, '--noEmit', '--pretty', 'false'])
}

/** Types are what lint spends its time on: they are asked for of what changed, and of everything by `npm test`, `--thorough` and where git cannot tell. */
async function runLint(context: Context): Promise<string[]> {
  const changed = context.isThorough ? null : listChanged(context.root)
  if (changed === null) return runEslint(context, ['.'])
  const files = changed.filter((path) => /\.tsx?$/.test(path))
  context.tell(`by types: ${files.length} changed files; npm test and --thorough take all`)
  const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/eslint/']
  const complaints = await Promise.all([
    runEslint(context, ['.', '--config', 'tools/eslint.plain.js', ...cache]),
    files.length === 0 ? [] : runEslint(context, files),
  ])
  return [...new Set(complaints.flat())]
}

async function runEslint(context: Context, args: readonly string[]): Promise<string[]> {
  return runProgram(context, ['eslint/bin/eslint.js', '--max-warnings', '0', '--no-warn-ignored', ...args])
}

async function runFormat(context: Context): Promise<string[]> {
  const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/prettier/.prettier-cache']
  return runProgram(context, ['prettier/bin/prettier.cjs', '--check', '.', '--log-level', 'warn', ...cache])
}

/** What the program said, when it did not end well. */
async function runProgram({ root, signal }: Context, [script = '', ...args]: string[]): Promise<string[]> {
  const child = spawn(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    signal: AbortSignal.any([signal, AbortSignal.timeout(checkSecondsMax * 1000)]),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code === 0) return []
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  return lines.length === 0 ? [`it ended with ${String(code)} and said nothing`] : lines
}

function readVersion(tree: Tree): string {
  const { version } = JSON.parse(tree.read('package.json')) as { version: string }
  return version
}
