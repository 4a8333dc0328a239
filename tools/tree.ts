import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** The files that a check looks at, by their paths from the root, with slashes. */
export type Tree = {
  readonly paths: readonly string[]
  has: (path: string) => boolean
  /** The text of a file; '' for one that is not text (a NUL within its first bytes). */
  read: (path: string) => string
  /** The syntax of a TypeScript or JavaScript file, parsed once for all checks. */
  parse: (path: string) => ts.SourceFile
}

/** What git tracks, and what it would if asked to: everything that is not ignored, still there, and a plain file. */
export function listFiles(root: string): string[] {
  const run = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  if (run.status !== 0) throw new Error(`git ls-files failed: ${run.error?.message ?? run.stderr}`)
  const paths = new Set(run.stdout.split('\0').filter((path) => path !== ''))
  return [...paths].filter((path) => existsSync(join(root, path)) && lstatSync(join(root, path)).isFile()).sort()
}

/** The project as it lies on the disk. */
export function readTree(root: string): Tree {
  return makeTree(listFiles(root), (path) => {
    const bytes = readFileSync(join(root, path))
    return bytes.subarray(0, 8192).includes(0) ? '' : bytes.toString('utf8')
  })
}

/** A tree out of texts, for the tests of the checks. */
export function treeOf(texts: Readonly<Record<string, string>>): Tree {
  return makeTree(Object.keys(texts), (path) => texts[path] ?? '')
}

function makeTree(paths: readonly string[], load: (path: string) => string): Tree {
  const known = new Set(paths)
  const read = remember(load)
  const parse = remember((path) => ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true))
  return { paths, has: (path) => known.has(path), read, parse }
}

function remember<Value>(make: (path: string) => Value): (path: string) => Value {
  const kept = new Map<string, Value>()
  return (path) => {
    if (!kept.has(path)) kept.set(path, make(path))
    return kept.get(path) as Value
  }
}
