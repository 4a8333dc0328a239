import type { Dek } from '@tessera/vault/dek'

import { linkEntry } from '../audit-chain.ts'
import { type AuditHead, type AuditRow, auditTable } from '../audit.ts'
import type { CardChange } from '../cards.ts'
import type { Transaction } from '../transaction.ts'
import type { AuditCommit } from '../store.ts'
import type { RowVersion } from '../table.ts'
import type { Row, Statement } from '../statement.ts'
import { insertCards, insertAuditEntries, insertNewRowsAtOnce } from './coalesced.ts'
import { serverErrorOf, postgresFaultOf, isRefusedCommit } from './fault.ts'
import type { PostgresFault } from './fault.ts'
import type { StatementResult, Step } from './pipelined-query.ts'
import { PipelineFailed } from './session.ts'
import type { Session } from './session.ts'

/** A transaction that was not committed, and why; `unknown`: it may have been committed. */
export class TransactionFailed extends Error {
  readonly fault: PostgresFault | 'unknown'

  constructor(fault: PostgresFault | 'unknown', cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.fault = fault
  }
}

/** The chain to which a transaction appends its entries, and the key that links them. */
export interface AuditChainState {
  readonly head: AuditHead
  readonly key: Dek | null
}

export interface CommitResult<T> {
  readonly result: T
  readonly audit: AuditCommit
}

/**
 * Runs one transaction: BEGIN is sent with its first statement, what nobody waits for with the next statement whose rows are read, and the audit entries
 * with COMMIT.
 */
export async function runTransaction(
  session: Session,
  { head, key }: AuditChainState,
  transaction: Transaction<unknown>,
  deadline: number,
): Promise<CommitResult<unknown>> {
  const entries: AuditRow[] = []
  let ahead: readonly Step[] = [begin]
  let isRolledBack = false
  let result: unknown
  try {
    let next = transaction.next([])
    while (next.done !== true) {
      const step = next.value
      let found: readonly Row[] = []
      if (step.kind === 'audit') entries.push(linkEntry(key, entries.at(-1) ?? head, step.entry))
      if (step.kind === 'rollback') isRolledBack = true
      if (step.kind === 'run' && step.isDeferred === true) ahead = [...ahead, step]
      else if (step.kind === 'run' || (step.kind === 'insertNew' && step.rows.length > 0)) {
        const results = await session.send([...ahead, step.kind === 'run' ? step : insertNewRowsAtOnce(step)], remainingMs(deadline))
        ahead = []
        found = results.at(-1)?.rows ?? []
      }
      next = transaction.next(found)
    }
    result = next.value
  } catch (err) {
    await undo(session)
    throw toTransactionFailed(err)
  }
  if (isRolledBack || deadline - performance.now() < minCommitMs) {
    await undo(session)
    if (isRolledBack) return { result, audit: auditCommit(head, []) }
    throw new TransactionFailed('unavailable', new Error('too late to commit'))
  }
  const auditInserts = entries.map((entry) => ({ statement: auditTable.insertStatement, values: auditTable.toValues(entry) }))
  await commit(session, [...ahead, ...auditInserts], deadline)
  return { result, audit: auditCommit(head, entries) }
}

/** Inserts many new cards in one transaction of one round trip. */
export async function insertNewCards(
  session: Session,
  { head, key }: AuditChainState,
  changes: readonly CardChange[],
  deadline: number,
): Promise<CommitResult<void>> {
  const entries: AuditRow[] = []
  for (const { audit } of changes) entries.push(linkEntry(key, entries.at(-1) ?? head, audit))
  await commit(session, [begin, insertCards(changes.map(({ card }) => card)), insertAuditEntries(entries)], deadline)
  return { result: undefined, audit: auditCommit(head, entries) }
}

function versionsOf(entries: readonly AuditRow[]): RowVersion[] {
  return entries.filter(({ version }) => version > 1).map(({ subject, version }) => ({ subject, version }))
}

function auditCommit(before: AuditHead, entries: readonly AuditRow[]): AuditCommit {
  const last = entries.at(-1)
  const after = last === undefined ? before : { chain: last.chain, seq: last.seq, hash: last.hash }
  return { before, after, versions: versionsOf(entries), isBehindCut: false }
}

/** Sends COMMIT after the last steps. From here on only an error of the server can mean that nothing was committed. */
async function commit(session: Session, ahead: readonly Step[], deadline: number): Promise<void> {
  session.takeWarning()
  let results: readonly StatementResult[]
  try {
    results = await session.send([...ahead, end], remainingMs(deadline))
  } catch (err) {
    // When a step before COMMIT fails, the server does not execute COMMIT.
    const isBefore = serverErrorOf(err) !== null && err instanceof PipelineFailed && err.finishedSteps < ahead.length
    if (isBefore || isRefusedCommit(err)) {
      await undo(session)
      throw toTransactionFailed(err)
    }
    session.destroy()
    throw new TransactionFailed('unknown', err)
  }
  // A warning at COMMIT means that it did not wait for the standby: 01000, "canceling the wait for synchronous replication".
  if (session.takeWarning()) throw new TransactionFailed('unknown', new Error('the server committed with a warning'))
  const command = results.at(-1)?.command ?? ''
  if (command !== 'COMMIT') throw new TransactionFailed('unavailable', new Error(`the server did not commit but ${command}`))
}

/** Rolls back; a session that cannot is destroyed, which does the same. */
async function undo(session: Session): Promise<void> {
  await session.send([rollback], undoMs).catch(() => session.destroy())
}

function toTransactionFailed(err: unknown): TransactionFailed {
  return err instanceof TransactionFailed ? err : new TransactionFailed(postgresFaultOf(err), err)
}

/** Milliseconds until a deadline, but at least a few: without waiting at all the outcome would be unknown. */
function remainingMs(deadline: number): number {
  return Math.max(minWaitMs, deadline - performance.now())
}

function plain(text: string): Step {
  const statement: Statement = Object.freeze({ name: text, text })
  return { statement, values: [] }
}

const begin = plain('begin')
const end = plain('commit')
const rollback = plain('rollback')

const minWaitMs = 100
/** The caller waits for the rollback. */
const undoMs = 250
/** With less time left than this, COMMIT is not sent: a certain failure is better than an unknown outcome. */
const minCommitMs = 250
