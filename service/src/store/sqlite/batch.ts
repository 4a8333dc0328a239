import { emptyChain, linkEntry } from '../../audit/chain.ts'
import { entryValues, findAuditHead, insertEntry } from '../questions/audit.ts'
import { units } from '../questions/units.ts'
import type { Write } from '../questions/units.ts'
import { sql } from '../statement.ts'
import type { AuditHead } from '../store.ts'
import type { Unit } from '../unit.ts'
import type { Connection } from './connect.ts'
import { faultOf } from './fault.ts'
import type { Fault } from './fault.ts'

/** The one chain of an embedded store. */
export const SQLITE_CHAIN = 'embedded'

/** What became of one unit: its answer, after COMMIT; or why nothing of it was done. */
export type UnitEnd = { readonly answer: unknown } | { readonly failed: string; readonly fault: Exclude<Fault, 'lost'> }

/** What became of a batch: the end of each of its units; or `lost`, and it may be durable or not. */
export type BatchEnd = { readonly ends: readonly UnitEnd[] } | { readonly lost: string }

/** Writes batches: all units of one batch in one transaction, each unit in a savepoint of its own. */
export function makeBatchWriter(connection: Connection): (batch: readonly Write[]) => BatchEnd {
  const begin = connection.db.prepare('begin immediate')
  const commit = connection.db.prepare('commit')
  const save = connection.db.prepare('savepoint unit')
  const release = connection.db.prepare('release unit')
  const back = connection.db.prepare('rollback to unit')
  let head: AuditHead = emptyChain(SQLITE_CHAIN)
  let seenVersion = NEVER
  return writeBatch

  function writeBatch(batch: readonly Write[]): BatchEnd {
    try {
      begin.run()
      readHeadAnew()
      const ends = batch.map(runUnit)
      commit.run()
      return { ends }
    } catch (err) {
      // What the chain's head was before this batch is read anew from what is kept.
      seenVersion = NEVER
      return endFailed(batch, err)
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
      if (faultOf(err) !== 'statement' || !connection.db.isTransaction) throw err
      undo(headBefore)
      release.run()
      return { failed: messageOf(err), fault: 'statement' }
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
      if (asked.kind === 'note') keepEntry(asked.note)
      if (asked.kind === 'undo') undone = true
      step = unit.next(asked.kind === 'ask' ? connection.ask(asked.statement, asked.values) : [])
    }
    return { answer: step.value, undone }
  }

  function keepEntry(note: Parameters<typeof linkEntry>[1]): void {
    const entry = linkEntry(head, note)
    connection.ask(insertEntry, entryValues(entry))
    head = { chain: entry.chain, seq: entry.seq, hash: entry.hash }
  }

  function endFailed(batch: readonly Write[], err: unknown): BatchEnd {
    const fault = faultOf(err)
    const failed = messageOf(err)
    if (fault === 'lost') return { lost: failed }
    try {
      // SQLite may have undone the transaction by itself already.
      if (connection.db.isTransaction) connection.db.exec('rollback')
    } catch (worse) {
      return { lost: `${failed}; and it could not be rolled back: ${messageOf(worse)}` }
    }
    if (fault === 'broken' && batch.length > 1) return writeOneByOne(batch)
    return { ends: batch.map(() => ({ failed, fault })) }
  }

  /** One of them met a broken page, which undid them all: each by itself, so that its neighbours are kept. */
  function writeOneByOne(batch: readonly Write[]): BatchEnd {
    const ends: UnitEnd[] = []
    for (const write of batch) {
      const end = writeBatch([write])
      if ('lost' in end) return end
      ends.push(...end.ends)
    }
    return { ends }
  }
}

function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err)
}

const NEVER = -1
const dataVersion = sql`pragma data_version`
