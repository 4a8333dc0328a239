import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../clock.ts'
import type { KnownAnswers } from '../domain/keys/known-answers.ts'
import type { Store } from '../store/store.ts'

import type { ReadinessCheck } from './lifecycle.ts'

export interface ReadinessDependencies {
  readonly store: Pick<Store, 'ping'>
  readonly keyring: Pick<Keyring, 'read'>
  readonly knownAnswers: Pick<KnownAnswers, 'verifyServiceKeys'>
  readonly clock: Pick<Clock, 'moment'>
}

/** What has to hold for calls to succeed, in the order in which it is reported. A new condition is an entry here. */
export function listReadinessChecks({ store, keyring, knownAnswers, clock }: ReadinessDependencies): readonly ReadinessCheck[] {
  return [
    { state: 'store_unavailable', run: () => store.ping() },
    // Nothing new is sealed once the keys have not been read for a minute. There may be many of them.
    { state: 'keys_unavailable', run: onceIn(30_000, clock, () => keyring.read()) },
    // The database was restored or replaced by one that was written with other keys.
    { state: 'key_store_mismatch', run: onceIn(retryMs, clock, () => knownAnswers.verifyServiceKeys()) },
  ]
}

/** Runs a check at most once in a time, and one that failed sooner again; until then its last result is repeated. */
function onceIn(ms: number, clock: Pick<Clock, 'moment'>, check: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | null = null
  let dueAt = 0
  return () => {
    const now = clock.moment().monotonicMs
    if (result === null || now >= dueAt) {
      dueAt = now + ms
      result = check()
      result.catch(() => (dueAt = now + retryMs))
    }
    return result
  }
}

const retryMs = 5000
