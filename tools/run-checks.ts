import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkCircles } from './checks/circles.ts'
import { checkDependencies } from './checks/dependencies.ts'
import { checkErrors } from './checks/errors.ts'
import { checkExportedNames } from './checks/exported-names.ts'
import { formatFinding, type CheckFinding } from './checks/finding.ts'
import { checkImportDirections } from './checks/import-directions.ts'
import { checkLiteralSpreads } from './checks/literal-spreads.ts'
import { checkLockfile } from './checks/lockfile.ts'
import { checkOperations } from './checks/operations.ts'
import { checkPages } from './checks/pages.ts'
import { checkPans } from './checks/pans.ts'
import { checkPlaces } from './checks/places.ts'
import { checkReferences } from './checks/references.ts'
import { checkSizes } from './checks/sizes.ts'
import { checkTestNeeds } from './checks/test-needs.ts'
import { checkTitles } from './checks/titles.ts'
import { checkTraces } from './checks/traces.ts'
import { checkTypeNames } from './checks/type-names.ts'
import { listChanged } from './changed.ts'
import { openLintCache } from './lint-cache.ts'
import { readTree, type Tree } from './tree.ts'

/** The result of one check. It passed when there is no complaint. */
export type CheckResult = {
  name: string
  seconds: number
  complaints: string[]
  /** What it checked, where that is not everything. */
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
type Context = { root: string; tree: () => Tree; isThorough: boolean; signal: AbortSignal; setNote: (note: string) => void }

const maxCheckSeconds = 480
/** Windows allows 32,767 characters in a command line. */
const maxFileArguments = 400

/** Runs the checks side by side: programs in processes of their own, our own checks in this one. */
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
  ownCheck('import directions', async (tree) => checkImportDirections(tree)),
  ownCheck('circles', async (tree) => checkCircles(tree)),
  ownCheck('dependencies', async (tree) => checkDependencies(tree)),
  ownCheck('lockfile', async (tree) => checkLockfile(tree)),
  ownCheck('exported names', async (tree) => checkExportedNames(tree)),
  ownCheck('type names', async (tree) => checkTypeNames(tree)),
  ownCheck('literal spreads', async (tree) => checkLiteralSpreads(tree)),
  ownCheck('places', async (tree) => checkPlaces(tree)),
  ownCheck('errors', async (tree) => checkErrors(tree, (await import('@tessera/contract/errors')).errors)),
  ownCheck('operations', async (tree) => {
    const { operations } = await import('@tessera/contract/operations')
    return checkOperations(tree, Object.keys(operations))
  }),
  ownCheck('pages', async (tree) => {
    const { printPages, printSections } = await import('./pages/pages.ts')
    return checkPages(tree, new Map([...printPages(readVersion(tree)), ...printSections((path) => tree.read(path))]))
  }),
  ownCheck('test needs', async (tree) => checkTestNeeds(tree)),
  ownCheck('titles', async (tree) => checkTitles(tree)),
  ownCheck('pans', async (tree) => checkPans(tree)),
  ownCheck('traces', async (tree) => checkTraces(tree)),
  ownCheck('sizes', async (tree) => checkSizes(tree)),
  ownCheck('references', async (tree) => checkReferences(tree)),
]

function ownCheck(name: string, look: (tree: Tree) => Promise<CheckFinding[]>): CheckRun {
  return { name, run: async ({ tree }) => (await look(tree())).map(formatFinding) }
}

async function runCheck({ name, run }: CheckRun, shared: Omit<Context, 'setNote'>): Promise<CheckResult> {
  // Programs are started before the first of our own checks takes this thread.
  await new Promise(setImmediate)
  const startedAt = performance.now()
  let note = ''
  const complaints = await run({ ...shared, setNote: (text) => (note = text) }).catch((err: unknown) => [
    `the check itself failed: ${String(err)}`,
  ])
  return { name, complaints, note, seconds: (performance.now() - startedAt) / 1000 }
}

/** TypeScript 7 has no JS API and takes a fifth of the time; lint needs TypeScript 6. */
async function runCompiler(context: Context, project: string): Promise<string[]> {
  return runProgram(context, ['typescript-7/bin/tsc', '-p', project, '--noEmit', '--pretty', 'false'])
}

/** Lint spends most of its time on types. It uses them for changed files only, and for every file in `npm test`, with `--thorough`, and without git. */
async function runLint(context: Context): Promise<string[]> {
  const changed = context.isThorough ? null : listChanged(context.root)
  if (changed === null) return lintEveryFile(context)
  const files = changed.filter((path) => /\.tsx?$/.test(path))
  context.setNote(`with types: ${files.length} changed files; npm test and --thorough check all`)
  const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/eslint/']
  const complaints = await Promise.all([
    runEslint(context, ['.', '--config', 'tools/eslint.plain.js', ...cache]),
    files.length === 0 ? [] : runEslint(context, files),
  ])
  return [...new Set(complaints.flat())]
}

/** Leaves out files that passed and have not changed since, nor what they import. */
async function lintEveryFile(context: Context): Promise<string[]> {
  const cacheFile = join(context.root, 'node_modules/.cache/lint-passed.json')
  // Without a cache lint begins at once: reading what each file imports takes seconds.
  const everything = existsSync(cacheFile) ? null : runEslint(context, ['.'])
  const cache = openLintCache(context.tree(), cacheFile)
  const stale = cache.listStale()
  const complaints = await (everything ?? lintStale(context, stale))
  if (complaints.length === 0) cache.save()
  return complaints
}

async function lintStale(context: Context, stale: readonly string[]): Promise<string[]> {
  context.setNote(`${stale.length} files; the others passed before, and nothing that they import has changed`)
  if (stale.length === 0) return []
  return runEslint(context, stale.length > maxFileArguments ? ['.'] : stale)
}

async function runEslint(context: Context, args: readonly string[]): Promise<string[]> {
  return runProgram(context, ['eslint/bin/eslint.js', '--max-warnings', '0', '--no-warn-ignored', ...args])
}

async function runFormat(context: Context): Promise<string[]> {
  const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/prettier/.prettier-cache']
  return runProgram(context, ['prettier/bin/prettier.cjs', '--check', '.', '--log-level', 'warn', ...cache])
}

/** Returns the output of the program when it fails. */
async function runProgram({ root, signal }: Context, [script = '', ...args]: string[]): Promise<string[]> {
  const child = spawn(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    signal: AbortSignal.any([signal, AbortSignal.timeout(maxCheckSeconds * 1000)]),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code === 0) return []
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  return lines.length === 0 ? [`it ended with ${String(code)} and no output`] : lines
}

function readVersion(tree: Tree): string {
  const { version } = JSON.parse(tree.read('package.json')) as { version: string }
  return version
}
