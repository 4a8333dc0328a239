import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The files that differ from what everybody has (`origin/HEAD`; without one, from the last commit), by their paths from the root. Null: git cannot tell. */
export function listChanged(root: string): string[] | null {
  const shared = git(root, ['merge-base', 'HEAD', 'origin/HEAD'])?.[0] ?? 'HEAD'
  const changed = git(root, ['diff', '--name-only', '--no-renames', '-z', shared])
  const added = git(root, ['ls-files', '--others', '--exclude-standard', '-z'])
  if (changed === null || added === null) return null
  return [...new Set([...changed, ...added])].filter((path) => existsSync(join(root, path))).sort()
}

/** What git prints, part by part; null when it refuses. A folder of somebody else's, as in a container, is meant. */
function git(root: string, args: readonly string[]): string[] | null {
  const run = spawnSync('git', ['-c', 'safe.directory=*', ...args], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return run.status === 0 ? run.stdout.split(/[\0\n]/).filter((part) => part !== '') : null
}
