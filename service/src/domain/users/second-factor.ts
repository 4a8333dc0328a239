import { keyIdOfTotpSecret, openTotpSecret, sealTotpSecret, totpCode, totpStepAt } from '@tessera/vault/totp'
import { timingSafeEqual } from 'node:crypto'

import type { DashboardUserRow } from '../../store/dashboard-users.ts'

import type { DashboardDependencies } from './dependencies.ts'

type Owner = Pick<DashboardUserRow, 'merchantId' | 'userId'>
type Keys = Pick<DashboardDependencies, 'keyring' | 'environment'>

export async function sealSecret({ keyring, environment }: Keys, secret: Uint8Array, { merchantId, userId }: Owner): Promise<Uint8Array> {
  return sealTotpSecret(secret, await keyring.active('dashboard'), { environment, merchantId, userId })
}

/**
 * Returns the time step of a valid code, or null. The previous and the next step are accepted too, because clocks differ (RFC 6238 §5.2).
 * The store rejects a code that was used before.
 */
export async function stepOfCode(deps: Keys & Pick<DashboardDependencies, 'clock'>, sealed: Uint8Array, code: string, owner: Owner) {
  const { keyring, environment, clock } = deps
  const { merchantId, userId } = owner
  const dek = await keyring.byId(keyIdOfTotpSecret(sealed) ?? '')
  const secret = openTotpSecret(sealed, dek, { environment, merchantId, userId })
  try {
    const now = totpStepAt(clock.now())
    const matches = (step: number): boolean => timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(code))
    return /^[0-9]{6}$/.test(code) ? ([now, now - 1, now + 1].find(matches) ?? null) : null
  } finally {
    secret.fill(0)
  }
}
