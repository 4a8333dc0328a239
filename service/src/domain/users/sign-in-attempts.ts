import { hashSignInSubject, type SignInSubjectKind } from '@tessera/vault/keyed-hashes'
import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'
import { countSubjectAttempt, deleteSignInAttempts, findSignInLock, uncountSubjectAttempt } from '../../store/sign-in-attempts.ts'
import type { Store } from '../../store/store.ts'

/**
 * Counts failed sign-ins by phone, and by known device. A phone without a login is counted like one with it, so that neither a lock nor the work of an
 * attempt tells which phones have one.
 *
 * The stored counts have no MAC. Each process also counts in memory, so that somebody who writes the database gains no attempts in it by resetting them.
 * A count in memory ends with a change of the user, such as a new password that another process stored: the row of the user has a MAC, and only a later
 * version than any before counts.
 */
export interface SignInAttempts {
  subjectOf(kind: SignInSubjectKind, id: string): Promise<string>
  /** Until when the subject is locked, unix milliseconds; 0 when it is not. `version`: of the user's verified row; 0 without a user. */
  lockedUntil(subject: string, version?: number): Promise<number>
  /** Counts an attempt before it is evaluated; false while the subject is locked. The last allowed one locks it; `max`: another number of them. */
  count(subject: string, of?: { readonly version?: number; readonly max?: number }): Promise<boolean>
  /** One write like that of a counted attempt, which never locks. */
  countDecoy(subject: string): Promise<void>
  /** Uncounts it: the password was right, and the second factor is asked for next. */
  uncount(subject: string): Promise<void>
  /** Forgets all attempts, after a success. */
  reset(subjects: readonly string[]): Promise<void>
}

export interface SignInAttemptDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Pick<Clock, 'now'>
  readonly settings: { readonly maxAttempts: number; readonly lockMs: number }
}

interface MemoryCount {
  tries: number
  lockedUntil: number
  endsAt: number
  /** The highest version of the user's row so far. */
  version: number
}

export function makeSignInAttempts({ store, keyring, clock, settings }: SignInAttemptDependencies): SignInAttempts {
  const { maxAttempts, lockMs } = settings
  const counts = new Map<string, MemoryCount>()
  return Object.freeze<SignInAttempts>({ subjectOf, lockedUntil, count, countDecoy, uncount, reset })

  async function subjectOf(kind: SignInSubjectKind, id: string): Promise<string> {
    return Buffer.from(hashSignInSubject(await keyring.active('pepper'), kind, id)).toString('base64url')
  }

  async function lockedUntil(subject: string, version = 0): Promise<number> {
    const now = clock.now()
    const stored = await store.read(findSignInLock(subject))
    // A later time was not written by this service.
    const believed = stored > now + lockMs ? 0 : stored
    const until = Math.max(believed, countOf(subject, { now, version })?.lockedUntil ?? 0)
    return until > now ? until : 0
  }

  async function count(subject: string, { version = 0, max = maxAttempts } = {}): Promise<boolean> {
    const now = clock.now()
    if (!countInMemory(subject, { now, version, max })) return false
    return countInStore(subject, now, max)
  }

  async function countDecoy(subject: string): Promise<void> {
    await countInStore(subject, clock.now(), unlimited)
  }

  function countInStore(subject: string, now: number, max: number): Promise<boolean> {
    return store.write(countSubjectAttempt, { subject, now, maxAttempts: max, lockUntil: now + lockMs, endsAt: now + rememberedMs })
  }

  /** The count in memory; null when it is over, or the user was changed since. */
  function countOf(subject: string, { now, version }: { readonly now: number; readonly version: number }): MemoryCount | null {
    const found = counts.get(subject)
    return found === undefined || found.endsAt <= now || found.version < version ? null : found
  }

  function countInMemory(subject: string, of: { readonly now: number; readonly version: number; readonly max: number }): boolean {
    const { now, max } = of
    const known = countOf(subject, of) ?? { tries: 0, lockedUntil: 0, version: of.version }
    if (known.lockedUntil > now) return false
    const isLast = known.tries + 1 >= max
    counts.delete(subject)
    const lockedUntil = isLast ? now + lockMs : 0
    counts.set(subject, { tries: isLast ? 0 : known.tries + 1, lockedUntil, endsAt: now + rememberedMs, version: known.version })
    while (counts.size > maxSubjects) counts.delete(counts.keys().next().value ?? '')
    return true
  }

  async function uncount(subject: string): Promise<void> {
    const known = counts.get(subject)
    if (known !== undefined && known.lockedUntil === 0 && known.tries > 0) known.tries--
    await store.write(uncountSubjectAttempt, { subject })
  }

  async function reset(subjects: readonly string[]): Promise<void> {
    for (const subject of subjects) counts.delete(subject)
    await store.write(deleteSignInAttempts, { subjects })
  }
}

/** The largest of the column. */
const unlimited = 2 ** 31 - 1
const rememberedMs = 24 * 3_600_000
/** Each costs a slow hash, so that a day has fewer. */
const maxSubjects = 200_000
