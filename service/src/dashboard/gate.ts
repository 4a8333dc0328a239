import { RpcError } from '@tessera/contract/errors'
import { isDashboardMethod, type Role } from '@tessera/contract/methods'
import { bucketOf } from '@tessera/vault/id'
import { timingSafeEqual } from 'node:crypto'

import type { NeededRole, Visitor } from '../methods/method.ts'
import type { Identified } from '../rpc/caller.ts'
import type { Gate } from '../rpc/gate.ts'

import type { LiveSession, Sessions } from './sessions.ts'

/** The dashboard's gate: a live session, its CSRF word, and a role that is enough. */
export function makeDashboardGate(sessions: Sessions): Gate {
  return Object.freeze<Gate>({
    offers: isDashboardMethod,
    async admit({ role }, { visitor }, method) {
      if (role === undefined || visitor === undefined) throw new RpcError('notFromDashboard')
      if (role === 'visitor') return stranger
      const live = await sessions.find(visitor.cookie)
      if (live === null) throw new RpcError('signedOut')
      expectCsrf(live, visitor)
      if (live.user.mustChange && !whileIssued.has(method)) throw new RpcError('passwordMustChange')
      return identified(live, role)
    },
  })
}

/** Whether a user of one role may call what asks for another: `support` and `developer` stand beside each other. */
export function mayCall(role: Role, needed: Role): boolean {
  return role === 'owner' || needed === 'read' || role === needed
}

function expectCsrf({ session }: LiveSession, { csrf }: Visitor): void {
  const given = Buffer.from(csrf ?? '')
  const kept = Buffer.from(session.csrf)
  if (given.length !== kept.length || !timingSafeEqual(given, kept)) throw new RpcError('notFromDashboard')
}

function identified({ session, user }: LiveSession, needed: Exclude<NeededRole, 'visitor'>): Identified {
  const { merchantId, userId, role } = user
  const known = { userId, sessionId: session.sessionId, role, mustChangePassword: user.mustChange }
  const identity = { merchantId, bucket: bucketOf(merchantId), as: 'dashboard', limits: null, user: known } as const
  const fault = mayCall(role, needed) ? null : ({ entry: 'roleTooLow' } as const)
  return { identity, merchantId, fault }
}

/** What somebody may do whose password was issued for one sign-in. */
const whileIssued: ReadonlySet<string> = new Set([
  'dashboard.password.change',
  'dashboard.session.signOut',
  'dashboard.session.signOutEverywhere',
])

/** Who has not signed in yet. */
const stranger: Identified = Object.freeze({
  identity: Object.freeze({ merchantId: '', bucket: 0, as: 'dashboard', limits: null }),
  merchantId: null,
  fault: null,
})
