import type { AuditSigner } from '@tessera/vault/audit'

import { type Checkpoint, formatHeads, readHeads, signJson, type SignedCheckpoint } from './checkpoint.ts'

/** Entries of a chain that are known, most of them from checkpoints, and that a database does not have. */
export interface LostEntries {
  readonly chain: string
  /** The last entry that the database has in common with what is known; 0 for none. */
  readonly afterSeq: number
  /** The last entry that is known. */
  readonly untilSeq: number
  /** When the first of them was written at the earliest: the time of the entry `afterSeq`, ISO 8601; null without one. */
  readonly from: string | null
  /** When the last of them was written at the latest: the time of its checkpoint, or its own, ISO 8601. */
  readonly to: string
  /** How many checkpoints name one of them; the end of a database that is replaced counts as one. */
  readonly checkpoints: number
}

/**
 * A signed statement of an operator's command: at this time a database was accepted that lacks entries which were exported in checkpoints. It is written
 * among the checkpoints, so that these entries are not reported as cut off at every start.
 */
export interface RestoreStatement extends Checkpoint {
  /** What the database lacks, by chain. */
  readonly lost: readonly LostEntries[]
  /** When the backup was made, ISO 8601; null when the database was accepted without one. */
  readonly backupAt: string | null
}

export function signRestoreStatement(signer: AuditSigner, statement: Omit<RestoreStatement, 'keyId'>): SignedCheckpoint {
  const { environment, at, heads, lost, backupAt } = statement
  const line = signJson(signer, { type: statementType, environment, at, backupAt, lost, chains: formatHeads(heads), keyId: signer.keyId })
  return { environment, at, heads, keyId: signer.keyId, line }
}

/** Reads a statement from a line; null when there is none. Its signature is not verified. */
export function readRestoreStatement(text: string): (RestoreStatement & SignedCheckpoint) | null {
  const found = readHeads(text, statementType)
  if (found === null) return null
  const { lost, backupAt } = found.members
  if (!Array.isArray(lost) || !lost.every(isLostEntries)) return null
  return { ...found.checkpoint, lost, backupAt: typeof backupAt === 'string' ? backupAt : null }
}

function isLostEntries(value: unknown): value is LostEntries {
  const { chain, afterSeq, untilSeq } = (value ?? {}) as Record<string, unknown>
  return typeof chain === 'string' && Number.isSafeInteger(afterSeq) && Number.isSafeInteger(untilSeq)
}

const statementType = 'tessera.audit.restored/1'
