import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { ExitError } from '../ops/exits.ts'
import type { FoundFile } from '../store/sqlite/file-identity.ts'

/** The paths in a data folder. */
export function dataFolderPaths(folder: string): { environment: string; kek: string; marker: string } {
  return { environment: join(folder, 'environment'), kek: join(folder, 'development.kek'), marker: join(folder, 'store.json') }
}

/** What a data folder was last used with, written by each start that succeeded. Nothing in it is secret. */
export interface FolderMarker {
  readonly store: 'sqlite' | 'postgres'
  /** The id of the key encryption key. */
  readonly kek: string
  /** The id of the first key of row MACs, which identifies the key store and its database; null when there is none yet. */
  readonly key: string | null
  /** The files of the embedded database, as they were when this was written; null on PostgreSQL, and in folders of older versions. */
  readonly files: NotedFiles | null
}

/** `open`: a service is using the files, or crashed. `closing`: it is closing them. `closed`: a stop completed them. */
export interface NotedFiles {
  readonly state: 'open' | 'closing' | 'closed'
  readonly database: FoundFile
  /** Null when there is none, as after a stop. */
  readonly wal: FoundFile | null
}

/**
 * Creates the data folder (0700) if it does not exist, and records its environment. A folder of the other environment is refused: the fixed codes of
 * the test environment must never apply to real cards. So is root on the folder of another user. Throws `ExitError`.
 */
export function claimDataFolder(folder: string, environment: string): void {
  refuseForeignRoot(folder)
  usingFolder(folder, () => {
    createPrivateFolder(resolve(folder))
    if (readEnvironment(folder) === null) replaceFile(dataFolderPaths(folder).environment, `${environment}\n`)
  })
  requireFolder(folder, environment)
}

/** Throws `ExitError` when a data folder belongs to the other environment, or its files cannot be read. Changes nothing. */
export function requireFolder(folder: string, environment: string): void {
  const recorded = usingFolder(folder, () => {
    if (existsSync(folder)) readdirSync(folder)
    return readEnvironment(folder)
  })
  if (recorded === null || recorded === environment) return
  if (recorded !== 'test' && recorded !== 'production') {
    const path = dataFolderPaths(folder).environment
    throw new ExitError(
      'damaged',
      `the file ${path} is ${recorded === '' ? 'empty' : 'damaged'}; it says for which environment the data folder was made.`,
      {
        advice: `Write the one word test or production into it, whichever the folder was made in.`,
      },
    )
  }
  throw new ExitError('invalidSettings', foreignFolderMessage(folder, recorded, environment))
}

/** Root could write everything in the folder of another user, who could then not read it: the next start would be refused. */
function refuseForeignRoot(folder: string): void {
  const path = dataFolderPaths(folder).environment
  const owner = process.geteuid?.() === 0 ? usingFolder(folder, () => statSync(path, { throwIfNoEntry: false })?.uid ?? 0) : 0
  if (owner === 0) return
  throw new ExitError(
    'cannotCreate',
    `the data folder ${folder} belongs to the user with the id ${String(owner)}, who could not read what root writes into it.`,
    { advice: `Run this as the user of the service: setpriv --reuid ${String(owner)} --clear-groups tessera …, or sudo -u.` },
  )
}

/**
 * Creates a folder and its parents. Not with `recursive`: where the system returns ENOENT for every folder (under /proc), Node 24 loops forever and
 * handles no signal.
 */
