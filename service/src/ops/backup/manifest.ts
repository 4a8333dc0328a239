import type { KeyObject } from 'node:crypto'

import type { AuditSigner } from '@tessera/vault/audit'

import type { AuditGap } from '../../store/audit.ts'
import { isSignedLine, parseObject, readCheckpoint, signJson, type SignedCheckpoint } from '../audit/checkpoint.ts'

/** The file of a backup that says what the backup is, one signed line of JSON. */
export const manifestFileName = 'manifest.json'

/** What a backup contains, signed by the service's key of the audit. */
export interface BackupManifest {
  readonly environment: string
  /** When the manifest was signed, ISO 8601. */
  readonly at: string
  /** The version of Tessera. */
  readonly version: string
  /** How many migrations the schema has. */
  readonly migrations: number
  /** The ends of the audit chains in the backup. */
  readonly checkpoint: SignedCheckpoint
  /** Audit entries that the database lacked when the backup was made: nothing is lost by a restore that lacks them too. */
  readonly gaps: readonly AuditGap[]
  /** The copy of the embedded database; null on PostgreSQL, which its own tools copy. */
  readonly file: BackupFile | null
  /** Where PostgreSQL stood: a restore has to reach this position; null on the embedded store. */
  readonly wal: { readonly lsn: string; readonly timeline: number } | null
}

export interface BackupFile {
  readonly name: string
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
}

/** The line of a manifest, with its signature as the last member. */
export function signManifest(signer: AuditSigner, manifest: BackupManifest): string {
  const { checkpoint, ...content } = manifest
  return signJson(signer, { type: manifestType, ...content, checkpoint: checkpoint.line, keyId: signer.keyId })
}

/** Reads a manifest. Returns null when it is none; `isSigned` is false when none of the keys signed it as it is. */
export function readManifest(
  text: string,
  keys: readonly KeyObject[],
): { readonly manifest: BackupManifest; readonly isSigned: boolean } | null {
  const line = text.trim()
  const { type, environment, at, version, migrations, checkpoint: checkpointLine, file, wal, gaps = [] } = parseObject(line) ?? {}
  if (type !== manifestType || typeof environment !== 'string' || typeof at !== 'string' || typeof version !== 'string') return null
  if (typeof migrations !== 'number' || typeof checkpointLine !== 'string') return null
  const checkpoint = readCheckpoint(checkpointLine)
  if (checkpoint === null || !isFileOrNull(file) || !isWalOrNull(wal) || !areGaps(gaps)) return null
  const isSigned = isSignedLine(keys, line) && isSignedLine(keys, checkpoint.line)
  return { manifest: { environment, at, version, migrations, checkpoint, file, wal, gaps }, isSigned }
}

function areGaps(value: unknown): value is AuditGap[] {
  return Array.isArray(value) && value.every(isGap)
}

function isGap(value: unknown): boolean {
  const { chain, afterSeq, seq } = (value ?? {}) as Record<string, unknown>
  return typeof chain === 'string' && Number.isSafeInteger(afterSeq) && Number.isSafeInteger(seq)
}

function isFileOrNull(value: unknown): value is BackupFile | null {
  if (value === null) return true
  const { name, bytes, sha256 } = (value ?? {}) as Record<string, unknown>
  return typeof name === 'string' && /^[a-z.]+$/.test(name) && typeof bytes === 'number' && typeof sha256 === 'string'
}

function isWalOrNull(value: unknown): value is BackupManifest['wal'] {
  if (value === null) return true
  const { lsn, timeline } = (value ?? {}) as Record<string, unknown>
  return typeof lsn === 'string' && typeof timeline === 'number'
}

const manifestType = 'tessera.backup/1'
