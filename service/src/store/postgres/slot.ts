import { emptyChain } from '../../audit/chain.ts'
import { findAuditHead } from '../questions/audit.ts'
import type { Ask, Write } from '../questions/units.ts'
import { StoreFull, StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import type { AuditHead } from '../store.ts'
import { connectUnless } from './primary.ts'
import type { Primary } from './primary.ts'
import type { Session } from './session.ts'
import { QUERY_MS } from './session.ts'
import { runInserts, runUnit, TransactionFailed } from './transaction.ts'
import type { Kept } from './transaction.ts'

/** A writer: one connection, one transaction at a time, and an audit chain of its own, because a hash chain grows one link after another. */
export interface Slot {
  runUnit(write: Write): Promise<unknown>
  /** All of them or none; throws `TransactionFailed` of fault `statement` when one of them cannot be kept. */
  runInserts(asks: readonly Ask<'insertCard'>[]): Promise<void>
  close(): Promise<void>
}

export function makeSlot(primary: Primary, firstChain: string): Slot {
  let session: Session | null = null
  let chain = firstChain
  let moves = 0
  let head: AuditHead | null = null
  let closed = false

  return {
    runUnit: (write) => run((open, at, deadline) => runUnit(open, at, write, deadline)),
    runInserts: (asks) => run((open, at, deadline) => runInserts(open, at, asks, deadline)),
    close: async () => {
      closed = true
      const ending = session
      session = null
      await ending?.end()
    },
  }

  /** Runs a transaction; a second and third time only where the server says that nothing of it was kept and that the same may work again. */
  async function run<T>(transaction: (open: Session, at: AuditHead, deadline: number) => Promise<Kept<T>>): Promise<T> {
    const deadline = performance.now() + QUERY_MS
    let taken = 0
    for (let left = RUNS_MAX - 1; ; left--) {
      try {
        const open = await connected()
        const kept = await transaction(open, (head ??= await readHead(open)), deadline)
        head = kept.head
        return kept.answer
      } catch (err) {
        head = null
        const fault = err instanceof TransactionFailed ? err.fault : 'unavailable'
        if (fault === 'chainTaken' && ++taken > 1) chain = `${firstChain}+${++moves}`
        if ((fault !== 'again' && fault !== 'chainTaken') || left === 0 || performance.now() > deadline) throw told(err, fault)
      }
    }
  }

  async function connected(): Promise<Session> {
    if (session?.usable === true) return session
    head = null
    session = await connectUnless(primary, () => closed)
    return session
  }

  async function readHead(open: Session): Promise<AuditHead> {
    const question = findAuditHead(chain)
    return question.tell(await open.ask(question.statement, question.values)) ?? emptyChain(chain)
  }
}

/** The error that the port knows. */
function told(err: unknown, fault: TransactionFailed['fault']): Error {
  const cause = err instanceof Error ? err : new Error(String(err))
  if (cause instanceof StoreUnavailable || fault === 'statement') return cause
  if (fault === 'full') return new StoreFull(cause.message, { cause })
  if (fault === 'unknown') return new StoreOutcomeUnknown(cause.message, { cause })
  return new StoreUnavailable(cause.message, { cause })
}

/**
 * Runs of one transaction at most. A taken chain: the first time it may be a commit of our own that came through after its connection was
 * lost, so the head is read anew; after that somebody else writes under our name, and whoever loses twice leaves the chain to him.
 */
const RUNS_MAX = 4
