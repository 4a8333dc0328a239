import { readInteger, readText } from '../columns.ts'
import { sql } from '../statement.ts'
import { serverErrorOf } from './fault.ts'
import type { PrimaryCandidate } from './fence.ts'
import type { Session } from './session.ts'

/** Part of the schema like the list of migrations, and created with it. One row; what it holds decides nothing but which server is followed. */
export const createFenceTable = `
  create table if not exists primary_epoch (
    id integer primary key not null, epoch integer not null, timeline integer not null, chosen_over integer not null)`

/** Reads what decides whether a server that accepts writes is followed. Needs no right beyond that of reading the service's own tables. */
export async function readCandidate(session: Session, host: string): Promise<PrimaryCandidate> {
  const [server] = await optional(session.query(selectServer, []))
  const [row] = await optional(session.query(selectFencingRow, []))
  return {
    host,
    startedAt: server === undefined ? host : readText(server, 'started_at'),
    timeline: server === undefined ? 0 : Number.parseInt(readText(server, 'walfile').slice(0, 8), 16),
    epoch: row === undefined ? 0 : readInteger(row, 'epoch'),
    rowTimeline: row === undefined ? 0 : readInteger(row, 'timeline'),
    chosenOver: row === undefined ? 0 : readInteger(row, 'chosen_over'),
  }
}

/**
 * Advances the epoch of a server on a newer timeline, or writes its first row, unless another process has done it since. Nothing is written before the
 * schema exists. It does not wait for standbys: a primary whose standby is away is followed too.
 */
export async function advanceEpoch(session: Session, found: PrimaryCandidate): Promise<PrimaryCandidate> {
  if (found.epoch > 0 && found.timeline <= found.rowTimeline) return found
  await writeLocally(session, () =>
    found.epoch === 0 ? session.query(insertRow, [found.timeline]) : session.query(updateRow, [found.epoch, found.timeline]),
  ).catch(ignoreMissingTable)
  return readCandidate(session, found.host)
}

/** Makes a server the primary of a new epoch, whatever others there are on timelines up to `over`. False when its row has a later epoch already. */
export async function chooseEpoch(session: Session, chosen: { epoch: number; timeline: number; over: number }): Promise<boolean> {
  return writeLocally(session, async () => {
    // A database of an older version has no such table yet.
    await session.execute(createFenceTable)
    return (await session.query(chooseRow, [chosen.epoch, chosen.timeline, chosen.over])).length > 0
  })
}

async function writeLocally<T>(session: Session, write: () => Promise<T>): Promise<T> {
  await session.execute('begin; set local synchronous_commit = local')
  try {
    const result = await write()
    await session.execute('commit')
    return result
  } catch (err) {
    await session.execute('rollback')
    throw err
  }
}

/** Before the schema exists there is no epoch. */
function ignoreMissingTable(err: unknown): void {
  if (serverErrorOf(err)?.code !== UNDEFINED_TABLE) throw err
}

/** No rows where the server does not have the function (other databases with this protocol), the table, or the right. */
async function optional<T>(query: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await query
  } catch (err) {
    if (/^(42|0A)/.test(serverErrorOf(err)?.code ?? '')) return []
    throw err
  }
}

const selectServer = sql`
  select pg_walfile_name(pg_current_wal_lsn()) as walfile, pg_postmaster_start_time()::text as started_at`
export const selectFencingRow = sql`select epoch, timeline, chosen_over from primary_epoch where id = 1`
const insertRow = sql`insert into primary_epoch (id, epoch, timeline, chosen_over) values (1, 1, $1, 0) on conflict (id) do nothing`
const updateRow = sql`update primary_epoch set epoch = epoch + 1, timeline = $2 where id = 1 and epoch = $1 and timeline < $2`
const chooseRow = sql`
  insert into primary_epoch (id, epoch, timeline, chosen_over) values (1, $1, $2, $3)
  on conflict (id) do update set epoch = $1, timeline = $2, chosen_over = $3 where primary_epoch.epoch < $1
  returning epoch`

const UNDEFINED_TABLE = '42P01'
