import type { Dek } from '@tessera/vault/dek'

import { linkEntry } from '../audit-chain.ts'
import type { AuditEntry, AuditHead, AuditRow } from '../audit.ts'
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
  /** Of transactions that share a COMMIT, those that rolled back, by their places; null when it may have been any of them. */
  readonly rolledBack: ReadonlySet<number> | null

  constructor(fault: PostgresFault | 'unknown', cause: unknown, rolledBack: ReadonlySet<number> | null = null) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.fault = fault
    this.rolledBack = rolledBack
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
 * Runs transactions that share one COMMIT, and returns the result of each. Their statements go together, so that each round trip is one for all of them:
 * BEGIN with the first, what nobody waits for with the next statement whose rows are read, the audit entries with COMMIT. Transactions that share a COMMIT
 * must not write the same rows. When one of several fails or rolls back, nothing is written; `TransactionFailed` of fault `statement` says to run each
 * alone, or only those that rolled back when it names them.
 */
export async function runTransactions(
  session: Session,
  { head, key }: AuditChainState,
  transactions: readonly Transaction<unknown>[],
  deadline: number,
): Promise<CommitResult<readonly unknown[]>> {
  const isShared = transactions.length > 1
  const running = transactions.map((transaction) => new RunningTransaction(transaction))
  const isRolledBack = (): boolean => running.some((each) => each.isRolledBack)
  let first: readonly Step[] = [begin]
  try {
    for (const each of running) each.proceed([])
    for (
      let reading = running.filter(isReading);
      reading.length > 0 && !(isShared && isRolledBack());
      reading = reading.filter(isReading)
    ) {
      const steps = [...first]
      const read = reading.map((each) => steps.push(...each.takeSteps()) - 1)
      const results = await session.send(steps, remainingMs(deadline))
      first = []
      reading.forEach((each, at) => each.proceed(results[read[at] ?? -1]?.rows ?? []))
    }
  } catch (err) {
    await undo(session)
    throw forEachAlone(err, isShared)
  }
  if (isRolledBack() || deadline - performance.now() < minCommitMs) {
    await undo(session)
    if (!isRolledBack()) throw new TransactionFailed('unavailable', new Error('too late to commit'))
    if (isShared) {
      const places = new Set(running.flatMap((each, at) => (each.isRolledBack ? [at] : [])))
      throw new TransactionFailed('statement', new Error('one of several transactions was rolled back'), places)
    }
    return { result: running.map(({ result }) => result), audit: auditCommit(head, []) }
  }
  const entries: AuditRow[] = []
  try {
    for (const each of running) for (const entry of each.entries) entries.push(linkEntry(key, entries.at(-1) ?? head, entry))
  } catch (err) {
    // Otherwise the transaction stays open, and the next COMMIT of the connection stores its rows.
    await undo(session)
    throw forEachAlone(err, isShared)
  }
  const last = running.flatMap((each) => each.takeSteps())
  try {
    await commit(session, [...first, ...last, ...(entries.length === 0 ? [] : [insertAuditEntries(entries)])], deadline)
  } catch (err) {
    throw forEachAlone(err, isShared)
  }
  return { result: running.map(({ result }) => result), audit: auditCommit(head, entries) }
}

/** Drives a transaction up to the next statement whose rows it reads. */
class RunningTransaction {
  readonly #transaction: Transaction<unknown>
  #steps: Step[] = []
  #isReading = false
  readonly entries: AuditEntry[] = []
  isRolledBack = false
  result: unknown

  constructor(transaction: Transaction<unknown>) {
    this.#transaction = transaction
  }

  /** Whether the last of its steps is one whose rows it waits for. */
  get isReading(): boolean {
    return this.#isReading
  }

  proceed(rows: readonly Row[]): void {
    this.#isReading = false
    for (let next = this.#transaction.next(rows); ; next = this.#transaction.next([])) {
      if (next.done === true) return void (this.result = next.value)
      const step = next.value
      if (step.kind === 'audit') this.entries.push(step.entry)
      if (step.kind === 'rollback') this.isRolledBack = true
      if (step.kind === 'run') this.#steps.push(step)
      if (step.kind === 'insertNew' && step.rows.length > 0) this.#steps.push(insertNewRowsAtOnce(step))
      this.#isReading = step.kind === 'run' && step.isDeferred !== true
      if (this.#isReading) return
    }
  }

  /** The statements that were not sent yet. */
  takeSteps(): readonly Step[] {
    return this.#steps.splice(0)
  }
}

function isReading({ isReading: is }: RunningTransaction): boolean {
  return is
}

/** Whatever else than the connection fails of transactions that share a COMMIT may be the fault of one of them. */
function forEachAlone(err: unknown, isShared: boolean): TransactionFailed {
  const failed = toTransactionFailed(err)
  const isOfAll = failed.fault === 'unknown' || failed.fault === 'chainTaken' || isConnectionLost(failed.cause)
  return isShared && !isOfAll ? new TransactionFailed('statement', failed.cause) : failed
}

function isConnectionLost(cause: unknown): boolean {
  return cause instanceof PipelineFailed && serverErrorOf(cause) === null
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
