import type { Dek } from '@tessera/vault/dek'

import { linkEntry } from '../audit-chain.ts'
import type { AuditEntry, AuditHead, AuditRow } from '../audit.ts'
import type { CardChange } from '../cards.ts'
import type { Transaction } from '../transaction.ts'
import type { AuditCommit } from '../store.ts'
import type { RowVersion } from '../table.ts'
import { type Row, sql, type Statement } from '../statement.ts'
import { insertCards, insertAuditEntries, forAllRows } from './coalesced.ts'
import { serverErrorOf, postgresFaultOf, isConnectionLost, isRefusedCommit } from './fault.ts'
import type { PostgresFault } from './fault.ts'
import { mergeSteps } from './merged-steps.ts'
import type { StatementResult, Step } from './pipelined-query.ts'
import { PipelineFailed } from './session.ts'
import type { Session } from './session.ts'

/** A transaction that was not committed, and why; `unknown`: it may have been committed. */
export class TransactionFailed extends Error {
  readonly fault: PostgresFault | 'unknown'
  /** Of transactions that share a COMMIT, those that failed or rolled back, by their places; null when it may have been any of them. */
  readonly culprits: ReadonlySet<number> | null
  /** Whether the statement that failed was one for several transactions, so that it was only one of the culprits. */
  readonly wasMerged: boolean

  constructor(
    fault: PostgresFault | 'unknown',
    cause: unknown,
    culprits: ReadonlySet<number> | null = null,
    { wasMerged = false }: { readonly wasMerged?: boolean } = {},
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.fault = fault
    this.culprits = culprits
    this.wasMerged = wasMerged
  }

  /** Whether another session has a row locked, for longer than the transaction waits. */
  get isLocked(): boolean {
    return serverErrorOf(this.cause)?.code === '55P03'
  }
}

/** The chain to which a transaction appends its entries, and the key that links them. */
export interface AuditChainState {
  readonly head: AuditHead
  readonly key: Dek | null
}

export interface TransactionLimits {
  /** Monotonic milliseconds. */
  readonly deadline: number
  /** Whether one of them was in a transaction that met a locked row. */
  readonly hasMetLock?: boolean
  /** Whether equal statements of several of them may be sent as one. Default: no. */
  readonly mayMerge?: boolean
}

export interface CommitResult<T> {
  readonly result: T
  readonly audit: AuditCommit
}

/**
 * Runs transactions that share one COMMIT, and returns the result of each. Their statements go together, so that each round trip is one for all of them:
 * BEGIN with the first, what nobody waits for with the next statement whose rows are read, the audit entries with COMMIT. Transactions that share a COMMIT
 * must not write the same rows. When one of several fails or rolls back, nothing is written; `TransactionFailed` of fault `statement` says to run each
 * alone, or only the culprits when it names them.
 *
 * The statements of one round are in the order of what they write, and transactions that share a COMMIT have the same order of rounds (writers.ts), so that
 * two processes lock rows in one order. A row that somebody else has locked is waited for a short time only, since all of them wait.
 */
