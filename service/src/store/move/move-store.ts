import type { Walk, WalkOptions } from '../walk.ts'

import { openMoveSource, type MoveSource, type SourceSnapshot } from '../sqlite/move-source.ts'
import { postgresFaultOf, serverErrorOf } from '../postgres/fault.ts'
import { PipelineFailed } from '../postgres/session.ts'
import { sqliteFaultOf } from '../sqlite/fault.ts'
import { MoveRefused } from '../sqlite/move-marks.ts'
import { StoreUnavailable } from '../store.ts'
import { openMoveTarget, type MoveTarget } from './move-target.ts'
import { isSameRow, movedKeyOf, keyText, type MovedRow, type MovedTable } from './moved-rows.ts'

/** A database to move: the cards', or the keys'. */
export interface MovePart {
  readonly schema: 'cards' | 'keys'
  /** The file of the embedded database. */
  readonly path: string
  readonly url: string
}

export interface StoreMove {
  /** The cards first; the keys as well where they are in an embedded database. */
  readonly parts: readonly [MovePart, ...MovePart[]]
  readonly moveId: string
  /** The id of the first key of row MACs. */
  readonly source: string
  readonly walk: Walk
  /** Checks MACs, keys and audit chains of the copy, which nothing changes meanwhile. Throws when it finds anything. */
  readonly checkCopy: () => Promise<void>
  /** Called before the pause: the last writes of the service that the move is to have. */
  readonly beforePause: () => Promise<void>
  /** How far the audit was read, for the key store of PostgreSQL; null when it is not known. */
  readonly auditHeads: () => Promise<Uint8Array | null>
  /** Milliseconds of a monotonic clock, and Unix milliseconds. */
  readonly now: () => number
  readonly unixMs: () => number
  /** For tests: called after each step that a crash may follow. */
  readonly onStep?: (step: MoveStep) => void
}

export type MoveStep = 'capturing' | 'copied' | 'checked' | 'compared' | 'locked' | 'ready' | 'marked' | 'complete'

export interface StoreMoveReport {
  readonly tables: number
  /** Rows that were compared, each with all its columns. */
  readonly rows: number
  /** Rows that were changed meanwhile and copied again. */
  readonly changed: number
  /** How long writes waited. */
  readonly pauseMs: number
}

/** What a command says of the next start. The addresses have passwords: they are in no log and no message. */
export interface MoveDestination {
  readonly databaseUrl: string
  readonly keysDatabaseUrl: string | null
  readonly environment: string
  /** The provider of the KEK, as TESSERA_KEK names it. */
  readonly kek: string
}

/** Who moves the store, for the audit. */
export interface MoveActor {
  readonly actor: string
  readonly requestId: string
  readonly address?: string
}

/** Moves the embedded store of this service, one move at a time. */
export interface RunStoreMove {
  /** Null while another move runs, and after one. Throws `MoveRefused`. The service stops after a move. */
  run(to: MoveDestination, by: MoveActor, options: Pick<WalkOptions, 'signal' | 'onProgress'>): Promise<StoreMoveReport> | null
}

interface OpenedPart {
  readonly part: MovePart
  readonly source: MoveSource
  readonly target: MoveTarget
}

/**
 * Moves the embedded store to PostgreSQL while a service uses it. Afterwards the embedded store refuses every write, and PostgreSQL is in charge. When it
 * throws, or the process ends before that, the embedded store is in charge as before. Throws `MoveRefused`, errors of both databases, and the reason of a
 * cancelled walk.
 */
