import type { Pan } from '@tessera/contract/card'
import type { Keyring } from '@tessera/vault/keyring'
import { limitSubject } from '@tessera/vault/subject'

import type { CodeTry, SendClaim } from '../store/store.ts'

/** One send to a PAN or a phone, as the store counts it: under the key of the day, so that nothing lasting is known of either. */
export async function sendClaim(keyring: Keyring, value: Pan | Uint8Array, { at, windows }: SendTime): Promise<SendClaim> {
  const dek = await keyring.active('limits')
  const scope = value instanceof Uint8Array ? 'phone' : 'pan'
  return { keyId: dek.keyId, scope, subject: limitSubject(dek, scope, value), at, windows }
}

export type SendTime = Pick<SendClaim, 'at' | 'windows'>

/** Against SMS bombing and pumping: one a minute, three in ten minutes, five a day; the store counts up to five. */
export function sendWindowsOf({ tenMinutesMax, dayMax }: { tenMinutesMax: number; dayMax: number }): SendClaim['windows'] {
  return Object.freeze([
    { count: 1, ms: 60_000 },
    { count: tenMinutesMax, ms: 600_000 },
    { count: dayMax, ms: dayMs },
  ])
}

/** The cap of tries of one PAN in a day, over all its tokens and codes. */
export async function dayCap(keyring: Keyring, pan: Pan, triesMax: number): Promise<NonNullable<CodeTry['dayCap']>> {
  const dek = await keyring.active('limits')
  return { keyId: dek.keyId, subject: limitSubject(dek, 'pan', pan), triesMax, endsAt: dek.createdAt + dayMs }
}

const dayMs = 24 * 3_600_000
