import type { DayPeriod } from '@tessera/contract/calendar-day'

import { type ExportLog, makeExportLog } from './export-log.ts'
import { makeMerchantAuditLog, type MerchantAuditLog } from './merchant-audit-log.ts'
import { makeCodeAttempts } from './code-attempts.ts'
import type { DashboardDependencies, DashboardServices } from './dependencies.ts'
import { makeVerifiedRows } from '../verified-rows.ts'
import { makeCardReports, type MerchantCardsKey } from '../reporting/cards.ts'
import { type CustomerReports, makeCustomerReports } from '../reporting/customers.ts'
import { type FindAnything, makeSearch } from '../reporting/search.ts'
import { makeReceiptSummaryWriter, type ReceiptSummaryWriter } from '../reporting/receipt-summaries.ts'
import { type DailyTotals, listDailyTotals } from '../reporting/daily-totals.ts'
import { makeReceiptReports, type ReceiptReports } from '../reporting/receipts.ts'
import { ensureLogin, type GivenLogin } from './ensure-login.ts'
import { makeKnownDevices, type KnownDevices } from './known-devices.ts'
import { makeProofChallenges } from './proof-challenges.ts'
import { makeDashboardSessions, type DashboardSessions, type SessionOrigin } from './sessions.ts'
import { makeUsedChallenges } from './used-challenges.ts'
import { requestPasskey, type PasskeyRequest } from './passkeys.ts'
import { makeSignInAttempts } from './sign-in-attempts.ts'
import {
  type AuthenticatedUser,
  type PasskeySignInAttempt,
  refuseAttempt,
  signIn,
  type SignInAttempt,
  signInByPasskey,
  type SignInRequest,
} from './sign-in.ts'
import { makeDashboardUsers, type DashboardUsers } from './users.ts'
import { dashboardPasskeysTable } from '../../store/dashboard-passkeys.ts'
import { deleteOldSignInAttempts } from '../../store/sign-in-attempts.ts'
import { deleteInPages } from '../../store/store.ts'
import { dashboardRecoveryCodesTable } from '../../store/dashboard-recovery-codes.ts'
import { findFirstDashboardUserId, dashboardUsersTable } from '../../store/dashboard-users.ts'

/** Dashboard users, their sessions and their audit log. */
export interface Dashboard {
  readonly users: DashboardUsers
  readonly sessions: DashboardSessions
  readonly auditLog: MerchantAuditLog
  readonly exportLog: ExportLog
  readonly receiptLists: ReceiptReports
  readonly receiptSummaries: ReceiptSummaryWriter
  readonly dailyTotals: (of: MerchantCardsKey, period: DayPeriod) => Promise<DailyTotals>
  readonly search: FindAnything
  readonly customers: CustomerReports
  readonly environment: string
  readonly devices: KnownDevices
  /** Signs in, or says what else is needed. Throws `signInRefused`, `signInLocked` and `overloaded`. */
  signIn(attempt: SignInAttempt): Promise<SignInRequest | SignInCookies>
  /** Deletes counts and devices that are over. */
  deleteOldSignIns(stopping?: AbortSignal): Promise<number>
  /** The same by a passkey, without a password. */
  signInByPasskey(attempt: PasskeySignInAttempt): Promise<SignInRequest | SignInCookies>
  /** A challenge for `signInByPasskey`. */
  requestPasskey(origin: string): Promise<PasskeyRequest>
  /** Creates a login with a given password unless the phone has one. Used by the sandbox. */
  ensureLogin(login: GivenLogin): Promise<void>
}

/** The cookies of a sign-in. */
export interface SignInCookies {
  readonly session: string
  /** Null: the device keeps the cookie it has. */
  readonly device: string | null
}

export function makeDashboard(deps: DashboardDependencies): Dashboard {
  const services: DashboardServices = {
    ...deps,
    mac: makeVerifiedRows(deps, dashboardUsersTable),
    recoveryCodes: makeVerifiedRows(deps, dashboardRecoveryCodesTable),
    passkeys: makeVerifiedRows(deps, dashboardPasskeysTable),
    usedChallenges: makeUsedChallenges(),
    codeAttempts: makeCodeAttempts(deps.settings),
    attempts: makeSignInAttempts(deps),
    devices: makeKnownDevices(deps),
    challenges: makeProofChallenges(deps),
    decoyUserId,
  }
  let decoyId = ''
  const { devices } = services
  const sessions = makeDashboardSessions(services)
  const users = makeDashboardUsers(services, sessions.rows)
  const [cardLists, receiptLists] = [makeCardReports(deps), makeReceiptReports(deps)]
  return Object.freeze<Dashboard>({
    users,
    sessions,
    devices,
    auditLog: makeMerchantAuditLog(deps.store),
    exportLog: makeExportLog(deps),
    receiptLists,
    receiptSummaries: makeReceiptSummaryWriter(deps),
    dailyTotals: (of, period) => listDailyTotals(deps.store, of, period),
    search: makeSearch(deps, { cardLists, receiptLists }),
    customers: makeCustomerReports({ store: deps.store, cardLists, receiptLists }),
    environment: deps.environment,
    async signIn(attempt) {
      const found = await signIn(services, attempt)
      return 'needs' in found ? found : begin(found, attempt)
    },
    async deleteOldSignIns(stopping) {
      // Read once: the caller has asked whether this time may be trusted.
      const now = deps.clock.now()
      const counts = await deleteInPages(deps.store, deleteOldSignInAttempts, now, stopping)
      return counts + (await devices.deleteOld(now, stopping))
    },
    async signInByPasskey(attempt) {
      const found = await signInByPasskey(services, attempt)
      return 'needs' in found ? found : begin(found, attempt)
    },
    requestPasskey: (origin) => requestPasskey(services, { purpose: 'sign_in', subject: '', origin }),
    ensureLogin: (login) => ensureLogin(deps.store, users, login),
  })
  /** Refuses when the user was changed after the password or the passkey was checked: the new password would not end a session that begins after it. */
  async function begin({ user, method, device }: AuthenticatedUser, of: SessionOrigin): Promise<SignInCookies> {
    const session = await sessions.begin(user, method, of)
    if (session === null) return refuseAttempt(services, of, user, 'changed')
    return { session, device: await devices.remember(user, device) }
  }
  async function decoyUserId(): Promise<string> {
    if (decoyId === '') decoyId = await deps.store.read(findFirstDashboardUserId())
    return decoyId
  }
}