export async function moveStore(move: StoreMove): Promise<StoreMoveReport> {
  const opened: OpenedPart[] = []
  const { walk, onStep = () => undefined } = move
  let [rows, changed] = [0, 0]
  const progress = { isMarked: false }
  try {
    for (const part of move.parts) opened.push(await openPart(part))
    const mark = { moveId: move.moveId, source: move.source, state: 'copying' } as const
    for (const { source, target } of opened) await target.prepare(mark, source.tables)
    for (const { source } of opened) source.startCapture()
    onStep('capturing')
    await walkRows('rows copied', copyPage)
    for (const each of opened) await step(each, each.source.read(null))
    onStep('copied')
    await move.checkCopy()
    onStep('checked')
    rows = await walkRows('rows compared', comparePage)
    onStep('compared')
    await catchUp()
    await move.beforePause()
    const pauseMs = await putTargetInCharge()
    return { tables: opened.reduce((sum, { source }) => sum + source.tables.length, 0), rows, changed, pauseMs }
  } catch (err) {
    if (!progress.isMarked) for (const { source } of opened) cancelQuietly(source)
    throw explainMove(
      err,
      opened.some(({ target }) => !target.isUsable()),
    )
  } finally {
    for (const { source, target } of opened) {
      source.close()
      await target.close().catch(() => undefined)
    }
  }

  /** Goes through all tables in pages. Returns how many rows they had. */
  async function walkRows(
    stage: string,
    run: (of: OpenedPart, table: MovedTable, after: MovedRow | null) => Promise<readonly MovedRow[]>,
  ): Promise<number> {
    let count = 0
    walk.begin(
      stage,
      opened.reduce((sum, { source }) => sum + source.estimateRows(), 0),
    )
    for (const each of opened) {
      for (const table of each.source.tables) {
        for (let after: MovedRow | null = null; ;) {
          const page = await run(each, table, after)
          count += page.length
          await walk.advance(page.length)
          const last = page.at(-1)
          if (last === undefined || page.length < pageRows) break
          after = movedKeyOf(table, last)
        }
      }
    }
    return count
  }

  /** The target is as the source was at one moment, in all rows that were copied so far, after each step. */
  async function copyPage(of: OpenedPart, table: MovedTable, after: MovedRow | null): Promise<readonly MovedRow[]> {
    const snapshot = of.source.read({ table, after, count: pageRows })
    const rowsByKey = new Map((snapshot.changes.get(table) ?? []).map((each) => [keyText(each.key), each]))
    for (const row of snapshot.page) rowsByKey.set(keyText(movedKeyOf(table, row)), { key: movedKeyOf(table, row), row })
    const changes = rowsByKey.size === 0 ? snapshot.changes : new Map([...snapshot.changes, [table, [...rowsByKey.values()]]])
    await step(of, { ...snapshot, changes })
    return snapshot.page
  }

  async function comparePage(of: OpenedPart, table: MovedTable, after: MovedRow | null): Promise<readonly MovedRow[]> {
    const snapshot = of.source.read({ table, after, count: pageRows })
    const { page } = snapshot
    await step(of, snapshot)
    const last = page.length < pageRows ? undefined : page.at(-1)
    const range = { after, to: last === undefined ? null : movedKeyOf(table, last), count: pageRows + 1 }
    const found = await of.target.readPage(table, range)
    if (found.length !== page.length || !page.every((row, at) => isSameRow(row, found[at]))) throw differs(table)
    return page
  }

  /** Applies what was changed, and compares it. */
  async function step({ source, target }: OpenedPart, { changes }: SourceSnapshot): Promise<number> {
    let count = 0
    await target.apply(changes)
    for (const [table, rowsOfTable] of changes) {
      count += rowsOfTable.length
      const found = await target.readRows(
        table,
        rowsOfTable.map(({ key }) => key),
      )
      for (const { key, row } of rowsOfTable) if (!isSameRow(row ?? undefined, found.get(keyText(key)))) throw differs(table)
    }
    source.forget()
    changed += count
    return count
  }

  /** Until what is left takes a moment. */
  async function catchUp(): Promise<void> {
    walk.begin('changes', null)
    for (let round = 0; round < roundsMax; round++) {
      const beganAt = move.now()
      for (const each of opened) await step(each, each.source.read(null))
      await walk.advance(0)
      if (move.now() - beganAt < roundMs) return
    }
    throw new MoveRefused(`PostgreSQL does not keep up with the writes of this service: repeat it when there are fewer. Nothing was moved.`)
  }

  async function putTargetInCharge(): Promise<number> {
    walk.begin('switching', null)
    const beganAt = move.now()
    for (let attempt = 1; ; attempt++) {
      try {
        await copyUnderLock()
        break
      } catch (err) {
        for (const { source, target } of opened) {
          source.unlock()
          target.limitStatements(null)
        }
        if (attempt === attemptsMax || !(err instanceof PauseTooLong)) throw err
        await catchUp()
      }
    }
    const pauseMs = Math.round(move.now() - beganAt)
    onStep('marked')
    // Whatever is interrupted here is completed by the start on PostgreSQL.
    const [cards, ...keys] = opened
    try {
      for (const { source } of keys) source.mark(movedMark())
      await cards?.target.setState('complete')
      for (const { target } of keys) await target.setState('complete')
    } catch {
      // PostgreSQL is in charge all the same.
    }
    onStep('complete')
    return pauseMs
  }

  async function copyUnderLock(): Promise<void> {
    const beganAt = move.now()
    const requireTime = (): void => {
      if (move.now() - beganAt > pauseMsMax) throw new PauseTooLong(`the last changes took more than ${String(pauseMsMax)} ms`)
    }
    for (const { source, target } of opened) {
      source.lock()
      // One that does not respond would keep the writes waiting for as long as a statement may take otherwise.
      target.limitStatements(pauseMsMax)
    }
    onStep('locked')
    for (const each of opened) {
      await step(each, each.source.read(null))
      requireTime()
    }
    const heads = await move.auditHeads()
    const keys = opened.find(({ part }) => part.schema === 'keys')
    if (heads !== null && keys !== undefined) await keys.target.saveValue(auditHeadsName, heads)
    for (const { target } of opened) await target.setState('ready')
    requireTime()
    walk.signal?.throwIfAborted()
    onStep('ready')
    opened[0]?.source.mark(movedMark())
    progress.isMarked = true
  }

  function movedMark(): { moveId: string; movedAt: number } {
    return { moveId: move.moveId, movedAt: move.unixMs() }
  }
}

