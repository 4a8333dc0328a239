import type { AuditRow } from '../store/audit.ts'

/** Where an entry stands among others. */
type AuditPosition = Pick<AuditRow, 'at' | 'chain' | 'seq' | 'version'>

/**
 * Entries of one object, newest first. Those of one millisecond are in the order of their chain, and the versions of the object decide between chains. An
 * entry without a version, such as one about a code, stands with the last version before it in its chain.
 */
export function sortHistory<T extends AuditPosition>(entries: readonly T[]): T[] {
  const versions = new Map<T, number>()
  const last = new Map<string, number>()
  for (const entry of entries.toSorted((one, other) => one.seq - other.seq)) {
    const name = `${String(entry.at)} ${entry.chain}`
    const version = Math.max(entry.version, last.get(name) ?? 0)
    last.set(name, version)
    versions.set(entry, version)
  }
  const versionOf = (entry: T): number => versions.get(entry) ?? entry.version
  return entries.toSorted((one, other) => other.at - one.at || versionOf(other) - versionOf(one) || comparePositions(one, other))
}

function comparePositions(one: AuditPosition, other: AuditPosition): number {
  if (one.chain !== other.chain) return one.chain < other.chain ? -1 : 1
  return other.seq - one.seq
}
