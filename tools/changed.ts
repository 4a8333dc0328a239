import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The files that differ from `origin/HEAD`, or from the last commit without one, by their paths from the root. Null without git. */
export function listChanged(root: string): string[] | null {
  const shared = git(root, ['merge-base', 'HEAD', 'origin/HEAD'])?.[0] ?? 'HEAD'
  const changed = git(root, ['diff', '--name-only', '--no-renames', '-z', shared])
  const added = git(root, ['ls-files', '--others', '--exclude-standard', '-z'])
  if (changed === null || added === null) return null
  return [...new Set([...changed, ...added])].filter((path) => existsSync(join(root, path))).sort()
}

/** The output of git, split; null when it fails. Folders of another user are allowed, as they occur in containers. */
function git(root: string, args: readonly string[]): string[] | null {
  const run = spawnSync('git', ['-c', 'safe.directory=*', ...args], { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return run.status === 0 ? run.stdout.split(/[\0\n]/).filter((part) => part !== '') : null
}
