import { RpcError } from '@tessera/contract/errors'

import type { DashboardUserRow } from '../store/store.ts'

import { noteVisit, trueUser, type DashboardTools } from './parts.ts'
import { stepOfCode } from './second-factor.ts'
import type { SessionOrigin } from './sessions.ts'

export interface SignInTry extends SessionOrigin {
  readonly phone: string
  readonly password: string
  /** Of the second factor; null: not given. */
  readonly code: string | null
}

/**
 * Who it is. Throws `signInRefused` for everything that may be wrong, after as much work: an unknown phone, a wrong password, a wrong code, a
 * closed login, a blocked user. A try is counted before it is evaluated, so that a thousand at once are no more than ten.
 */
export async function signIn(tools: DashboardTools, asked: SignInTry): Promise<DashboardUserRow | { readonly needs: 'totp' }> {
  const { store, passwords, clock } = tools
  const user = await trueUser(tools, await store.findDashboardUserByPhone(asked.phone))
  const isOpen = user !== null && (await claimTry(tools, user))
  const isRight = await passwords.isRight(asked.password, isOpen ? user.verifier : null)
  if (user === null) throw new RpcError('signInRefused')
  const refuse = async (outcome: string): Promise<never> => {
    const doer = { actor: 'visitor', requestId: asked.requestId }
    await store.appendAudit(noteVisit(user, doer, { at: clock.now(), action: 'dashboard.sign_in_refused', outcome }))
    throw new RpcError('signInRefused')
  }
  if (!isOpen) return refuse('locked')
  if (!isRight) return refuse('password')
  if (user.state === 'blocked') return refuse('blocked')
  if (user.totp === null) {
    await store.clearSignInTries(user.userId, null)
    return user
  }
  if (asked.code === null) {
    await store.uncountSignInTry(user.userId)
    return { needs: 'totp' }
  }
  const step = await stepOfCode(tools, user.totp, asked.code, user)
  if (step === null || !(await store.clearSignInTries(user.userId, step))) return refuse('code')
  return user
}

/** Counts one try against a login; false while it is closed. For whatever asks for the password again, too. */
export function claimTry({ store, clock, figures }: DashboardTools, { userId }: DashboardUserRow): Promise<boolean> {
  return store.claimSignInTry({ userId, now: clock.now(), triesMax: figures.triesMax, lockMs: figures.lockMs })
}

/** Whether the user's own password confirms a change; wrong ones count as tries to sign in. */
export async function expectPassword(tools: DashboardTools, user: DashboardUserRow, password: string): Promise<void> {
  const isOpen = await claimTry(tools, user)
  const isRight = await tools.passwords.isRight(password, isOpen ? user.verifier : null)
  if (!isRight) throw new RpcError('passwordWrong', { data: 'password' })
  await tools.store.clearSignInTries(user.userId, null)
}
