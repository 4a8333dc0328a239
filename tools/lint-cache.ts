import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { listImports } from './checks/imports.ts'
import { isCode } from './checks/kinds.ts'
import { replaceFile } from './replace-file.ts'
import type { Tree } from './tree.ts'

/** The files that passed lint, by a digest of all that lint sees of each: its text, every file it imports, and what all files depend on. */
export type LintCache = {
  /** The files that did not pass as they are now. */
  listStale: () => string[]
  /** Records that all files pass. */
  save: () => void
}

/**
 * Rules that use types see a file and what it imports, directly or not. So a file whose digest is stored needs no second look. Installed packages
 * count by the lockfile. Without a readable file of the cache every file is stale.
 */
export function openLintCache(tree: Tree, file: string): LintCache {
  const digests = digestCode(tree)
  const passed = readPassed(file)
  return {
    listStale: () => [...digests].filter(([path, digest]) => passed[path] !== digest).map(([path]) => path),
    save() {
      mkdirSync(dirname(file), { recursive: true })
      replaceFile(file, JSON.stringify(Object.fromEntries(digests)))
    },
  }
}

/** For each file of code, a digest of what lint sees of it. */
export function digestCode(tree: Tree): ReadonlyMap<string, string> {
  const code = tree.paths.filter(isCode)
  const common = digest([process.version, ...tree.paths.filter((path) => isCommon(tree, path)).map((path) => `${path} ${tree.read(path)}`)])
  const own = new Map(code.map((path) => [path, digest([tree.read(path)])]))
  const targets = new Map(code.map((path) => [path, listTargets(tree, path, code)]))
  const reach = (path: string, reached = new Set<string>()): Set<string> => {
    if (reached.has(path)) return reached
    reached.add(path)
    for (const target of targets.get(path) ?? []) reach(target, reached)
    return reached
  }
  return new Map(
    code.map((path) => [
      path,
      digest([common, ...[...reach(path)].sort().map((reached) => `${reached} ${own.get(reached) ?? readOther(tree, reached)}`)]),
    ]),
  )
}

/** What every file depends on: settings, manifests, declarations without imports, and files that declare globals. */
function isCommon(tree: Tree, path: string): boolean {
  if (/(^|\/)(package|package-lock|tsconfig[^/]*)\.json$|(^|\/)eslint[^/]*\.js$|\.d\.ts$/.test(path)) return true
  return isCode(path) && /\bdeclare (global|module)\b/.test(tree.read(path))
}

/** A package of this repository that is imported by a name of its manifest or of tsconfig.json counts as a whole. */
function listTargets(tree: Tree, path: string, code: readonly string[]): string[] {
  return listImports(tree, path).flatMap(({ specifier, target }) => {
    if (target !== null && (tree.has(target) || specifier.startsWith('.'))) return [target]
    const [, folder] = /^@tessera\/([^/]+)/.exec(specifier) ?? []
    return folder === undefined ? [] : code.filter((each) => each.startsWith(`${folder}/`))
  })
}

function readOther(tree: Tree, path: string): string {
  return tree.has(path) ? tree.read(path) : 'missing'
}

function readPassed(file: string): Record<string, string> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  } catch {
    return {}
  }
}

function digest(texts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const text of texts) hash.update(`${text.length} `).update(text)
  return hash.digest('base64url')
}
