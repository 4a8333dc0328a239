import type { Walk } from '../walk.ts'
import { MoveRefused, readMovedMark, reopenMoved } from '../sqlite/move-marks.ts'
import { isDeadlock, isLockTimeout, postgresFaultOf, serverErrorOf } from '../postgres/fault.ts'
import { PipelineFailed } from '../postgres/session.ts'
import { StoreUnavailable } from '../store.ts'
import { openMoveSource, type MoveSource } from '../sqlite/move-source.ts'
import type { MovePart } from './move-store.ts'
import { openMoveTarget, type MoveTarget } from './move-target.ts'
import { movedKeyOf, isSameRow, type MovedRow, type MovedTable } from './moved-rows.ts'

export interface StoreReturn {
  /** The cards first. No service runs on either store. */
  readonly parts: readonly [MovePart, ...MovePart[]]
  readonly walk: Walk
  /** For tests: called after each step that a crash may follow. */
  readonly onStep?: (step: 'compared' | 'closed' | 'returned') => void
}

/**
 * Puts the embedded store in charge again, when nothing was written on PostgreSQL since the move: every row is compared while nobody can write. Afterwards
 * PostgreSQL refuses every write. When it is interrupted, it is repeated. Returns the number of rows. Throws `MoveRefused`.
 */
export async function moveStoreBack({ parts, walk, onStep = () => undefined }: StoreReturn): Promise<number> {
  const targets: MoveTarget[] = []
  try {
    let rows = 0
    const moved: MovePart[] = []
    const moveId = requireMoveId(parts[0].path)
    for (const part of parts) {
      const target = await openMoveTarget(part.url, part.schema)
      targets.push(target)
      const mark = await target.readMark()
      // The keys were on PostgreSQL before, and did not move.
      if (part.schema === 'keys' && mark === null && readMovedMark(part.path) === null) continue
      moved.push(part)
      if (mark?.moveId !== moveId) throw new MoveRefused('this database is not the one that the service was moved to.')
      // An earlier attempt came this far.
      if (mark.state !== 'returned') rows += await closeTarget(part, target, { walk, onStep })
      onStep('closed')
    }
    // The cards last: their mark decides.
    for (const { path } of moved.toReversed()) reopenMoved(path)
    onStep('returned')
    return rows
  } catch (err) {
    throw explainReturn(err)
  } finally {
    for (const target of targets) await target.close().catch(() => undefined)
  }
}

/** An error of PostgreSQL as one that says what to do; any other error as it is. */
function explainReturn(err: unknown): unknown {
  if (isLockTimeout(err) || isDeadlock(err))
    return new MoveRefused('another session uses a table of PostgreSQL: end it, such as a dump, and repeat the command.')
  const server = serverErrorOf(err)
  if (server !== null && ['25006', '42501'].includes(server.code ?? ''))
    return new MoveRefused(`PostgreSQL refuses to be closed to writes (${server.message}): correct this, and repeat the command.`)
  return err instanceof PipelineFailed && postgresFaultOf(err) === 'unavailable' ? new StoreUnavailable(err.message, { cause: err }) : err
}

function requireMoveId(path: string): string {
  const mark = readMovedMark(path)
  if (mark === null) throw new MoveRefused('the embedded database was not moved: there is nothing to take back.')
  return mark.moveId
}

async function closeTarget(
  { path }: MovePart,
  target: MoveTarget,
  { walk, onStep }: Required<Pick<StoreReturn, 'walk' | 'onStep'>>,
): Promise<number> {
  // A crash may have come before the mark of the key store, or an earlier attempt have removed it.
  const source = openMoveSource(path, readMovedMark(path) !== null)
  try {
    await target.beginReturn(source.tables)
    const rows = await compareAll(source, target, walk)
    onStep('compared')
    await target.commitReturn(source.tables)
    return rows
  } finally {
    source.close()
  }
}

async function compareAll(source: MoveSource, target: MoveTarget, walk: Walk): Promise<number> {
  let rows = 0
  walk.begin('rows compared', source.estimateRows())
  for (const table of source.tables) {
    if (processTables.has(table.name)) continue
    for (let after: MovedRow | null = null; ;) {
      const { page } = source.read({ table, after, count: pageRows })
      const last = page.length < pageRows ? undefined : page.at(-1)
      const to: MovedRow | null = last === undefined ? null : movedKeyOf(table, last)
      const found = (await target.readPage(table, { after, to, count: pageRows + 1 })).filter((row) => !isOfProcess(table, row))
      const own = page.filter((row) => !isOfProcess(table, row))
      if (found.length !== own.length || !own.every((row, at) => isSameRow(row, found[at])))
        throw new MoveRefused(`the way back is closed: PostgreSQL was written since the move (table ${table.name}). Nothing was changed.`)
      rows += page.length
      await walk.advance(page.length)
      if (last === undefined) break
      after = to
    }
  }
  return rows
}

function isOfProcess({ name, columns }: MovedTable, row: MovedRow): boolean {
  return name === 'key_store_values' && processValues.has(row[columns.findIndex((column) => column.name === 'name')] ?? '')
}

/** What a process says from its start on, and nobody misses: of itself, and when a wording of its own was last in use. */
const processTables: ReadonlySet<string> = new Set([
  'disclosures',
  'kek_processes',
  'known_answers',
  'summary_lease',
  // What jobs derive from the rows that are compared, from a position of their own: each store derives it again. They begin a second after a start.
  'receipt_orders',
  'receipt_summaries',
  'summary_positions',
  'tallies',
  'tally_places',
])
const processValues: ReadonlySet<string> = new Set(['audit_heads', 'primary_epoch'])
const pageRows = 200
