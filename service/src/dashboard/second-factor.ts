import { keyIdOfTotpSecret, openTotpSecret, sealTotpSecret, totpCodeOf, totpStepAt } from '@tessera/vault/totp'
import { timingSafeEqual } from 'node:crypto'

import type { DashboardUserRow } from '../store/store.ts'

import type { DashboardParts } from './parts.ts'

type Owner = Pick<DashboardUserRow, 'merchantId' | 'userId'>
type Keys = Pick<DashboardParts, 'keyring' | 'environment'>

export async function sealSecret({ keyring, environment }: Keys, secret: Uint8Array, { merchantId, userId }: Owner): Promise<Uint8Array> {
  return sealTotpSecret(secret, await keyring.active('dashboard'), { environment, merchantId, userId })
}

/**
 * The step whose code this is: the present one, or the one before or behind it, for clocks that differ (RFC 6238 §5.2). Null: no such code.
 * Whether it was used before is for the store to decide.
 */
export async function stepOfCode(parts: Keys & Pick<DashboardParts, 'clock'>, sealed: Uint8Array, code: string, owner: Owner) {
  const { keyring, environment, clock } = parts
  const { merchantId, userId } = owner
  const dek = await keyring.byId(keyIdOfTotpSecret(sealed) ?? '')
  const secret = openTotpSecret(sealed, dek, { environment, merchantId, userId })
  try {
    const now = totpStepAt(clock.now())
    const isRight = (step: number): boolean => timingSafeEqual(Buffer.from(totpCodeOf(secret, step)), Buffer.from(code))
    return /^[0-9]{6}$/.test(code) ? ([now, now - 1, now + 1].find(isRight) ?? null) : null
  } finally {
    secret.fill(0)
  }
}
