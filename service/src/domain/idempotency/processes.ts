import { randomPublic } from '@tessera/vault/random'

import { withTimeout, type Clock } from '../../clock.ts'
import type { Store, StoreLock } from '../../store/store.ts'

/**
 * Which processes of the service still run: each holds a lock of the database by its id, which ends with it. A duplicate request does not wait for the
 * request of a process that was killed. What an operation may conclude never depends on it: a process that lost its connection, and so seems to have ended,
 * costs a duplicate an `outcome_unknown`.
 */
export interface RunningProcesses {
  /** The id of this process for a claim; '' while it does not have its lock, so that nobody concludes anything from it. */
  ownId(): Promise<string>
  /** False only when the process with this id has ended, or lost its connection to the database. */
  isRunning(processId: string): Promise<boolean>
}

export function makeRunningProcesses(store: Pick<Store, 'tryLock' | 'isLocked'>, clock: Pick<Clock, 'moment' | 'sleep'>): RunningProcesses {
  const now = (): number => clock.moment().monotonicMs
  const own = Buffer.from(randomPublic(idBytes)).toString('hex')
  let lock: StoreLock | null = null
  let maintained = { at: -Infinity, done: Promise.resolve() }
  const looks = new Map<string, { readonly at: number; readonly isRunning: Promise<boolean> }>()
  return Object.freeze<RunningProcesses>({ ownId, isRunning })

  async function ownId(): Promise<string> {
    const isFirst = maintained.at === -Infinity
    if (now() - maintained.at > maintainMs) maintained = { at: now(), done: lock === null ? takeOwn() : checkOwn(lock) }
    // Only the first call waits, and not for long.
    if (isFirst) await withTimeout<void>({ clock, timeoutMs: firstWaitMs }, undefined, () => maintained.done)
    return lock === null ? '' : own
  }

  async function takeOwn(): Promise<void> {
    lock = await store.tryLock(lockName(own)).catch(() => null)
  }

  /** Its connection may have been lost; the lock is taken again by a later claim. */
  async function checkOwn(held: StoreLock): Promise<void> {
    await held.check().catch(() => void (lock = null))
  }

  async function isRunning(processId: string): Promise<boolean> {
    if (processId === '' || processId === own) return true
    const last = looks.get(processId)
    if (last !== undefined && now() - last.at < lookMs) return last.isRunning
    if (looks.size >= maxProcesses) looks.clear()
    const look = { at: now(), isRunning: isLockHeld(processId) }
    looks.set(processId, look)
    return look.isRunning
  }

  /** When the database does not respond, nothing is known. */
  async function isLockHeld(processId: string): Promise<boolean> {
    try {
      return await store.isLocked(lockName(processId))
    } catch {
      return true
    }
  }
}

function lockName(processId: string): string {
  return `process-${processId}`
}

const idBytes = 8
/** How often a process takes or checks its lock, while it makes claims. */
const maintainMs = 1000
const firstWaitMs = 500
/** Another process is looked at once in so long, however many duplicates wait for it. */
const lookMs = 500
const maxProcesses = 1000
