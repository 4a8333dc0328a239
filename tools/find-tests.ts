import { readFileSync } from 'node:fs'
import { join, matchesGlob, relative, resolve } from 'node:path'
import { listFiles } from './list-files.ts'

/**
 * The test files of the project: the light ones, as many side by side as there are processors; the heavy ones (`*.serial.test.ts`:
 * services, browsers), a few at a time; and of these, by themselves, the ones that say `// runs alone` in their first lines.
 */
export type TestFiles = { unit: string[]; serial: string[]; alone: string[] }

/**
 * Finds every `*.test.ts` that one of the patterns means (a path, a part of one, or a glob); all of them when there is no pattern. Tests with
 * other systems (`*.peer.test.ts`, `npm run peers`) are left out.
 */
export function findTests(root: string, patterns: readonly string[]): TestFiles {
  const paths = listTests(root, patterns).filter((path) => !isPeer(path))
  const heavy = paths.filter(isSerial)
  const alone = heavy.filter((path) => /^\/\/ runs alone\b/m.test(readHead(root, path)))
  return { unit: paths.filter((path) => !isSerial(path)), serial: heavy.filter((path) => !alone.includes(path)), alone }
}

/** Finds the tests with other systems in the same way. They run one after the other. */
export function findPeerTests(root: string, patterns: readonly string[]): TestFiles {
  return { unit: [], serial: [], alone: listTests(root, patterns).filter(isPeer) }
}

/** How long a file may take: a line `// time limit: 600 s` in its first lines, or the default. */
export function readTimeLimit(root: string, path: string, secondsDefault: number): number {
  const seconds = Number(/^\/\/ time limit: (\d+) s$/m.exec(readHead(root, path))?.[1] ?? secondsDefault)
  return Math.min(seconds, secondsMax)
}

/** False for a file with a line `// runs once: <why>` in its first lines: there a rare failure is what the test looks for. */
export function mayRunAgain(root: string, path: string): boolean {
  return !/^\/\/ runs once: \S/m.test(readHead(root, path))
}

/** True for a file with a line `// on disk: <why>` in its first lines: it depends on how long a disk takes. */
export function needsDisk(root: string, path: string): boolean {
  return /^\/\/ on disk: \S/m.test(readHead(root, path))
}

/**
 * True for a light file that does not share a process with others: it takes long, needs a disk, or says `// own process: <why>` in its first
 * lines, because it changes what belongs to the process or judges it.
 */
export function needsOwnProcess(root: string, path: string): boolean {
  return /^\/\/ (?:own process: \S|time limit: |on disk: \S)/m.test(readHead(root, path))
}

const secondsMax = 900

function listTests(root: string, patterns: readonly string[]): string[] {
  return listFiles(root).filter((path) => path.endsWith('.test.ts') && (patterns.length === 0 || isMeant(root, path, patterns)))
}

function isMeant(root: string, path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => path.includes(relative(root, resolve(root, pattern))) || matchesGlob(path, pattern))
}

function readHead(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8').slice(0, 1000)
}

function isSerial(path: string): boolean {
  return path.endsWith('.serial.test.ts')
}

function isPeer(path: string): boolean {
  return path.endsWith('.peer.test.ts')
}
