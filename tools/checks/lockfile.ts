import type { Tree } from '../tree.ts'
import type { CheckFinding } from './finding.ts'

type LockEntry = { version?: string; resolved?: string; integrity?: string; link?: boolean; hasInstallScript?: boolean; inBundle?: boolean }

/**
 * A check: the lockfile says what is installed and not from where, by content and not by name; nothing in it runs on installation but what is allowed here;
 * and the Node of every platform is one exact version.
 */
export function checkLockfile(tree: Tree): CheckFinding[] {
  const path = 'package-lock.json'
  const { packages } = JSON.parse(tree.read(path)) as { packages: Record<string, LockEntry> }
  const complaints = Object.entries(packages).flatMap(([name, entry]) => judgeEntry(name, entry))
  return [...complaints.map((text) => ({ path, line: 1, text })), ...checkPinnedNode(tree)]
}

function judgeEntry(name: string, { resolved, integrity, link, hasInstallScript, inBundle }: LockEntry): string[] {
  if (!name.includes('node_modules/') || link === true || inBundle === true) return []
  return [
    ...(resolved === undefined ? [] : [`${name} names a registry`]),
    ...(integrity === undefined ? [`${name} has no integrity`] : []),
    ...(hasInstallScript === true && !allowedScripts.has(name) ? [`${name} runs a script on installation`] : []),
  ]
}

/** koffi's script does nothing where its package of the platform is installed, and is not needed there (docs/decisions/0051-pkcs11.md). */
const allowedScripts: ReadonlySet<string> = new Set(['node_modules/koffi'])

function checkPinnedNode(tree: Tree): CheckFinding[] {
  const path = 'package.json'
  const { optionalDependencies = {} } = JSON.parse(tree.read(path)) as { optionalDependencies?: Record<string, string> }
  const versions = Object.entries(optionalDependencies).flatMap(([name, version]) => (/^node-(linux|win)-/.test(name) ? [version] : []))
  const isOne = new Set(versions).size === 1 && versions.every((version) => /^\d+\.\d+\.\d+$/.test(version))
  return isOne
    ? []
    : [{ path, line: 1, text: `Node is pinned to ${versions.join(', ') || 'nothing'}: one exact version for all platforms` }]
}
