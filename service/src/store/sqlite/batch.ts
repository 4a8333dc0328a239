import { emptyChain, linkEntry } from '../audit-chain.ts'
import { type AuditEntry, type AuditHead, findAuditHead, auditTable } from '../audit.ts'
import { startTransaction, type NamedTransaction } from '../transactions.ts'
import type { Transaction } from '../transaction.ts'
import { sql } from '../statement.ts'
import type { Connection } from './connect.ts'
import { sqliteFaultOf } from './fault.ts'
import type { SqliteFault } from './fault.ts'

/** The only audit chain of an embedded store. */
export const SQLITE_CHAIN = 'embedded'

/** The result of one transaction, valid after COMMIT; or why nothing of it was written. */
export type TransactionResult = { readonly result: unknown } | { readonly failed: string; readonly fault: Exclude<SqliteFault, 'lost'> }

/** The results of a batch; or `lost`, when it may be durable or not. */
export type BatchResult = { readonly ends: readonly TransactionResult[] } | { readonly lost: string }

/** Group commit: one COMMIT for all transactions of a batch, each in a savepoint of its own. */
export function makeBatchWriter(connection: Connection): (batch: readonly NamedTransaction[]) => BatchResult {
  const begin = connection.db.prepare('begin immediate')
  const commit = connection.db.prepare('commit')
  const save = connection.db.prepare('savepoint unit')
  const release = connection.db.prepare('release unit')
  const rollbackTo = connection.db.prepare('rollback to unit')
  let head: AuditHead = emptyChain(SQLITE_CHAIN)
  let seenVersion = NEVER
  return writeBatch

  function writeBatch(batch: readonly NamedTransaction[]): BatchResult {
    try {
      begin.run()
      refreshHead()
      const ends = batch.map(runTransaction)
      commit.run()
      return { ends }
    } catch (err) {
      // The head of the audit chain has to be read again from the database.
      seenVersion = NEVER
      return endFailed(batch, err)
    }
  }

  /** Reads the chain's head again when another process may have written: then SQLite's data version has changed. */
  function refreshHead(): void {
    const version = Number(connection.run(dataVersion, [])[0]?.['data_version'])
    if (version === seenVersion) return
    seenVersion = version
    const query = findAuditHead(SQLITE_CHAIN)
    head = query.map(connection.run(query.statement, query.values)) ?? emptyChain(SQLITE_CHAIN)
  }

  function runTransaction(named: NamedTransaction): TransactionResult {
    const headBefore = head
    save.run()
    try {
      const { result, isRolledBack } = drive(startTransaction(named))
      if (isRolledBack) undo(headBefore)
      release.run()
      return { result }
    } catch (err) {
      if (sqliteFaultOf(err) !== 'statement' || !connection.db.isTransaction) throw err
      undo(headBefore)
      release.run()
      return { failed: messageOf(err), fault: 'statement' }
    }
  }

  function undo(headBefore: AuditHead): void {
    rollbackTo.run()
    head = headBefore
  }

  function drive(transaction: Transaction<unknown>): { result: unknown; isRolledBack: boolean } {
    let isRolledBack = false
    let next = transaction.next([])
    while (next.done !== true) {
      const step = next.value
      if (step.kind === 'audit') insertAudit(step.entry)
      if (step.kind === 'insertNew') for (const values of step.rows) connection.run(step.table.insertNewStatement, values)
      if (step.kind === 'rollback') isRolledBack = true
      next = transaction.next(step.kind === 'run' ? connection.run(step.statement, step.values) : [])
    }
    return { result: next.value, isRolledBack }
  }

  function insertAudit(audit: AuditEntry): void {
    const entry = linkEntry(head, audit)
    connection.run(auditTable.insertStatement, auditTable.toValues(entry))
    head = { chain: entry.chain, seq: entry.seq, hash: entry.hash }
  }

  function endFailed(batch: readonly NamedTransaction[], err: unknown): BatchResult {
    const fault = sqliteFaultOf(err)
    const failed = messageOf(err)
    if (fault === 'lost') return { lost: failed }
    try {
      // SQLite may have rolled the transaction back itself.
      if (connection.db.isTransaction) connection.db.exec('rollback')
    } catch (worse) {
      return { lost: `${failed}; and it could not be rolled back: ${messageOf(worse)}` }
    }
    if (fault === 'broken' && batch.length > 1) return writeOneByOne(batch)
    return { ends: batch.map(() => ({ failed, fault })) }
  }

  /** A transaction that met a broken page has rolled back the whole batch: each is repeated alone, so that only that one fails. */
  function writeOneByOne(batch: readonly NamedTransaction[]): BatchResult {
    const ends: TransactionResult[] = []
    for (const named of batch) {
      const end = writeBatch([named])
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