export function createPrivateFolder(folder: string): void {
  if (existsSync(folder)) return
  createPrivateFolder(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

/** The recorded environment of a data folder; null when there is none. */
export function readEnvironment(folder: string): string | null {
  return readText(dataFolderPaths(folder).environment)?.trim().slice(0, 32) ?? null
}

/** Throws `ExitError` for a command whose settings are not those of the service of the data folder: test is the default. */
export function refuseForeignEnvironment({ dataFolder, environment }: { readonly dataFolder: string; readonly environment: string }): void {
  const recorded = usingFolder(dataFolder, () => readEnvironment(dataFolder))
  if (recorded === null || recorded === environment || (recorded !== 'test' && recorded !== 'production')) return
  throw new ExitError(
    'invalidSettings',
    `the data folder ${dataFolder} is of the ${recorded} environment, and the settings are of ${environment}.`,
    {
      advice: 'Give the settings of its service, such as by --config.',
    },
  )
}

export function foreignFolderMessage(folder: string, recorded: string, environment: string): string {
  return `the data folder ${folder} was made in the ${recorded} environment and cannot be opened in ${environment}: set TESSERA_DATA to another.`
}

/** What the folder was used with; null when no start has succeeded on it. Throws `ExitError`. */
export function readFolderMarker(folder: string): FolderMarker | null {
  const path = dataFolderPaths(folder).marker
  const text = usingFolder(folder, () => readText(path))
  if (text === null) return null
  const marker = parseMarker(text)
  if (marker !== null) return marker
  throw new ExitError('damaged', `the file ${path} is damaged; it says which database the data folder was used with.`, {
    advice: 'Restore it, or delete it when the settings name the right database: the next start writes it again.',
  })
}

/** When the marker was last written or touched, ns; null when there is none. A running service touches it every two seconds. */
export function readMarkerChangedNs(folder: string): bigint | null {
  return statSync(dataFolderPaths(folder).marker, { bigint: true, throwIfNoEntry: false })?.ctimeNs ?? null
}

/** Replaces the marker at once, so that a crash leaves the old one or the new one. */
export function writeFolderMarker(folder: string, { store, kek, key, files }: FolderMarker): void {
  const text = `${JSON.stringify({ store, kek, key, files })}\n`
  const path = dataFolderPaths(folder).marker
  usingFolder(folder, () => {
    if (readText(path) !== text) replaceFile(path, text)
  })
}

/** Throws `ExitError` when the folder was used with the other store: a start would find none of its data. */
export function requireSameStore(folder: string, marker: FolderMarker | null, store: FolderMarker['store']): void {
  if (marker === null || marker.store === store) return
  const [was, advice] =
    marker.store === 'postgres'
      ? [
          'was used with PostgreSQL, and TESSERA_DATABASE_URL is not set; its embedded database is empty or out of date.',
          'Set TESSERA_DATABASE_URL as it was. For a new, empty service set TESSERA_DATA to another folder.',
        ]
      : [
          'was used with its embedded database, and TESSERA_DATABASE_URL is set; the cards that are in the folder are not there.',
          'Remove TESSERA_DATABASE_URL. For a service on PostgreSQL set TESSERA_DATA to another folder.',
        ]
  throw new ExitError('invalidSettings', `the data folder ${folder} ${was}`, { advice })
}

function parseMarker(text: string): FolderMarker | null {
  try {
    const { store, kek, key, files } = JSON.parse(text) as Record<string, unknown>
    if ((store !== 'sqlite' && store !== 'postgres') || typeof kek !== 'string') return null
    return key === null || typeof key === 'string' ? { store, kek, key, files: readNotedFiles(files) } : null
  } catch {
    return null
  }
}

/** Null for anything that this version did not write: then the database is checked in full. */
function readNotedFiles(value: unknown): NotedFiles | null {
  const { state, database, wal } = (value ?? {}) as { state?: unknown; database?: unknown; wal?: unknown }
  if (state !== 'open' && state !== 'closing' && state !== 'closed') return null
  return isFoundFile(database) && (wal === null || isFoundFile(wal)) ? { state, database, wal } : null
}

function isFoundFile(value: unknown): value is FoundFile {
  if (typeof value !== 'object' || value === null) return false
  const { device, inode, createdNs, changedNs, size } = value as Record<string, unknown>
  return (
    [device, inode, createdNs, changedNs].every((each) => typeof each === 'string' && /^[0-9]{1,20}$/.test(each)) &&
    typeof size === 'number'
  )
}

function readText(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null
}

/** Writes a draft, syncs it, and renames it. */
function replaceFile(path: string, text: string): void {
  const draft = `${path}.draft`
  writeFileSync(draft, text, { mode: 0o600, flush: true })
  renameSync(draft, path)
  if (process.platform === 'win32') return
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
}

/** An error of the system becomes one that says what to do. */
function usingFolder<T>(folder: string, use: () => T): T {
  try {
    return use()
  } catch (err) {
    const { code = 'unknown', path } = err as NodeJS.ErrnoException
    const owner = path === undefined || path === folder ? null : findOtherOwner(path)
    throw new ExitError(
      'cannotCreate',
      owner === null
        ? `the data folder ${folder} cannot be used (${code}): let this user write it, or set TESSERA_DATA to another one.`
        : `${String(path)} in the data folder cannot be used (${code}): it belongs to the user with the id ${String(owner)}. Give it to the user of the service, by chown.`,
      { cause: err },
    )
  }
}

/** The owner of a file that is not of this user, such as one that a command of root has written; null when it is, or is not there. */
function findOtherOwner(path: string): number | null {
  try {
    const { uid } = statSync(path)
    return uid === process.geteuid?.() ? null : uid
  } catch {
    return null
  }
}

/** Where `tessera audit verify --from` finds the checkpoints, unless the settings say otherwise. */
export const checkpointFileName = 'audit-checkpoints.jsonl'
/** How far the service read the audit, on the embedded store. */
export const auditHeadsFile = 'audit-heads'
/** The same on PostgreSQL: a value beside the keys, because a process there may not find its data folder again. */
export const auditHeadsValue = 'audit_heads'
/** What the machine's clock has shown, and whether it is refused (domain/clock-guard.ts). */
export const clockFile = 'clock'
