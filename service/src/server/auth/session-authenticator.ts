import { RpcError } from '@tessera/contract/errors'
import { isDashboardOperation, type Role } from '@tessera/contract/operations'
import { bucketOf } from '@tessera/vault/id'
import { timingSafeEqual } from 'node:crypto'

import type { DashboardBrowser } from '../../domain/request-context.ts'
import type { RequiredRole } from '../../operations/operation.ts'
import type { CallerAuthentication, Authenticator } from './authenticator.ts'

import type { LiveDashboardSession, DashboardSessions } from '../../domain/users/sessions.ts'

/** Authenticates at the dashboard's endpoint: a live session, its CSRF token, the required role, and for some operations a confirmation (step-up). */
export function makeSessionAuthenticator(sessions: DashboardSessions): Authenticator {
  return Object.freeze<Authenticator>({
    serves: isDashboardOperation,
    async authenticate({ name, role, confirmation }, { browser }) {
      if (role === undefined || browser === undefined) throw new RpcError('notFromDashboard')
      if (role === 'visitor') return visitor
      const live = await sessions.find(browser.cookie)
      if (live === null) throw new RpcError('signedOut')
      assertCsrf(live, browser)
      if (live.user.mustChange && !allowedWithIssuedPassword.has(name)) throw new RpcError('passwordMustChange')
      if (live.mustAddSecondFactor && !allowedWithoutSecondFactor.has(name)) throw new RpcError('secondFactorRequired')
      const caller = authenticatedUser(live, role)
      if (caller.fault !== null || live.isConfirmed || confirmation === undefined) return caller
      const isAsked = confirmation === 'always' || (await sessions.hasSecondFactor(live.user))
      return isAsked ? { ...caller, fault: { entry: 'confirmationRequired' } } : caller
    },
  })
}

/** Whether a user may call an operation of the required role: it is the user's role, the user is `owner`, or the operation is open to every role. */
export function hasRequiredRole(role: Role, required: Role): boolean {
  return role === 'owner' || required === 'read' || role === required
}

function assertCsrf({ session }: LiveDashboardSession, { csrf }: DashboardBrowser): void {
  const given = Buffer.from(csrf ?? '')
  const expected = Buffer.from(session.csrf)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw new RpcError('notFromDashboard')
}

function authenticatedUser(
  { session, user, isConfirmed }: LiveDashboardSession,
  required: Exclude<RequiredRole, 'visitor'>,
): CallerAuthentication {
  const { merchantId, userId, role } = user
  const known = { userId, sessionId: session.sessionId, role, mustChangePassword: user.mustChange, isConfirmed }
  const identity = { merchantId, bucket: bucketOf(merchantId), kind: 'dashboard', limits: null, user: known } as const
  const fault = hasRequiredRole(role, required) ? null : ({ entry: 'roleTooLow' } as const)
  return { identity, merchantId, fault }
}

/** Operations open to a user who signed in with a one-time password and has to change it first. */
const allowedWithIssuedPassword: ReadonlySet<string> = new Set([
  'dashboard.password.change',
  'dashboard.session.signOut',
  'dashboard.session.signOutEverywhere',
])

/** Operations open to a user who has to set up a second factor first. */
const allowedWithoutSecondFactor: ReadonlySet<string> = new Set([
  ...allowedWithIssuedPassword,
  'dashboard.session.list',
  'dashboard.session.confirmBegin',
  'dashboard.session.confirm',
  'dashboard.totp.begin',
  'dashboard.totp.confirm',
  'dashboard.recoveryCodes.get',
  'dashboard.passkeys.list',
  'dashboard.passkeys.begin',
  'dashboard.passkeys.add',
])

/** A caller who has not signed in. */
const visitor: CallerAuthentication = Object.freeze({
  identity: Object.freeze({ merchantId: '', bucket: 0, kind: 'dashboard', limits: null }),
  merchantId: null,
  fault: null,
})
