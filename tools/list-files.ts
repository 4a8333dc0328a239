import { spawnSync } from 'node:child_process'
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

/** What git tracks, and what it would track: every plain file that exists and is not ignored. Paths from the root, with slashes, sorted. */
export function listFiles(root: string): string[] {
  const paths = existsSync(join(root, '.git')) ? listByGit(root) : listByHand(root)
  return paths.filter((path) => existsSync(join(root, path)) && lstatSync(join(root, path)).isFile()).sort()
}

/** In a container the folder often belongs to another user. Git refuses such a folder unless it is declared safe. */
function listByGit(root: string): string[] {
  const args = ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const run = spawnSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  if (run.status !== 0) throw new Error(`git ls-files failed: ${run.error?.message ?? run.stderr}`)
  return [...new Set(run.stdout.split('\0').filter((path) => path !== ''))]
}

/** For a copy without its history: leaves out what .gitignore names. */
function listByHand(root: string): string[] {
  const ignored = ['node_modules', 'data', 'dist', 'coverage']
  return readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !path.split('/').some((part) => ignored.includes(part)) && !path.endsWith('.log'))
}
