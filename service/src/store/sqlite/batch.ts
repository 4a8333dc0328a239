import type { Dek } from '@tessera/vault/dek'
import { prepareHmacKey, wipeHmacKey } from '@tessera/vault/hmac'

import { emptyChain, linkEntry } from '../audit-chain.ts'
import { type AuditEntry, type AuditHead, findAuditHead, auditTable } from '../audit.ts'
import { startTransaction, type NamedTransaction } from '../transactions.ts'
import type { Transaction, TransactionStep } from '../transaction.ts'
import { type Row, sql } from '../statement.ts'
import type { AuditCommit } from '../store.ts'
import type { RowVersion } from '../table.ts'
import type { Connection } from './connect.ts'
import { sqliteFaultOf } from './fault.ts'
import type { SqliteFault } from './fault.ts'

/** The only audit chain of an embedded store. */
export const SQLITE_CHAIN = 'embedded'

/** The result of one transaction, valid after COMMIT; or why nothing of it was written. */
export type TransactionResult = { readonly result: unknown } | { readonly failed: string; readonly fault: Exclude<SqliteFault, 'lost'> }

/** The results of a batch; or `lost`, when it may be durable or not. */
export type BatchResult = CommittedBatch | { readonly lost: string }

/** `audit.after` is the head after the last commit of this thread, also when this batch was not committed. */
export interface CommittedBatch {
  readonly ends: readonly TransactionResult[]
  readonly audit: AuditCommit
}

export interface BatchWriter {
  write(batch: readonly NamedTransaction[]): BatchResult
  /** Entries are linked under this key from the next batch on. */
  setAuditKey(key: Dek): void
}

