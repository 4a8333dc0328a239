import { createHash } from 'node:crypto'

import type { Pan } from '@tessera/contract/card'
import type { Keyring } from '@tessera/vault/keyring'
import { limitSubject } from '@tessera/vault/subject'

import type { CodeTry, SendClaim } from '../store/store.ts'

/** One send to a PAN or a phone, as the store counts it: under the key of the day, so that nothing lasting is known of either. */
export async function sendClaim(keyring: Keyring, value: Pan | Uint8Array, { at, windows, caps }: SendTime): Promise<SendClaim> {
  const dek = await keyring.active('limits')
  const scope = value instanceof Uint8Array ? 'phone' : 'pan'
  return { keyId: dek.keyId, scope, subject: subjectIn(caps, limitSubject(dek, scope, value)), at, windows }
}

export interface SendTime extends Pick<SendClaim, 'at' | 'windows'> {
  readonly caps: Caps
}

/** Caps that are counted. */
export interface Caps {
  /** A merchant that rehearses them counts under a word of its own: its test cards are everybody's. Null: one count for all. */
  readonly apart: string | null
}

/** Tells under which word a merchant rehearses the caps; null: it does not. */
export type RehearsedCaps = (merchantId: string) => string | null

export interface CapParts {
  readonly figures: { readonly limits: boolean }
  /** In the test environment alone. */
  readonly rehearsed?: RehearsedCaps | undefined
}

/** The caps of a merchant; null where none are counted. */
export function capsOf({ figures, rehearsed }: CapParts, merchantId: string): Caps | null {
  if (figures.limits) return everybodys
  const apart = rehearsed?.(merchantId) ?? null
  return apart === null ? null : { apart }
}

const everybodys: Caps = Object.freeze({ apart: null })

function subjectIn({ apart }: Caps, subject: Uint8Array): Uint8Array {
  return apart === null ? subject : new Uint8Array(createHash('sha256').update(subject).update(apart).digest())
}

/** Against SMS bombing and pumping: one a minute, three in ten minutes, five a day; the store counts up to five. */
export function sendWindowsOf({ tenMinutesMax, dayMax }: { tenMinutesMax: number; dayMax: number }): SendClaim['windows'] {
  return Object.freeze([
    { count: 1, ms: 60_000 },
    { count: tenMinutesMax, ms: 600_000 },
    { count: dayMax, ms: dayMs },
  ])
}

/** The cap of tries of one PAN in a day, over all its tokens and codes. */
export async function dayCap(keyring: Keyring, pan: Pan, { triesMax, caps }: DayTries): Promise<NonNullable<CodeTry['dayCap']>> {
  const dek = await keyring.active('limits')
  return { keyId: dek.keyId, subject: subjectIn(caps, limitSubject(dek, 'pan', pan)), triesMax, endsAt: dek.createdAt + dayMs }
}

export interface DayTries {
  readonly triesMax: number
  readonly caps: Caps
}

const dayMs = 24 * 3_600_000
