import { linkEntry } from '../../audit/chain.ts'
import { entryValues, insertEntry } from '../questions/audit.ts'
import type { Ask, Write } from '../questions/units.ts'
import { units } from '../questions/units.ts'
import type { AuditEntry, AuditHead } from '../store.ts'
import type { Unit } from '../unit.ts'
import { askCards, askEntries } from './coalesced.ts'
import { faultOf, isAnswer, isRefusedCommit } from './fault.ts'
import type { Fault } from './fault.ts'
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
  const ahead = [session.say('begin', leftOf(deadline))]
  // Its answer is looked at with the others'; until then a failure is nobody's surprise.
  ahead[0]?.catch(() => undefined)
  let undone = false
  let answer: unknown
  try {
    // The name belongs to what is asked, by the type of Write.
    const unit = (units[name] as (ask: unknown) => Unit<unknown>)(ask)
    let step = unit.next([])
    while (step.done !== true) {
      const asked = step.value
      if (asked.kind === 'note') entries.push(linkEntry(entries.at(-1) ?? head, asked.note))
      if (asked.kind === 'undo') undone = true
      step = unit.next(asked.kind === 'ask' ? await session.ask(asked.statement, asked.values, leftOf(deadline)) : [])
    }
    answer = step.value
  } catch (err) {
    await undo(session, ahead)
    throw failed(err)
  }
  if (undone) {
    await undo(session, ahead)
    return { answer, head }
  }
  if (deadline - performance.now() < COMMIT_MS) {
    await undo(session, ahead)
    throw new TransactionFailed('unavailable', new Error('too late to commit'))
  }
  await commit(session, [...ahead, ...entries.map((entry) => session.ask(insertEntry, entryValues(entry), leftOf(deadline)))], deadline)
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
  const ms = leftOf(deadline)
  const cards = askCards(asks.map(({ card }) => card))
  const notes = askEntries(entries)
  const ahead = [session.say('begin', ms), session.ask(cards.statement, cards.values, ms), session.ask(notes.statement, notes.values, ms)]
  await commit(session, ahead, deadline)
  return { answer: undefined, head: entries.at(-1) ?? head }
}

/** Sends COMMIT behind what is under way. From here on only the server's word that it was refused makes it undone. */
async function commit(session: Session, ahead: readonly Promise<unknown>[], deadline: number): Promise<void> {
  session.takeWarning()
  const [committed, ...before] = await Promise.allSettled([session.say('commit', leftOf(deadline)), ...ahead])
  const refused = before.find((each) => each.status === 'rejected' && isAnswer(each.reason))
  // The server refused a statement, so that COMMIT found a broken transaction, or none at all.
  if (refused?.status === 'rejected') {
    if (committed.status === 'rejected') session.destroy()
    throw failed(refused.reason)
  }
  if (committed.status === 'rejected') {
    session.destroy()
    throw isRefusedCommit(committed.reason) ? failed(committed.reason) : new TransactionFailed('unknown', committed.reason)
  }
  // A warning at COMMIT is a commit that did not wait for its standby: 01000, "canceling the wait for synchronous replication".
  if (session.takeWarning()) throw new TransactionFailed('unknown', new Error('the server committed with a warning'))
  if (committed.value !== 'COMMIT') throw new TransactionFailed('unavailable', new Error('the server rolled back'))
}

/** Ends a transaction without keeping it; a session that cannot is destroyed, which does the same. */
async function undo(session: Session, ahead: readonly Promise<unknown>[]): Promise<void> {
  const said = await Promise.allSettled([...ahead, session.say('rollback')])
  if (said.some(({ status }) => status === 'rejected')) session.destroy()
}

function failed(err: unknown): TransactionFailed {
  return err instanceof TransactionFailed ? err : new TransactionFailed(faultOf(err), err)
}

/** Milliseconds until a deadline, never none: what comes too late still has to be waited for a moment, or it would be unknown. */
function leftOf(deadline: number): number {
  return Math.max(LEAST_MS, deadline - performance.now())
}

const LEAST_MS = 100
/** With less time than this left a commit is not begun: nothing done is a better answer than not known. */
const COMMIT_MS = 250