/** Group commit: one COMMIT for all transactions of a batch. One that fails or rolls back takes nothing of the others with it. */
export function makeBatchWriter(connection: Connection): BatchWriter {
  const begin = connection.db.prepare('begin immediate')
  const commit = connection.db.prepare('commit')
  const rollback = connection.db.prepare('rollback')
  const save = connection.db.prepare('savepoint unit')
  const release = connection.db.prepare('release unit')
  const read = connection.db.prepare('select 1 from sqlite_schema limit 1')
  const rollbackTo = connection.db.prepare('rollback to unit')
  let head: AuditHead = emptyChain(SQLITE_CHAIN)
  /** The head after the last commit of this thread. */
  let committed = head
  let seenVersion = NEVER
  let auditKey: Dek | null = null
  /** What the entries of the batch say about versions above 1. */
  let versions: RowVersion[] = []
  let isBehindCut = false
  /** How many of the next batches have a savepoint for each transaction. */
  let batchesInSavepoints = 0
  return { write: writeBatch, setAuditKey }

  function setAuditKey(key: Dek): void {
    if (auditKey !== null) wipeHmacKey(auditKey.key)
    prepareHmacKey(key.key)
    auditKey = key
  }

  function writeBatch(batch: readonly NamedTransaction[]): BatchResult {
    try {
      isBehindCut = false
      const before = beginBatch()
      const ends = batchesInSavepoints > 0 ? runInSavepoints(batch) : (runTogether(batch) ?? repeatInSavepoints(batch, before))
      commit.run()
      showCommit()
      committed = head
      return { ends, audit: { before, after: committed, versions, isBehindCut } }
    } catch (err) {
      // The head of the audit chain has to be read again from the database.
      seenVersion = NEVER
      return endFailed(batch, err)
    }
  }

  /**
   * Records in the shared index of the WAL that readers use this commit. Otherwise the next reader does, by writing to a page of the file -shm,
   * and on a disk that is frozen the thread that answers requests would wait there, although everything it reads is in memory. Not needed for
   * correctness: no error of it counts.
   */
  function showCommit(): void {
    try {
      read.all()
    } catch {
      // The next statement reports what is wrong with the database.
    }
  }

  /**
   * Reads the chain's head again when another program has written to the database: then SQLite's data version has changed. It never goes back
   * behind the head that was committed here, so that entries that somebody deleted leave a gap.
   */
  function refreshHead(): void {
    const version = Number(connection.run(dataVersion, [])[0]?.['data_version'])
    if (version === seenVersion) return
    seenVersion = version
    const query = findAuditHead(SQLITE_CHAIN)
    const stored = query.map(connection.run(query.statement, query.values))
    head = stored !== null && stored.seq > committed.seq ? stored : committed
    isBehindCut = (stored?.seq ?? 0) < committed.seq
  }

  /** Returns the head to which the batch appends. */
  function beginBatch(): AuditHead {
    begin.run()
    refreshHead()
    versions = []
    return head
  }

  /** Without savepoints, for which SQLite copies each page that a transaction changes. Null when one of them fails or rolls back: nothing of the batch counts then. */
  function runTogether(batch: readonly NamedTransaction[]): TransactionResult[] | null {
    const ends: TransactionResult[] = []
    try {
      for (const named of batch) {
        const { result, isRolledBack } = drive(startTransaction(named))
        if (isRolledBack) return null
        ends.push({ result })
      }
      return ends
    } catch (err) {
      if (sqliteFaultOf(err) !== 'statement' || !connection.db.isTransaction) throw err
      return null
    }
  }

  /** So do the next batches from the start: nobody makes the thread do all work twice. */
  function repeatInSavepoints(batch: readonly NamedTransaction[], before: AuditHead): TransactionResult[] {
    rollback.run()
    head = before
    beginBatch()
    batchesInSavepoints = savepointBatches
    return runInSavepoints(batch)
  }

  function runInSavepoints(batch: readonly NamedTransaction[]): TransactionResult[] {
    batchesInSavepoints--
    return batch.map(runTransaction)
  }

  function runTransaction(named: NamedTransaction): TransactionResult {
    const before = { head, versions: versions.length }
    save.run()
    try {
      const { result, isRolledBack } = drive(startTransaction(named))
      if (isRolledBack) undo(before)
      release.run()
      return { result }
    } catch (err) {
      if (sqliteFaultOf(err) !== 'statement' || !connection.db.isTransaction) throw err
      undo(before)
      release.run()
      return { failed: messageOf(err), fault: 'statement' }
    }
  }

  function undo(before: { readonly head: AuditHead; readonly versions: number }): void {
    rollbackTo.run()
    head = before.head
    versions.length = before.versions
  }

  function drive(transaction: Transaction<unknown>): { result: unknown; isRolledBack: boolean } {
    let isRolledBack = false
    let next = transaction.next([])
    while (next.done !== true) {
      const step = next.value
      if (step.kind === 'audit') insertAudit(step.entry)
      if (step.kind === 'rollback') isRolledBack = true
      next = transaction.next(runStep(step))
    }
    return { result: next.value, isRolledBack }
  }

  function runStep(step: TransactionStep): readonly Row[] {
    if (step.kind === 'run') return connection.run(step.statement, step.values)
    if (step.kind === 'rows') return step.rows.flatMap((values) => connection.run(step.of.ofOne, values))
    return []
  }

  function insertAudit(audit: AuditEntry): void {
    const entry = linkEntry(auditKey, head, audit)
    connection.run(auditTable.insertStatement, auditTable.toValues(entry))
    head = { chain: entry.chain, seq: entry.seq, hash: entry.hash }
    if (entry.version > 1) versions.push({ subject: entry.subject, version: entry.version })
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
    return { ends: batch.map(() => ({ failed, fault })), audit: nothing() }
  }

  /** A transaction that met a broken page has rolled back the whole batch: each is repeated alone, so that only that one fails. */
  function writeOneByOne(batch: readonly NamedTransaction[]): BatchResult {
    const ends: TransactionResult[] = []
    const before = committed
    const all: RowVersion[] = []
    let isAnyBehindCut = false
    for (const named of batch) {
      const end = writeBatch([named])
      if ('lost' in end) return end
      ends.push(...end.ends)
      all.push(...end.audit.versions)
      isAnyBehindCut ||= end.audit.isBehindCut
    }
    return { ends, audit: { before, after: committed, versions: all, isBehindCut: isAnyBehindCut } }
  }

  function nothing(): AuditCommit {
    return { before: committed, after: committed, versions: [], isBehindCut: false }
  }
}

function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err)
}

const NEVER = -1
/** After one that failed or rolled back. */
const savepointBatches = 32
const dataVersion = sql`pragma data_version`
