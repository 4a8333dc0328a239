import { dueAt } from '@tessera/vault/epoch'
import type { Keyring } from '@tessera/vault/keyring'

import type { Clock } from '../../clock.ts'

/** What says that a key is due, before it is. */
export interface KeyAgeAlerts {
  /** Logs `key_due` for each data key that should have been replaced by now, and `kek_due` for a KEK that is old. To be called periodically. */
  run(): void
}

export interface KeyAgeDependencies {
  readonly keyring: Pick<Keyring, 'list' | 'wrappingKekId'>
  readonly kekSince: () => number | null
  readonly clock: Pick<Clock, 'now'>
  readonly log: { warn(event: string, fields: Readonly<Record<string, unknown>>): void }
  readonly settings: KeyAgeSettings
}

export interface KeyAgeSettings {
  readonly kekAgeMaxMs: number
  readonly kekNoticeMs: number
}

export function makeKeyAgeAlerts({ keyring, kekSince, clock, log, settings }: KeyAgeDependencies): KeyAgeAlerts {
  /** When each alert was logged last, by key id. */
  const loggedAt = new Map<string, number>()
  return Object.freeze({ run })

  function run(): void {
    const now = clock.now()
    for (const key of keyring.list()) {
      const due = dueAt(key)
      // A background job replaces keys an hour before: one that is nearer was not replaced, because the KEK or the key store is away.
      if (due !== null && due - now < overdueWithinMs && isTimeToLog(key.keyId, now, keyRepeatMs)) {
        log.warn('key_due', { keyId: key.keyId, purpose: key.purpose, seconds: (due - now) / 1000 })
      }
    }
    const since = kekSince()
    if (since === null) return
    const leftMs = since + settings.kekAgeMaxMs - now
    const kek = keyring.wrappingKekId()
    if (leftMs < settings.kekNoticeMs && isTimeToLog(kek, now, kekRepeatMs)) log.warn('kek_due', { kek, seconds: leftMs / 1000 })
  }

  function isTimeToLog(id: string, now: number, everyMs: number): boolean {
    const last = loggedAt.get(id)
    if (last !== undefined && now - last < everyMs && now >= last) return false
    loggedAt.set(id, now)
    return true
  }
}

const overdueWithinMs = 45 * 60_000
const keyRepeatMs = 15 * 60_000
const kekRepeatMs = 24 * 60 * 60_000
