import { findSendWait, type SendClaim } from '../../store/send-limits.ts'
import type { Store } from '../../store/store.ts'
import type { TamperedRowAlarm } from '../verified-rows.ts'

/**
 * Counts the sends of this process in memory. The counts in the database have no MAC: without these, somebody who writes the database could reset them
 * before each send (docs/decisions/0035-bound-rows.md). The store counts and decides as before; this refuses only what the store would allow after
 * a reset.
 */
export interface RecentSends {
  /** Milliseconds until the send is allowed, when the stored counts say less than this process has sent: then the alarm was raised. Otherwise 0. */
  checkReset(claim: SendClaim, of: SendOwner): Promise<number>
  /** To be called when the store has counted a send. */
  record(claim: SendClaim): void
}

export interface SendOwner {
  readonly merchantId: string
  readonly cardId: string
  readonly requestId: string
}

export interface RecentSendDependencies {
  readonly store: Pick<Store, 'read'>
  readonly alarm: TamperedRowAlarm
}

export function makeRecentSends({ store, alarm }: RecentSendDependencies): RecentSends {
  /** Times of the newest sends of a card number or phone, newest first. */
  const sends = new Map<string, readonly number[]>()
  return Object.freeze({ checkReset, record })

  async function checkReset(claim: SendClaim, of: SendOwner): Promise<number> {
    const waitMs = waitOf(sends.get(subjectOf(claim)) ?? [], claim)
    if (waitMs === 0 || (await store.read(findSendWait(claim))) > 0) return 0
    alarm('row_tampered', { ...of, table: 'send_limits' })
    return waitMs
  }

  function record(claim: SendClaim): void {
    const subject = subjectOf(claim)
    const times = sends.get(subject) ?? []
    sends.delete(subject)
    // The subject that was counted longest ago is forgotten, so that the memory is bounded.
    for (const oldest of sends.keys()) {
      if (sends.size < maxSubjects) break
      sends.delete(oldest)
    }
    sends.set(subject, [claim.at, ...times].slice(0, maxTimes))
  }
}

/** As the store decides: less than `count` sends in the last `ms`. */
function waitOf(times: readonly number[], { at, windows }: SendClaim): number {
  const waits = windows.map(({ count, ms }) => (times[count - 1] ?? -Infinity) + ms - at)
  return Math.max(0, ...waits)
}

function subjectOf({ keyId, scope, subject }: SendClaim): string {
  return `${scope} ${keyId} ${Buffer.from(subject).toString('hex')}`
}

const maxTimes = 5
const maxSubjects = 100_000
