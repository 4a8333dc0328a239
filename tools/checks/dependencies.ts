import { posix } from 'node:path'
import type { Tree } from '../tree.ts'
import type { CheckFinding } from './finding.ts'
import { listImports, packageOf } from './imports.ts'
import { isCode, isTest, isDevelopmentCode } from './kinds.ts'

type Manifest = Partial<
  Record<'dependencies' | 'devDependencies' | 'optionalDependencies' | 'peerDependencies', Record<string, string>>
> & {
  /** Packages that are used when they are there. npm would install one named in peerDependencies too (docs/decisions/0017-form-check.md). */
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

/**
 * A check: every package that a file imports is in the package.json above it. npm hoists all workspaces into one node_modules, so an
 * undeclared import works here and breaks where the package is installed alone.
 */
export function checkDependencies(tree: Tree): CheckFinding[] {
  return tree.paths.filter(isCode).flatMap((path) => {
    const declared = listDeclared(tree, path)
    return listImports(tree, path).flatMap((imported) => {
      const name = imported.specifier.startsWith('@tessera/') ? nameOfOurs(imported.specifier) : packageOf(imported)
      if (imported.specifier.startsWith('.') || name === null || declared.has(name)) return []
      const isBuiltin = !name.includes('.') && process.getBuiltinModule(name) !== undefined
      const text = isBuiltin
        ? `imports "${name}": write "node:${name}"`
        : `imports ${name}, which ${manifestAbove(tree, path)} does not declare`
      return [{ path, line: imported.line, text }]
    })
  })
}

function nameOfOurs(specifier: string): string {
  return specifier.split('/', 2).join('/')
}

/**
 * Tests and tools are never shipped: they may use the root's development packages and the workspaces. A workspace among the development packages is
 * bundled into what is published.
 */
function listDeclared(tree: Tree, path: string): Set<string> {
  const manifest = readManifest(tree, manifestAbove(tree, path))
  const { dependencies, devDependencies = {}, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest
  const bundled = Object.keys(devDependencies).filter((name) => name.startsWith('@tessera/'))
  const root = readManifest(tree, 'package.json')
  const forTests = isTest(path) || isDevelopmentCode(path) ? { ...root.dependencies, ...root.devDependencies, ...listWorkspaces(tree) } : {}
  const others = { ...dependencies, ...optionalDependencies, ...peerDependencies, ...peerDependenciesMeta, ...forTests }
  return new Set([...bundled, ...Object.keys(others)])
}

function listWorkspaces(tree: Tree): Record<string, string> {
  const folders = tree.paths.filter((path) => /^[^/]+\/package\.json$/.test(path)).map((path) => posix.dirname(path))
  return Object.fromEntries(folders.map((folder) => [`@tessera/${folder}`, '']))
}

function manifestAbove(tree: Tree, path: string): string {
  for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder)) {
    if (tree.has(`${folder}/package.json`)) return `${folder}/package.json`
  }
  return 'package.json'
}

function readManifest(tree: Tree, path: string): Manifest {
  return tree.has(path) ? (JSON.parse(tree.read(path)) as Manifest) : {}
}
