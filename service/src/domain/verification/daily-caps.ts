import { createHash } from 'node:crypto'

import type { Pan } from '@tessera/contract/card'
import type { Keyring } from '@tessera/vault/keyring'
import { hashLimitSubject } from '@tessera/vault/keyed-hashes'

import type { SendClaim } from '../../store/send-limits.ts'
import type { CodeAttempt } from '../../store/verifications.ts'

/** The claim of one send to a card number or phone. It is counted by a hash under the key of the day, so that no permanent hash of either exists. */
export async function sendClaim(keyring: Keyring, value: Pan | Uint8Array, { at, windows, caps }: SendTime): Promise<SendClaim> {
  const dek = await keyring.active('limits')
  const scope = value instanceof Uint8Array ? 'phone' : 'pan'
  return { keyId: dek.keyId, scope, subject: subjectIn(caps, hashLimitSubject(dek, scope, value)), at, windows }
}

export interface SendTime extends Pick<SendClaim, 'at' | 'windows'> {
  readonly caps: DailyCaps
}

/** Daily caps that are in force for a merchant. */
export interface DailyCaps {
  /** Scope of a merchant that simulates the caps: test cards are shared, so it has counts of its own. Null: one count for all merchants. */
  readonly scope: string | null
}

/** The scope under which a merchant simulates the caps; null when it does not. */
export type SimulatedCaps = (merchantId: string) => string | null

export interface DailyCapOptions {
  readonly settings: { readonly limits: boolean }
  /** In the test environment only. */
  readonly simulatedCaps?: SimulatedCaps | undefined
}

/** The daily caps of a merchant; null if none are in force. */
export function dailyCapsOf({ settings, simulatedCaps }: DailyCapOptions, merchantId: string): DailyCaps | null {
  if (settings.limits) return globalCaps
  const scope = simulatedCaps?.(merchantId) ?? null
  return scope === null ? null : { scope }
}

const globalCaps: DailyCaps = Object.freeze({ scope: null })

function subjectIn({ scope }: DailyCaps, subject: Uint8Array): Uint8Array {
  return scope === null ? subject : new Uint8Array(createHash('sha256').update(subject).update(scope).digest())
}

/** Limits against SMS bombing and pumping: by default one a minute, three in ten minutes, five a day. The store counts up to five. */
export function sendWindowsOf({ waitMs, tenMinutesMax, dayMax }: SendMaxima): SendClaim['windows'] {
  return Object.freeze([
    { count: 1, ms: waitMs },
    { count: tenMinutesMax, ms: 600_000 },
    { count: dayMax, ms: dayMs },
  ])
}

export interface SendMaxima {
  /** Between two messages. */
  readonly waitMs: number
  readonly tenMinutesMax: number
  readonly dayMax: number
}

/** The cap on attempts per card number and day, over all its tokens and codes. */
export async function dailyAttemptCap(
  keyring: Keyring,
  pan: Pan,
  { maxAttempts, caps }: DailyAttempts,
): Promise<NonNullable<CodeAttempt['dayCap']>> {
  const dek = await keyring.active('limits')
  return { keyId: dek.keyId, subject: subjectIn(caps, hashLimitSubject(dek, 'pan', pan)), maxAttempts, endsAt: dek.createdAt + dayMs }
}

export interface DailyAttempts {
  readonly maxAttempts: number
  readonly caps: DailyCaps
}

const dayMs = 24 * 3_600_000
