import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

import { readText } from '../columns.ts'
import { sql } from '../statement.ts'
import type { Read } from '../transaction.ts'
import { locationOf, openReadOnly } from './connect.ts'
import { movedMessage } from './fault.ts'
import { quoteName } from '../move/moved-rows.ts'

// What says which of two stores is in charge. The embedded database decides: from the COMMIT that marks it as moved, PostgreSQL is in charge, and
// triggers in its own file refuse every write to it, whoever writes.

/** What a moved embedded database says of itself. */
export interface MovedMark {
  readonly moveId: string
  /** Unix milliseconds. */
  readonly movedAt: number
}

/**
 * What a target says of itself. `copying`: incomplete. `ready`: complete, and in charge as soon as the embedded database bears the mark of the same move.
 * `complete`: in charge. `returned`: the embedded database is in charge again.
 */
export type TargetState = 'copying' | 'ready' | 'complete' | 'returned'

export interface TargetMark {
  readonly moveId: string
  /** The id of the source's first key of row MACs. */
  readonly source: string
  readonly state: TargetState
}

/** Why a move is not possible; its message says what to do. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}

/** Null when the database was not moved, or does not exist. */
export function readMovedMark(path: string): MovedMark | null {
  if (!existsSync(path) || statSync(path).size === 0) return null
  const db = openReadOnly(locationOf(path), 1000)
  try {
    return findMovedMark(db)
  } finally {
    db.close()
  }
}

export function findMovedMark(db: DatabaseSync): MovedMark | null {
  if (!hasTable(db, markTable)) return null
  const row = db.prepare(`select move_id, moved_at from ${markTable}`).get()
  return row === undefined ? null : { moveId: String(row['move_id']), movedAt: Number(row['moved_at']) }
}

/** In an open transaction: from its COMMIT, every write to the database is refused. */
export function markMoved(db: DatabaseSync, { moveId, movedAt }: MovedMark): void {
  db.exec(`create table ${markTable} (move_id text primary key not null, moved_at integer not null) strict`)
  db.prepare(`insert into ${markTable} (move_id, moved_at) values (?, ?)`).run(moveId, movedAt)
  for (const table of listTables(db)) {
    for (const event of ['insert', 'update', 'delete']) {
      db.exec(
        `create trigger ${quoteName(`${triggerPrefix}refuse_${event}_${table}`)} before ${event} on ${quoteName(table)} ` +
          `begin select raise(abort, '${movedMessage}'); end`,
      )
    }
  }
}

/** In an open transaction: removes the mark, the triggers of a move, and the table of changes. Returns whether there were any. */
export function clearMove(db: DatabaseSync): boolean {
  const triggers = db.prepare("select name from sqlite_schema where type = 'trigger' and substr(name, 1, ?) = ?")
  const names = triggers.all(triggerPrefix.length, triggerPrefix).map((row) => String(row['name']))
  for (const name of names) db.exec(`drop trigger ${quoteName(name)}`)
  const tables = [markTable, changesTable].filter((table) => hasTable(db, table))
  for (const table of tables) db.exec(`drop table ${table}`)
  return names.length + tables.length > 0
}

/** Opens a moved database to writes again. Does nothing to one that was not moved. */
export function reopenMoved(path: string): void {
  const db = new DatabaseSync(path)
  try {
    db.exec('pragma synchronous = extra; begin immediate')
    clearMove(db)
    db.exec('commit')
  } finally {
    db.close()
  }
}

/** Removes what a move that was interrupted has left. Returns false when the database was moved. */
export function clearInterruptedMove(db: DatabaseSync): boolean {
  if (findMovedMark(db) !== null) return false
  if (!hasTable(db, changesTable)) return true
  db.exec('begin immediate')
  clearMove(db)
  db.exec('commit')
  return true
}

/** The tables of the database, without those of a move. */
export function listTables(db: DatabaseSync): string[] {
  const found = db.prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name").all()
  return found.map((row) => String(row['name'])).filter((name) => name !== markTable && name !== changesTable)
}

function hasTable(db: DatabaseSync, name: string): boolean {
  return db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined
}

/** For the checks of a start on PostgreSQL: whether the database was ever a target. */
export const hasTargetMark: Read<boolean> = {
  statement: sql`select case when to_regclass('store_move') is null then 0 else 1 end as found`,
  values: [],
  map: ([row]) => row?.['found'] === 1,
}

export const readTargetMark: Read<TargetMark | null> = {
  statement: sql`select move_id, source, state from store_move`,
  values: [],
  map: ([row]) =>
    row === undefined
      ? null
      : { moveId: readText(row, 'move_id'), source: readText(row, 'source'), state: readText(row, 'state') as TargetState },
}

export const triggerPrefix = 'store_move_'
export const changesTable = 'store_move_changes'
export const targetTable = 'store_move'
const markTable = 'store_move_done'
