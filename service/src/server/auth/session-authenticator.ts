import { RpcError } from '@tessera/contract/errors'
import { isDashboardOperation, type Role } from '@tessera/contract/operations'
import { bucketOf } from '@tessera/vault/id'
import { timingSafeEqual } from 'node:crypto'

import type { DashboardBrowser } from '../../domain/request-context.ts'
import type { RequiredRole } from '../../operations/operation.ts'
import type { CallerAuthentication, Authenticator } from './authenticator.ts'

import type { LiveDashboardSession, DashboardSessions } from '../../domain/users/sessions.ts'

/** Authenticates at the dashboard's endpoint: a live session, its CSRF token, and the required role. */
export function makeSessionAuthenticator(sessions: DashboardSessions): Authenticator {
  return Object.freeze<Authenticator>({
    serves: isDashboardOperation,
    async authenticate({ name, role }, { browser }) {
      if (role === undefined || browser === undefined) throw new RpcError('notFromDashboard')
      if (role === 'visitor') return visitor
      const live = await sessions.find(browser.cookie)
      if (live === null) throw new RpcError('signedOut')
      assertCsrf(live, browser)
      if (live.user.mustChange && !allowedWithIssuedPassword.has(name)) throw new RpcError('passwordMustChange')
      return authenticatedUser(live, role)
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

function authenticatedUser({ session, user }: LiveDashboardSession, required: Exclude<RequiredRole, 'visitor'>): CallerAuthentication {
  const { merchantId, userId, role } = user
  const known = { userId, sessionId: session.sessionId, role, mustChangePassword: user.mustChange }
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

/** A caller who has not signed in. */
const visitor: CallerAuthentication = Object.freeze({
  identity: Object.freeze({ merchantId: '', bucket: 0, kind: 'dashboard', limits: null }),
  merchantId: null,
  fault: null,
})
