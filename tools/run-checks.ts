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
import { readTree, type Tree } from './tree.ts'

/** What one check found; no complaint is a pass. */
export type CheckResult = { name: string; seconds: number; complaints: string[] }

export type CheckOptions = {
  root: string
  /** Without the lint cache, which cannot see that a type changed in another file. */
  isThorough: boolean
  signal: AbortSignal
  /** The checks to run; all of them when there is none. */
  names?: readonly string[]
  /** Called as each one ends. */
  onResult?: (result: CheckResult) => void
}

type CheckRun = { name: string; run: (context: Context) => Promise<string[]> }
type Context = { root: string; tree: () => Tree; isThorough: boolean; signal: AbortSignal }

const checkSecondsMax = 300

/** Runs the checks side by side: programs in processes of their own, ours in this one. */
export async function runChecks({ root, isThorough, signal, names = [], onResult }: CheckOptions): Promise<CheckResult[]> {
  let read: Tree | null = null
  const context: Context = { root, isThorough, signal, tree: () => (read ??= readTree(root)) }
  const wanted = checks.filter(({ name }) => names.length === 0 || names.includes(name))
  const running = wanted.map(async (check) => {
    const result = await runCheck(check, context)
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
  { name: 'types', run: (context) => runProgram(context, ['typescript/bin/tsc', '-p', '.', '--noEmit', '--pretty', 'false']) },
  {
    name: 'browser types',
    run: (context) => runProgram(context, ['typescript/bin/tsc', '-p', 'browser', '--noEmit', '--pretty', 'false']),
  },
  {
    name: 'dashboard types',
    run: (context) => runProgram(context, ['typescript/bin/tsc', '-p', 'dashboard', '--noEmit', '--pretty', 'false']),
  },
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

async function runCheck({ name, run }: CheckRun, context: Context): Promise<CheckResult> {
  // Programs are started before the first of ours takes this thread.
  await new Promise(setImmediate)
  const startedAt = performance.now()
  const complaints = await run(context).catch((err: unknown) => [`the check itself failed: ${String(err)}`])
  return { name, complaints, seconds: (performance.now() - startedAt) / 1000 }
}

async function runLint(context: Context): Promise<string[]> {
  const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/eslint/']
  return runProgram(context, ['eslint/bin/eslint.js', '.', '--max-warnings', '0', ...(context.isThorough ? [] : cache)])
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
