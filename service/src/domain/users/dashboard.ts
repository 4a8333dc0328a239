import { makeRowAuthenticator } from '@tessera/vault/rowmac'
import { makeMerchantAuditLog, type MerchantAuditLog } from './merchant-audit-log.ts'
import type { DashboardDependencies, DashboardServices } from './dependencies.ts'
import { makeReceiptReports, type ReceiptReports } from '../reporting/receipts.ts'
import { makeDashboardSessions, type DashboardSessions } from './sessions.ts'
import { signIn, type SignInAttempt } from './sign-in.ts'
import { makeDashboardUsers, type DashboardUsers } from './users.ts'
import { findDashboardUserByPhone, dashboardUsersTable } from '../../store/dashboard-users.ts'

/** Dashboard users, their sessions and their audit log. */
export interface Dashboard {
  readonly users: DashboardUsers
  readonly sessions: DashboardSessions
  readonly auditLog: MerchantAuditLog
  readonly receiptLists: ReceiptReports
  readonly environment: string
  /** Returns a new session token, or `needs` when the password is correct and a second-factor code is required. Throws `signInRefused`. */
  signIn(attempt: SignInAttempt): Promise<{ readonly needs: 'totp' } | { readonly session: string }>
  /** Creates a login with a given password unless the phone has one. Used by the sandbox. */
  ensureLogin(login: { readonly merchantId: string; readonly phone: string; readonly password: string }): Promise<void>
}

export function makeDashboard(deps: DashboardDependencies): Dashboard {
  const services: DashboardServices = { ...deps, mac: makeRowAuthenticator(deps.keyring, deps.environment, dashboardUsersTable) }
  const users = makeDashboardUsers(services)
  const sessions = makeDashboardSessions(services)
  return Object.freeze<Dashboard>({
    users,
    sessions,
    auditLog: makeMerchantAuditLog(deps.store),
    receiptLists: makeReceiptReports(deps),
    environment: deps.environment,
    async signIn(attempt) {
      const found = await signIn(services, attempt)
      return 'needs' in found ? found : { session: await sessions.begin(found, attempt) }
    },
    async ensureLogin(login) {
      if ((await deps.store.read(findDashboardUserByPhone(login.phone))) !== null) return
      await users.create({ ...login, role: 'owner' }, { actor: 'system', requestId: '' })
    },
  })
}
