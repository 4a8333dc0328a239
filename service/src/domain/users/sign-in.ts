import { RpcError } from '@tessera/contract/errors'

import { insertAuditEntry } from '../../store/audit.ts'
import {
  claimSignInAttempt,
  type DashboardUserRow,
  findDashboardUserByPhone,
  releaseSignInAttempt,
  resetSignInAttempts,
} from '../../store/dashboard-users.ts'

import { sessionAuditEntry, verifiedUserRow, type DashboardServices } from './dependencies.ts'
import { stepOfCode } from './second-factor.ts'
import type { SessionOrigin } from './sessions.ts'

export interface SignInAttempt extends SessionOrigin {
  readonly phone: string
  readonly password: string
  /** The second-factor code; null when not given. */
  readonly code: string | null
}

/**
 * Authenticates a user. Every failure throws `signInRefused` after the same work: unknown phone, wrong password, wrong code, locked login,
 * blocked user. An attempt is counted before it is evaluated, so that parallel attempts cannot exceed the limit.
 */
export async function signIn(services: DashboardServices, attempt: SignInAttempt): Promise<DashboardUserRow | { readonly needs: 'totp' }> {
  const { store, passwords, clock } = services
  const user = await verifiedUserRow(services, await store.read(findDashboardUserByPhone(attempt.phone)))
  const isOpen = user !== null && (await countSignInAttempt(services, user))
  const isPasswordRight = await passwords.isRight(attempt.password, isOpen ? user.verifier : null)
  if (user === null) throw new RpcError('signInRefused')
  const refuse = async (outcome: string): Promise<never> => {
    const actor = { actor: 'visitor', requestId: attempt.requestId }
    await store.write(insertAuditEntry, {
      audit: sessionAuditEntry(user, actor, { at: clock.now(), action: 'dashboard.sign_in_refused', outcome }),
    })
    throw new RpcError('signInRefused')
  }
  if (!isOpen) return refuse('locked')
  if (!isPasswordRight) return refuse('password')
  if (user.state === 'blocked') return refuse('blocked')
  if (user.totp === null) {
    await store.write(resetSignInAttempts, { userId: user.userId, totpStep: null })
    return user
  }
  if (attempt.code === null) {
    await store.write(releaseSignInAttempt, { userId: user.userId })
    return { needs: 'totp' }
  }
  const step = await stepOfCode(services, user.totp, attempt.code, user)
  if (step === null || !(await store.write(resetSignInAttempts, { userId: user.userId, totpStep: step }))) return refuse('code')
  return user
}

/** Counts one attempt against a login; false while it is locked. Also used when a change requires the password again. */
export function countSignInAttempt({ store, clock, settings }: DashboardServices, { userId }: DashboardUserRow): Promise<boolean> {
  return store.write(claimSignInAttempt, { userId, now: clock.now(), maxAttempts: settings.maxAttempts, lockMs: settings.lockMs })
}

/** Checks the user's own password before a change. A wrong one counts as a failed sign-in attempt. */
export async function requirePassword(services: DashboardServices, user: DashboardUserRow, password: string): Promise<void> {
  const isOpen = await countSignInAttempt(services, user)
  const isPasswordRight = await services.passwords.isRight(password, isOpen ? user.verifier : null)
  if (!isPasswordRight) throw new RpcError('passwordWrong', { data: 'password' })
  await services.store.write(resetSignInAttempts, { userId: user.userId, totpStep: null })
}
