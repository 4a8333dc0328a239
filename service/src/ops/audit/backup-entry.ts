import type { Clock } from '../../clock.ts'
import { type AuditHead, insertAuditEntry } from '../../store/audit.ts'
import type { Store } from '../../store/store.ts'

/** A backup that an operator made, for its audit entry. */
export interface BackupRecord {
  readonly what: 'database' | 'keys'
  /** The last part of the path of the copy; the rest of it may say more than an auditor has to know. */
  readonly destination: string
  /** The operating system's name of the user who ran the command. */
  readonly user: string
  /** How many audit chains are in the copy; 0 for the key store. */
  readonly chains: number
  /** The ends of the longest of them; the copy's manifest has all. */
  readonly heads: readonly Pick<AuditHead, 'chain' | 'seq'>[]
}

export interface BackupEntryDependencies {
  readonly store: Pick<Store, 'write'>
  readonly clock: Pick<Clock, 'now'>
}

/** Writes the audit entry of a backup: who made it, when, where to, and how far the audit is in it. `requestId` is '' for a command without a service. */
export async function writeBackupEntry({ store, clock }: BackupEntryDependencies, record: BackupRecord, requestId: string): Promise<void> {
  const { what, destination, user, chains, heads } = record
  const action = what === 'database' ? 'database.backed_up' : 'keys.backed_up'
  const entry = { at: clock.now(), actor: 'operator', action, merchantId: '', subject: what, version: 0, mac: new Uint8Array(0) }
  const ends = heads.map(({ chain, seq }) => ({ name: chain, from: null, to: String(seq) }))
  const named = Object.entries({ destination, user, ...(chains === 0 ? {} : { chains: String(chains) }) })
  const changes = [...named.map(([name, to]) => ({ name, from: null, to })), ...ends]
  await store.write(insertAuditEntry, { audit: { ...entry, requestId, outcome: 'done', changes } })
}
