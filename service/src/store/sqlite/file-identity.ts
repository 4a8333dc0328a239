import { statSync, type BigIntStats } from 'node:fs'
import { join } from 'node:path'

import { SQLITE_FILE } from './sqlite.ts'

/** What tells one file from another one of the same name, as decimal digits: inode numbers do not fit into a JavaScript number. */
export interface FileIdentity {
  readonly device: string
  readonly inode: string
  /** When the file was created, ns. A file system may give the inode of a deleted file to the next one. */
  readonly createdNs: string
}

/** The files of the embedded database as they are found; null for one that is missing, or a database that is empty. */
export interface DatabaseFiles {
  readonly database: FoundFile | null
  /** The write-ahead log: after a crash it has the newest acknowledged writes. A stop removes it. */
  readonly wal: FoundFile | null
}

export interface FoundFile extends FileIdentity {
  readonly size: number
  /** When content or properties of the file last changed, ns. Unlike the time of modification, no program can set it. */
  readonly changedNs: string
}

/** Looks at the files in a data folder without opening them. */
export function findDatabaseFiles(folder: string): DatabaseFiles {
  const path = join(folder, SQLITE_FILE)
  const database = findFile(path)
  return { database: database?.size === 0 ? null : database, wal: findFile(`${path}-wal`) }
}

export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.device === other.device && one.inode === other.inode && one.createdNs === other.createdNs
}

function findFile(path: string): FoundFile | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? null : toFoundFile(stats)
}

function toFoundFile({ dev, ino, birthtimeNs, size, ctimeNs }: BigIntStats): FoundFile {
  const [device, inode, createdNs, changedNs] = [dev, ino, birthtimeNs, ctimeNs].map(String) as [string, string, string, string]
  return { device, inode, createdNs, size: Number(size), changedNs }
}
