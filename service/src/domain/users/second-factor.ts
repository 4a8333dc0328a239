import { readRecoveryCode } from '@tessera/vault/credential'
import { keyIdOfTotpSecret, openTotpSecret, sealTotpSecret, totpCode, totpStepAt } from '@tessera/vault/totp'
import { timingSafeEqual } from 'node:crypto'

import { listRecoveryCodes } from '../../store/dashboard-recovery-codes.ts'
import { acceptTotpStep, claimCodeAttempt, type DashboardUserRow } from '../../store/dashboard-users.ts'

import type { AuditActor } from '../request-context.ts'

import type { DashboardDependencies, DashboardServices, DashboardUserKey } from './dependencies.ts'
import { redeemRecoveryCode } from './recovery-codes.ts'

type Keys = Pick<DashboardDependencies, 'keyring' | 'environment'>

/** What a right code was. */
export type SecondFactorKind = 'totp' | 'recovery_code'

/**
 * Confirms a second factor by a code of the authenticator or a recovery code, for every operation that asks for one. Returns null for a wrong code, and
 * for any code while too many were wrong.
 *
 * Wrong codes have one count, wherever they are entered: at sign-in, in a confirmation, at enrolment. It is not the count of wrong passwords, which
 * anybody can raise who knows a phone number: a code is asked for only after the right password or within a session, so a login that is locked by wrong
 * passwords is still opened by its second factor. Call this with a user whose password was right, or who has a session. Each code is accepted once.
 */
export async function confirmSecondFactor(
  services: DashboardServices,
  user: DashboardUserRow,
  code: string,
  actor: AuditActor,
): Promise<SecondFactorKind | null> {
  if (!(await claimCode(services, user.userId))) {
    await readDecoyCodes(services, code)
    return null
  }
  const kind = await redeemCode(services, user, code, actor)
  if (kind !== null) services.codeAttempts.reset(user.userId)
  return kind
}

/** The read of a wrong recovery code, for a code that is not evaluated. */
export async function readDecoyCodes({ store }: DashboardServices, code: string): Promise<void> {
  if (readRecoveryCode(code) !== null) await store.read(listRecoveryCodes(''))
}

/** The step of the first code of a new secret, which enables it; null for a wrong code. It counts, and is used up, like any other. */
export async function confirmNewSecret(services: DashboardServices, owner: DashboardUserKey, sealed: Uint8Array, code: string) {
  if (!(await claimCode(services, owner.userId))) return null
  const step = await stepOfCode(services, sealed, code, owner)
  if (step === null) return null
  services.codeAttempts.reset(owner.userId)
  services.codeAttempts.acceptStep(owner.userId, step)
  return step
}

export async function sealSecret(
  { keyring, environment }: Keys,
  secret: Uint8Array,
  { merchantId, userId }: DashboardUserKey,
): Promise<Uint8Array> {
  return sealTotpSecret(secret, await keyring.active('dashboard'), { environment, merchantId, userId })
}

async function claimCode({ store, clock, settings, codeAttempts }: DashboardServices, userId: string): Promise<boolean> {
  const { maxAttempts, lockMs } = settings
  const now = clock.now()
  const isOpen = codeAttempts.claim(userId, now)
  // Written also when this process refuses, so that the time does not tell a right password (docs/decisions/0039-sign-in-flood.md).
  const isClaimed = await store.write(claimCodeAttempt, { userId, now, maxAttempts, lockMs })
  return isOpen && isClaimed
}

async function redeemCode(
  services: DashboardServices,
  user: DashboardUserRow,
  code: string,
  actor: AuditActor,
): Promise<SecondFactorKind | null> {
  const { store, codeAttempts } = services
  if (!/^[0-9]{6}$/.test(code)) return (await redeemRecoveryCode(services, user, code, actor)) ? 'recovery_code' : null
  const step = user.totp === null ? null : await stepOfCode(services, user.totp, code, user)
  if (step === null || !codeAttempts.acceptStep(user.userId, step)) return null
  return (await store.write(acceptTotpStep, { userId: user.userId, totpStep: step })) ? 'totp' : null
}

/** Returns the time step of a valid code, or null. The previous and the next step are accepted too, because clocks differ (RFC 6238 §5.2). */
async function stepOfCode(deps: Keys & Pick<DashboardDependencies, 'clock'>, sealed: Uint8Array, code: string, owner: DashboardUserKey) {
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
