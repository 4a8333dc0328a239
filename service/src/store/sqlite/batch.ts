import { emptyChain, linkEntry } from '../../audit/chain.ts'
import { entryValues, findAuditHead, insertEntry } from '../questions/audit.ts'
import { units } from '../questions/units.ts'
import type { Write } from '../questions/units.ts'
import { sql } from '../statement.ts'
import type { AuditHead } from '../store.ts'
import type { Unit } from '../unit.ts'
import type { Connection } from './connect.ts'
import { faultOf } from './fault.ts'

/** The one chain of an embedded store. */
export const SQLITE_CHAIN = 'embedded'

/** What became of one unit of a batch. */
export type UnitEnd = { readonly answer: unknown } | { readonly failed: string }

/** What became of a batch: every unit's end, after COMMIT; or nothing at all was done; or it cannot be known. */
export type BatchEnd =
  { readonly kind: 'kept'; readonly ends: readonly UnitEnd[] } | { readonly kind: 'full' | 'busy'; readonly message: string } | LostBatch

/** Nothing is known of it: it may be durable or not. */
export interface LostBatch {
  readonly kind: 'lost'
  readonly message: string
}

/** Writes batches: all units of one batch in one transaction, each unit in a savepoint of its own. */
export function makeBatchWriter(connection: Connection): (batch: readonly Write[]) => BatchEnd {
  const begin = connection.db.prepare('begin immediate')
  const commit = connection.db.prepare('commit')
  const save = connection.db.prepare('savepoint unit')
  const release = connection.db.prepare('release unit')
  const back = connection.db.prepare('rollback to unit')
  let head: AuditHead = emptyChain(SQLITE_CHAIN)
  let seenVersion = -1

  return (batch) => {
    const headBefore = head
    try {
      begin.run()
      readHeadAnew()
      const ends = batch.map(runUnit)
      commit.run()
      return { kind: 'kept', ends }
    } catch (err) {
      head = headBefore
      return endFailed(err)
    }
  }

  /** Another process may have written: then the data version of this connection has moved, and so has the chain. */
  function readHeadAnew(): void {
    const version = Number(connection.ask(dataVersion, [])[0]?.['data_version'])
    if (version === seenVersion) return
    seenVersion = version
    const question = findAuditHead(SQLITE_CHAIN)
    head = question.tell(connection.ask(question.statement, question.values)) ?? emptyChain(SQLITE_CHAIN)
  }

  function runUnit({ name, ask }: Write): UnitEnd {
    const headBefore = head
    save.run()
    try {
      // The name belongs to what is asked, by the type of Write.
      const { answer, undone } = drive((units[name] as (ask: unknown) => Unit<unknown>)(ask))
      if (undone) undo(headBefore)
      release.run()
      return { answer }
    } catch (err) {
      if (!isOfOneUnit(err) || !connection.db.isTransaction) throw err
      undo(headBefore)
      release.run()
      return { failed: err instanceof Error ? err.message : String(err) }
    }
  }

  function undo(headBefore: AuditHead): void {
    back.run()
    head = headBefore
  }

  function drive(unit: Unit<unknown>): { answer: unknown; undone: boolean } {
    let undone = false
    let step = unit.next([])
    while (step.done !== true) {
      const asked = step.value
      switch (asked.kind) {
        case 'ask':
          step = unit.next(connection.ask(asked.statement, asked.values))
          break
        case 'note': {
          const entry = linkEntry(head, asked.note)
          connection.ask(insertEntry, entryValues(entry))
          head = { chain: entry.chain, seq: entry.seq, hash: entry.hash }
          step = unit.next([])
          break
        }
        case 'undo':
          undone = true
          step = unit.next([])
      }
    }
    return { answer: step.value, undone }
  }

  function endFailed(err: unknown): BatchEnd {
    const fault = faultOf(err)
    const message = err instanceof Error ? err.message : String(err)
    try {
      // SQLite may have undone the transaction by itself already.
      if (connection.db.isTransaction) connection.db.exec('rollback')
    } catch (worse) {
      return { kind: 'lost', message: `${message}; and could not be rolled back: ${String(worse)}` }
    }
    if (fault === 'full' || fault === 'busy') return { kind: fault, message }
    return { kind: 'lost', message }
  }
}

/** Whether an error concerns what this unit asked and nothing else of the batch. */
function isOfOneUnit(err: unknown): boolean {
  const fault = faultOf(err)
  return fault === 'statement' || fault === 'broken'
}

const dataVersion = sql`pragma data_version`