async function openPart(part: MovePart): Promise<OpenedPart> {
  const target = await openMoveTarget(part.url, part.schema)
  try {
    return { part, source: openMoveSource(part.path), target }
  } catch (err) {
    await target.close().catch(() => undefined)
    throw err
  }
}

/** What it cannot remove now, the next start or the next move removes. */
function cancelQuietly(source: MoveSource): void {
  try {
    source.cancel()
  } catch {
    // The reason why the move ended says more.
  }
}

/** An error of one of the databases as a refusal that says what to do; any other error as it is. */
function explainMove(err: unknown, isLost: boolean): unknown {
  if (err instanceof MoveRefused || !(err instanceof Error)) return err
  if (sqliteFaultOf(err) === 'full') return new MoveRefused('the disk of the data folder is full: nothing was moved.')
  if (sqliteFaultOf(err) === 'busy') return new MoveRefused('the embedded database is locked by another program: nothing was moved.')
  if (err instanceof StoreUnavailable) return new MoveRefused(`PostgreSQL cannot be used (${err.message}): nothing was moved.`)
  const server = serverErrorOf(err)
  if (server === null) {
    const isSilent = isLost || err instanceof PipelineFailed || err.message === 'Query read timeout'
    return isSilent ? new MoveRefused(`PostgreSQL does not respond (${err.message}): nothing was moved.`) : err
  }
  const code = server.code ?? ''
  if (postgresFaultOf(err) === 'full') return new MoveRefused('PostgreSQL has no room left: nothing was moved.')
  if (code === '25006') return new MoveRefused(`PostgreSQL is read-only (${server.message}): nothing was moved.`)
  if (code === '42501' || code === '3F000') return new MoveRefused(`${server.message}: ${grantRights} Nothing was moved.`)
  if (/^42(P0[67]|710|70[13])/.test(code))
    return new MoveRefused(`the target has something of another program (${server.message}): name an empty database. Nothing was moved.`)
  const fault = postgresFaultOf(err)
  return fault === 'unavailable' || fault === 'again'
    ? new MoveRefused(`PostgreSQL does not respond (${server.message}): nothing was moved.`)
    : err
}

function differs({ name }: MovedTable): Error {
  return new Error(`a row of ${name} is not the same on PostgreSQL: nothing was moved`)
}

const grantRights = 'the user of PostgreSQL may not create tables there, or does not own those that are there (docs/operating/starting.md).'

class PauseTooLong extends Error {}

/** Where a service on PostgreSQL records how far it has read the audit. */
export const auditHeadsName = 'audit_heads'
const pageRows = 200
const roundsMax = 100
const roundMs = 150
/** Writes wait for it. Longer than this the commit thread would refuse them. */
const pauseMsMax = 3000
const attemptsMax = 5
