import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { listFiles } from './list-files.ts'

/** The files that a check looks at, by their paths from the root, with slashes. */
export type Tree = {
  readonly paths: readonly string[]
  has: (path: string) => boolean
  /** The text of a file; '' for one that is not text (a NUL within its first bytes). */
  read: (path: string) => string
  /** The syntax of a TypeScript or JavaScript file, parsed once for all checks. */
  parse: (path: string) => ts.SourceFile
}

/** The project as it is on disk. */
export function readTree(root: string): Tree {
  return makeTree(listFiles(root), (path) => {
    const bytes = readFileSync(join(root, path))
    return bytes.subarray(0, 8192).includes(0) ? '' : bytes.toString('utf8')
  })
}

/** A tree of files in memory, for the tests of the checks. */
export function treeOf(texts: Readonly<Record<string, string>>): Tree {
  return makeTree(Object.keys(texts), (path) => texts[path] ?? '')
}

function makeTree(paths: readonly string[], load: (path: string) => string): Tree {
  const known = new Set(paths)
  const read = memoize(load)
  const parse = memoize((path) => ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true))
  return { paths, has: (path) => known.has(path), read, parse }
}

function memoize<Value>(make: (path: string) => Value): (path: string) => Value {
  const cache = new Map<string, Value>()
  return (path) => {
    if (!cache.has(path)) cache.set(path, make(path))
    return cache.get(path) as Value
  }
}
