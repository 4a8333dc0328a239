import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
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
  const listed = existsSync(join(root, '.git')) ? askGit(root) : walk(root)
  return listed.filter((path) => existsSync(join(root, path)) && lstatSync(join(root, path)).isFile()).sort()
}

/** In a container the folder often belongs to somebody else, which git refuses unless it is told that this is meant. */
function askGit(root: string): string[] {
  const args = ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const run = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  if (run.status !== 0) throw new Error(`git ls-files failed: ${run.error?.message ?? run.stderr}`)
  return [...new Set(run.stdout.split('\0').filter((path) => path !== ''))]
}

/** For a copy without its history: what .gitignore names is left out by hand. */
function walk(root: string): string[] {
  const ignored = ['node_modules', 'data', 'dist', 'coverage']
  return readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.split('/').some((part) => ignored.includes(part)) && !path.endsWith('.log'))
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
