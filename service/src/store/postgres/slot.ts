import type { Dek } from '@tessera/vault/dek'

import { emptyChain } from '../audit-chain.ts'
import { type AuditHead, findAuditHead } from '../audit.ts'
import type { CardChange } from '../cards.ts'
import type { Transaction } from '../transaction.ts'
import { type AuditListener, StoreFull, StoreOutcomeUnknown, StoreUnavailable } from '../store.ts'
import { timeLeft, untilDeadline } from '../time-limits.ts'
import { connectUnless } from './primary.ts'
import { damagedError, isDamaged } from './fault.ts'
import type { Primary } from './primary.ts'
import type { Session } from './session.ts'
import { insertNewCards, runTransactions, TransactionFailed } from './transaction.ts'
import type { AuditChainState, CommitResult, TransactionLimits } from './transaction.ts'

/** A writer: one connection, one transaction at a time, and an audit chain of its own, because a hash chain grows by one link after another. */
export interface Slot {
  /**
   * Runs transactions that share one COMMIT, and returns the result of each. Each `start` is called again when they are retried. Throws `TransactionFailed` of fault `statement` when one of them cannot be run; nothing is written then.
   */
  runTransactions(starts: readonly (() => Transaction<unknown>)[], limits: TransactionLimits): Promise<readonly unknown[]>
  /** All of them or none; throws `TransactionFailed` of fault `statement` when one of them cannot be inserted. */
  insertNewCards(changes: readonly CardChange[], deadline: number): Promise<void>
  /** Whether its connection is open. */
  readonly isConnected: boolean
  close(): Promise<void>
}

/** What the writers of a process share: the audit key, how often they committed, and the heads of their chains after the last commit of each. */
export interface WriterChains {
  key: Dek | null
  commits: number
  readonly heads: Map<string, AuditHead>
  readonly listeners: AuditListener[]
}

export function makeSlot(primary: Primary, firstChain: string, chains: WriterChains): Slot {
  let session: Session | null = null
  let connecting: Promise<Session> | null = null
  let chain = firstChain
  let chainMoves = 0
  let head: AuditHead | null = null
  let closed = false
  let isBehindCut = false

  return {
    runTransactions: async (starts, limits) => {
      const attempt = (more: Partial<TransactionLimits>) => {
        const all = { ...limits, ...more }
        return run(
          (open, at) =>
            runTransactions(
              open,
              at,
              starts.map((start) => start()),
              all,
            ),
          all.deadline,
        )
      }
      if (starts.length === 1 || limits.hasMetLock === true) return attempt({})
      try {
        return await attempt({ mayMerge: true })
      } catch (err) {
        if (!(err instanceof TransactionFailed && err.wasMerged)) throw err
        // Again with a statement for each, which tells whose it was.
        return await attempt({ hasMetLock: err.isLocked })
      }
    },
    insertNewCards: (changes, deadline) => run((open, at) => insertNewCards(open, at, changes, deadline), deadline),
    get isConnected() {
      return session?.usable === true
    },
    close: async () => {
      closed = true
      await connecting?.catch(() => undefined)
      const ending = session
      session = null
      await ending?.end()
    },
  }

  /** Runs a transaction. Retries only when the server reports that nothing was committed and a retry may succeed. */
  async function run<T>(transaction: (open: Session, at: AuditChainState) => Promise<CommitResult<T>>, deadline: number): Promise<T> {
    let taken = 0
    for (let left = maxAttempts - 1; ; left--) {
      try {
        const open = session?.usable === true ? session : await untilDeadline(connect(), deadline, 'connecting')
        const at = { head: (head ??= await readHead(open, deadline)), key: chains.key }
        const committed = await transaction(open, at)
        chains.commits++
        head = committed.audit.after
        if (head.seq > 0) chains.heads.set(chain, head)
        if (head.seq > at.head.seq) {
          const audit = { ...committed.audit, isBehindCut }
          isBehindCut = false
          for (const listener of chains.listeners) listener(audit)
        }
        return committed.result
      } catch (err) {
        head = null
        const fault = err instanceof TransactionFailed ? err.fault : isDamaged(err) ? 'damaged' : 'unavailable'
        if (fault === 'chainTaken' && ++taken > 1) chain = `${firstChain}+${++chainMoves}`
        if ((fault !== 'again' && fault !== 'chainTaken') || left === 0 || performance.now() > deadline) throw toStoreError(err, fault)
      }
    }
  }

  /** A connection that is opened too late for one transaction is used by the next. */
  async function connect(): Promise<Session> {
    head = null
    connecting ??= connectUnless(primary, () => closed).finally(() => (connecting = null))
    session = await connecting
    return session
  }

  /** Never goes back behind the head that was committed here, so that entries that somebody deleted leave a gap. */
  async function readHead(open: Session, deadline: number): Promise<AuditHead> {
    const query = findAuditHead(chain)
    const found = await open.query(query.statement, query.values, timeLeft(deadline))
    const stored = query.map(found) ?? emptyChain(chain)
    const committed = chains.heads.get(chain)
    isBehindCut ||= committed !== undefined && committed.seq > stored.seq
    return committed !== undefined && committed.seq >= stored.seq ? committed : stored
  }
}

/** Maps an error to those of `Store`. */
function toStoreError(err: unknown, fault: TransactionFailed['fault']): Error {
  const cause = err instanceof Error ? err : new Error(String(err))
  if (cause instanceof StoreUnavailable || fault === 'statement') return cause
  if (fault === 'damaged') return damagedError(cause)
  if (fault === 'full') return new StoreFull(cause.message, { cause })
  if (fault === 'unknown') return new StoreOutcomeUnknown(cause.message, { cause })
  return new StoreUnavailable(cause.message, { cause })
}

/**
 * Attempts per transaction. When the chain is taken the first time, it may be by our own commit that succeeded after its connection was lost, so the
 * head is read again. After that another service is writing under our name, and the one that loses twice starts a chain of its own.
 */
const maxAttempts = 4
