import { statSync } from 'node:fs'

import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'
import type { DatabaseInspection } from '../../store/inspection.ts'
import { readWalPosition } from '../../store/postgres/wal-position.ts'
import { hashFile } from '../../store/sqlite/replace-database.ts'
import { SQLITE_FILE } from '../../store/sqlite/sqlite.ts'
import { signCheckpoint } from '../audit/checkpoint.ts'
import { makeAuditSigners } from '../audit/signers.ts'

import { signManifest, type BackupManifest } from './manifest.ts'
import { verifyCopy, type CopyVerification } from './verify-copy.ts'

/** A manifest and its signed line, with what was verified before it was signed. */
export interface SignedBackup extends Pick<CopyVerification, 'entries' | 'answers' | 'rows'> {
  readonly line: string
  readonly manifest: BackupManifest
}

export interface BackupToSign {
  readonly environment: string
  readonly keyring: Keyring
  /** The copy, or the database itself on PostgreSQL. */
  readonly database: DatabaseInspection
  /** The version of Tessera. */
  readonly version: string
  readonly clock: Pick<Clock, 'now'>
}

/** Verifies a copy and signs its manifest. Throws as `verifyCopy` does. */
export async function signBackup({ environment, keyring, database, version, clock }: BackupToSign): Promise<SignedBackup> {
  const { heads, gaps, ...verified } = await verifyCopy({ database, keyring, environment })
  const path = database.file
  const file = path === null ? null : { name: SQLITE_FILE, bytes: statSync(path).size, sha256: await hashFile(path) }
  // After the chains, so that what is restored up to it has all of them.
  const wal = path === null ? await database.read(readWalPosition()) : null
  const signer = await makeAuditSigners(keyring).active()
  const at = new Date(clock.now()).toISOString()
  const checkpoint = signCheckpoint(signer, { environment, at, heads })
  const migrations = database.appliedMigrations
  const manifest: BackupManifest = { environment, at, version, migrations, checkpoint, gaps, file, wal }
  return { line: signManifest(signer, manifest), manifest, ...verified }
}