export async function runTransactions(
  session: Session,
  { head, key }: AuditChainState,
  transactions: readonly Transaction<unknown>[],
  { deadline, hasMetLock = false, mayMerge = false }: TransactionLimits,
): Promise<CommitResult<readonly unknown[]>> {
  const isShared = transactions.length > 1
  const running = transactions.map((transaction) => new RunningTransaction(transaction))
  const isRolledBack = (): boolean => running.some((each) => each.isRolledBack)
  const isAloneAgain = hasMetLock && !isShared
  const limitWaits = makeLockLimits({
    wantedMs: !hasMetLock ? 250 : isShared ? 50 : sessionLockMs,
    deadline,
    rowsEach: isAloneAgain ? 1 : 4,
  })
  let first: readonly PlacedStep[] = [{ step: begin, places: [] }]
  /** The places of the transactions of each step of the round. */
  let places: readonly (readonly number[])[] = []
  try {
    for (const each of running) each.proceed([])
    for (
      let reading = running.filter(isReading);
      reading.length > 0 && !(isShared && isRolledBack());
      reading = reading.filter(isReading)
    ) {
      const inOrder = inLockOrder(reading).map((each) => ({ each, place: running.indexOf(each), steps: each.takeSteps() }))
      const round = mergeSteps(inOrder, mayMerge)
      const sent = [...first, ...limitWaits(round)]
      places = sent.map((each) => each.places)
      requireConnection(session)
      const results = await session.send(sent.map(stepOf), remainingMs(deadline), true)
      first = []
      for (const { each, place } of inOrder) {
        // The last of its steps is the one whose rows it waits for.
        const isOfIt = (step: PlacedStep): boolean => step.places.includes(place)
        each.proceed(round.findLast(isOfIt)?.rowsOf(place, results[sent.findLastIndex(isOfIt)]?.rows ?? []) ?? [])
      }
    }
  } catch (err) {
    await undo(session)
    throw forEachAlone(err, isShared, places)
  }
  if (isRolledBack() || deadline - performance.now() < minCommitMs) {
    await undo(session)
    if (!isRolledBack()) throw new TransactionFailed('unavailable', new Error('too late to commit'))
    if (isShared) {
      const culprits = new Set(running.flatMap((each, at) => (each.isRolledBack ? [at] : [])))
      throw new TransactionFailed('statement', new Error('one of several transactions was rolled back'), culprits)
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
  const round = mergeSteps(
    running.map((each, place) => ({ place, steps: each.takeSteps() })),
    mayMerge,
  )
  const last = [...first, ...limitWaits(round)]
  places = last.map((each) => each.places)
  try {
    const steps = [...last.map(stepOf), ...(entries.length === 0 ? [] : [insertAuditEntries(entries)])]
    await commit(session, steps, deadline, round.length > 0)
  } catch (err) {
    throw forEachAlone(err, isShared, places)
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
      const sent = step.kind === 'run' ? step : step.kind === 'rows' && step.rows.length > 0 ? forAllRows(step) : null
      if (sent === null) continue
      this.#steps.push(sent)
      this.#isReading = (step.kind === 'run' || step.kind === 'rows') && step.isDeferred !== true
      if (this.#isReading) return
    }
  }

  /** The statements that were not sent yet. */
  takeSteps(): readonly Step[] {
    return this.#steps.splice(0)
  }

  /** By which the statement whose rows it waits for is ordered: its text, and its first values, with which the key of its row begins. */
  get lockOrder(): string {
    const step = this.#steps.at(-1)
    return step === undefined ? '' : JSON.stringify([step.statement.name, ...step.values.slice(0, keyLength).map(orderOf)])
  }
}

function isReading({ isReading: is }: RunningTransaction): boolean {
  return is
}

/** A step of a round, with the places of its transactions; none for what belongs to none. */
interface PlacedStep {
  readonly step: Step
  readonly places: readonly number[]
}

function stepOf({ step }: PlacedStep): Step {
  return step
}

function inLockOrder(reading: readonly RunningTransaction[]): readonly RunningTransaction[] {
  if (reading.length < 2) return reading
  const keyed = reading.map((each) => ({ each, order: each.lockOrder }))
  return keyed.sort((one, other) => (one.order < other.order ? -1 : one.order > other.order ? 1 : 0)).map(({ each }) => each)
}

/** Bytes as text that compares like them. */
function orderOf(value: Step['values'][number]): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}

interface LockLimits {
  /** How long a statement waits at most. */
  readonly wantedMs: LockMs
  readonly deadline: number
  /** For how many rows one after the other the limit is the same, one for each statement and each transaction: fewer make it exact, and more statements. */
  readonly rowsEach: number
}

/**
 * How long the statements of a transaction wait for locks of other sessions: each at most `wantedMs`, and all together no longer than until the deadline, since
 * a wait beyond it costs the connection, and while COMMIT is sent the certainty of the outcome. Returns the steps of a round with those that say so: the
 * limit of the first statements ahead of them, when it is lower than the one in force, and behind them the server lowers it by what they have waited.
 */
function makeLockLimits({ wantedMs, deadline, rowsEach }: LockLimits): (round: readonly PlacedStep[]) => readonly PlacedStep[] {
  const beganAt = performance.now()
  let inForce: number = sessionLockMs
  /** For how many rows the limit was the same. */
  let rows = 0
  return (round) => {
    if (round.length === 0) return []
    const limit = lockLimitMs(wantedMs, deadline - performance.now(), Math.min(rowsEach, round.flatMap(({ places }) => places).length))
    const isLower = limit < inForce
    if (isLower) inForce = limit
    // Behind a statement for more rows the limit is lower than it has to be.
    if (rows <= rowsEach) rows = 0
    const limited = round.flatMap((each) => {
      const isSame = rows + each.places.length <= rowsEach
      rows = isSame ? rows + each.places.length : each.places.length
      return isSame ? [each] : [{ step: limitOf(Math.max(rows, rowsEach)), places: [] }, each]
    })
    return isLower ? [{ step: waitForLock[limit], places: [] }, ...limited] : limited
  }

  function limitOf(count: number): Step {
    return { statement: lowerLockLimit, values: [inForce, deadline - minCommitMs - beganAt, 2 * count] }
  }
}

/**
 * PostgreSQL applies lock_timeout to each lock, and a statement that is not the first to wait for a row waits for two: for its turn (the lock of the tuple),
 * and then for the transaction that has the row locked. So for each statement half of its part of the time that is left, without what COMMIT and the replies
 * need.
 */
function lockLimitMs(wantedMs: LockMs, leftMs: number, steps: number): LockMs {
  return lockLimits.find((limit) => limit <= wantedMs && limit * 2 * steps <= leftMs - minCommitMs) ?? 25
}

/** Whatever else than the connection fails of transactions that share a COMMIT may be the fault of one of them: that of the step that failed, if there is one. */
function forEachAlone(err: unknown, isShared: boolean, places: readonly (readonly number[])[] = []): TransactionFailed {
  const failed = toTransactionFailed(err)
  const isOfAll = failed.fault === 'unknown' || failed.fault === 'chainTaken' || isConnectionLost(failed.cause)
  if (!isShared || isOfAll) return failed
  const of = failed.cause instanceof PipelineFailed ? (places[failed.cause.finishedSteps] ?? []) : []
  return new TransactionFailed('statement', failed.cause, of.length === 0 ? null : new Set(of), { wasMerged: of.length > 1 })
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
  const limitWaits = makeLockLimits({ wantedMs: sessionLockMs, deadline, rowsEach: 1 })
  await commit(
    session,
    [begin, ...limitWaits([{ step: insertCards(changes.map(({ card }) => card)), places: [0] }]).map(stepOf), insertAuditEntries(entries)],
    deadline,
    true,
  )
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

/** Sends COMMIT after the last steps, of which some may wait for a row. From here on only an error of the server can mean that nothing was committed. */
async function commit(session: Session, ahead: readonly Step[], deadline: number, mayWaitForRow: boolean): Promise<void> {
  requireConnection(session)
  session.takeWarning()
  let results: readonly StatementResult[]
  try {
    results = await session.send([...ahead, end], remainingMs(deadline), mayWaitForRow)
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

/** The server may have ended a session while this process did not run (host-session.ts). Without COMMIT nothing of the transaction is stored. */
function requireConnection({ usable }: Session): void {
  if (!usable) throw new TransactionFailed('again', new PipelineFailed(new Error('the connection was lost before the next statement'), 0))
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

/** The `lock_timeout` of every session (host-session.ts). */
export const sessionLockMs = 750
const lockLimits = [sessionLockMs, 500, 250, 200, 100, 50, 25] as const
type LockMs = (typeof lockLimits)[number]
const waitForLock = Object.fromEntries(lockLimits.map((ms) => [ms, plain(`set local lock_timeout = '${ms}ms'`)])) as Record<LockMs, Step>
// What is left of the time of the transaction, which began at now(), for each wait of the statements until the limit is lowered again. 0 would be no limit.
const lowerLockLimit = sql`
  select set_config('lock_timeout', greatest(1, least($1::float8,
    ($2::float8 - extract(epoch from clock_timestamp() - now()) * 1000) / $3::float8))::int::text, true)`
/** More values than the key of any table whose rows are updated. */
const keyLength = 4

const minWaitMs = 100
/** The caller waits for the rollback. */
const undoMs = 250
/** With less time left than this, COMMIT is not sent: a certain failure is better than an unknown outcome. */
const minCommitMs = 250
