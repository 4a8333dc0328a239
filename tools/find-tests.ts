import { readFileSync } from 'node:fs'
import { join, matchesGlob, relative, resolve } from 'node:path'
import { listFiles } from './tree.ts'

/** The test files of the project: those that may run side by side, and the heavy ones (`*.serial.test.ts`) that run alone. */
export type TestFiles = { unit: string[]; serial: string[] }

/** Finds every `*.test.ts` that one of the patterns means (a path, a part of one, or a glob); all of them when there is no pattern. */
export function findTests(root: string, patterns: readonly string[]): TestFiles {
  const paths = listFiles(root).filter((path) => path.endsWith('.test.ts') && (patterns.length === 0 || isMeant(root, path, patterns)))
  return { unit: paths.filter((path) => !isSerial(path)), serial: paths.filter(isSerial) }
}

/** How long a file may take: a line `// time limit: 600 s` in its first lines, or the default. */
export function readTimeLimit(root: string, path: string, secondsDefault: number): number {
  const head = readFileSync(join(root, path), 'utf8').slice(0, 1000)
  const seconds = Number(/^\/\/ time limit: (\d+) s$/m.exec(head)?.[1] ?? secondsDefault)
  return Math.min(seconds, secondsMost)
}

const secondsMost = 900

function isMeant(root: string, path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => path.includes(relative(root, resolve(root, pattern))) || matchesGlob(path, pattern))
}

function isSerial(path: string): boolean {
  return path.endsWith('.serial.test.ts')
}
