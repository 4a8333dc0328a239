import { linkEntry } from '../../audit/chain.ts'
import { entryValues, insertEntry } from '../questions/audit.ts'
import { units } from '../questions/units.ts'
import type { Ask, Write } from '../questions/units.ts'
import type { Row, Statement } from '../statement.ts'
import type { AuditEntry, AuditHead } from '../store.ts'
import type { Unit } from '../unit.ts'
import { askCards, askEntries } from './coalesced.ts'
import { answerIn, faultOf, isRefusedCommit } from './fault.ts'
import type { Fault } from './fault.ts'
import type { Landed, Step } from './flight.ts'
import { FlightFailed } from './session.ts'
import type { Session } from './session.ts'

/** A transaction that was not kept, and what that means; `unknown`: it may have been kept. */
export class TransactionFailed extends Error {
  readonly fault: Fault | 'unknown'

  constructor(fault: Fault | 'unknown', cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.fault = fault
  }
}

export interface Kept<T> {
  readonly answer: T
  /** The head of the chain after it. */
  readonly head: AuditHead
}

/** Runs one unit as one transaction: BEGIN goes out with its first statement, its audit entries with COMMIT. */
export async function runUnit(session: Session, head: AuditHead, { name, ask }: Write, deadline: number): Promise<Kept<unknown>> {
  const entries: AuditEntry[] = []
  let ahead: readonly Step[] = [begin]
  let undone = false
  let answer: unknown
  try {
    // The name belongs to what is asked, by the type of Write.
    const unit = (units[name] as (ask: unknown) => Unit<unknown>)(ask)
    let step = unit.next([])
    while (step.done !== true) {
      const asked = step.value
      let found: readonly Row[] = []
      if (asked.kind === 'note') entries.push(linkEntry(entries.at(-1) ?? head, asked.note))
      if (asked.kind === 'undo') undone = true
      if (asked.kind === 'ask') {
        const landed = await session.send([...ahead, asked], leftOf(deadline))
        ahead = []
        found = landed.at(-1)?.rows ?? []
      }
      step = unit.next(found)
    }
    answer = step.value
  } catch (err) {
    await undo(session)
    throw failed(err)
  }
  if (undone || deadline - performance.now() < COMMIT_MS) {
    await undo(session)
    if (undone) return { answer, head }
    throw new TransactionFailed('unavailable', new Error('too late to commit'))
  }
  const noted = entries.map((entry) => ({ statement: insertEntry, values: entryValues(entry) }))
  await commit(session, [...ahead, ...noted], deadline)
  return { answer, head: entries.at(-1) ?? head }
}

/** Runs many insertCard units as one transaction of one round trip. */
export async function runInserts(
  session: Session,
  head: AuditHead,
  asks: readonly Ask<'insertCard'>[],
  deadline: number,
): Promise<Kept<void>> {
  const entries: AuditEntry[] = []
  for (const { audit } of asks) entries.push(linkEntry(entries.at(-1) ?? head, audit))
  await commit(session, [begin, askCards(asks.map(({ card }) => card)), askEntries(entries)], deadline)
  return { answer: undefined, head: entries.at(-1) ?? head }
}

/** Sends COMMIT behind the last steps. From here on only the server's word that it was refused makes it undone. */
async function commit(session: Session, ahead: readonly Step[], deadline: number): Promise<void> {
  session.takeWarning()
  let landed: readonly Landed[]
  try {
    landed = await session.send([...ahead, end], leftOf(deadline))
  } catch (err) {
    // A step before COMMIT that the server refused keeps it from coming to COMMIT.
    const isBefore = answerIn(err) !== null && err instanceof FlightFailed && err.landed < ahead.length
    if (isBefore || isRefusedCommit(err)) {
      await undo(session)
      throw failed(err)
    }
    session.destroy()
    throw new TransactionFailed('unknown', err)
  }
  // A warning at COMMIT is a commit that did not wait for its standby: 01000, "canceling the wait for synchronous replication".
  if (session.takeWarning()) throw new TransactionFailed('unknown', new Error('the server committed with a warning'))
  const command = landed.at(-1)?.command ?? ''
  if (command !== 'COMMIT') throw new TransactionFailed('unavailable', new Error(`the server did not commit but ${command}`))
}

/** Ends a transaction without keeping it; a session that cannot is destroyed, which does the same. */
async function undo(session: Session): Promise<void> {
  await session.send([rollback]).catch(() => session.destroy())
}

function failed(err: unknown): TransactionFailed {
  return err instanceof TransactionFailed ? err : new TransactionFailed(faultOf(err), err)
}

/** Milliseconds until a deadline, never none: what comes too late still has to be waited for a moment, or it would be unknown. */
function leftOf(deadline: number): number {
  return Math.max(LEAST_MS, deadline - performance.now())
}

function plain(text: string): Step {
  const statement: Statement = Object.freeze({ name: text, text })
  return { statement, values: [] }
}

const begin = plain('begin')
const end = plain('commit')
const rollback = plain('rollback')

const LEAST_MS = 100
/** With less time than this left a commit is not begun: nothing done is a better answer than not known. */
const COMMIT_MS = 250
