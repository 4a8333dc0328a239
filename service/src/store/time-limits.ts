import { StoreUnavailable } from './store.ts'

/** How long a call waits for its database, in milliseconds. A client that waits three seconds always gets an answer. */
export interface StoreTimeLimits {
  /** When nothing has been committed for so long, the store counts as stuck: waiting writes are refused after as long. */
  readonly stuckMs: number
  /** A write that waits longer than this for its turn is refused, although others are committed. */
  readonly queueMs: number
  /** Every read ends after this, with `StoreUnavailable`. A call reads before it writes, and both together have to end within three seconds. */
  readonly readMs: number
  /**
   * Every write ends after this, counted from its call: with `StoreUnavailable` when nothing was done, and with `StoreOutcomeUnknown` when
   * its commit is in progress.
   */
  readonly writeMs: number
}

export const storeTimeLimits: StoreTimeLimits = { stuckMs: 1000, queueMs: 1500, readMs: 800, writeMs: 1800 }

/** When a read that starts now has to end; monotonic milliseconds. */
export function readDeadline(): number {
  return performance.now() + storeTimeLimits.readMs
}

/**
 * Milliseconds until the deadline, for a statement that is about to be sent. Throws `StoreUnavailable` when they are too few for a reply: a statement that
 * ends unanswered costs the connection, with everything else that is in progress on it.
 */
export function timeLeft(deadline: number): number {
  const left = deadline - performance.now()
  if (left < minReplyMs) throw new StoreUnavailable('no time is left for the statement')
  return left
}

const minReplyMs = 50

/** The result of a promise that only waits, such as for a connection; throws `StoreUnavailable` at the deadline. The promise goes on. */
export async function untilDeadline<T>(waited: Promise<T>, deadline: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new StoreUnavailable(`${what} took too long`)), Math.max(0, deadline - performance.now()))
  })
  return Promise.race([waited, late]).finally(() => clearTimeout(timer))
}
