import type { Keyring } from '@tessera/vault/keyring'

import type { RowFreshness } from '../freshness/row-freshness.ts'
import type { RecentReceipts } from '../payments/recent-receipts.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../ops/config/config.ts'
import type { AuditActor } from '../request-context.ts'
import type { AuditChange, AuditEntry } from '../../store/audit.ts'
import type { DashboardPasskeyRow } from '../../store/dashboard-passkeys.ts'
import type { DashboardRecoveryCodeRow } from '../../store/dashboard-recovery-codes.ts'
import type { DashboardUserRow } from '../../store/dashboard-users.ts'
import type { Store } from '../../store/store.ts'

import type { TamperedRowAlarm, VerifiedRows } from '../verified-rows.ts'

import type { CodeAttempts } from './code-attempts.ts'
import type { KnownDevices } from './known-devices.ts'
import type { DashboardPasswords } from './passwords.ts'
import type { ProofChallenges } from './proof-challenges.ts'
import type { SignInAttempts } from './sign-in-attempts.ts'
import type { QueuePlace, SignInQueue } from './sign-in-queue.ts'
import type { UsedChallenges } from './used-challenges.ts'

export interface DashboardDependencies {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: Clock
  readonly environment: string
  readonly settings: UserSettings
  readonly passwords: DashboardPasswords
  /** The line that the passwords wait in. */
  readonly queue: SignInQueue
  /** Called with the outcome of each sign-in. */
  readonly onSignIn: (outcome: SignInOutcome) => void
  /** Whether the merchant requires a second factor of all its users. */
  readonly requiresSecondFactor: (merchantId: string) => Promise<boolean>
  /** Called when a row's MAC is wrong. */
  readonly alarm: TamperedRowAlarm
  readonly freshness?: RowFreshness | undefined
  readonly recentReceipts?: RecentReceipts | undefined
}

/** The services used by the operations in this folder. */
export interface DashboardServices extends DashboardDependencies {
  readonly mac: VerifiedRows<DashboardUserRow>
  readonly recoveryCodes: VerifiedRows<DashboardRecoveryCodeRow>
  readonly passkeys: VerifiedRows<DashboardPasskeyRow>
  readonly codeAttempts: CodeAttempts
  readonly attempts: SignInAttempts
  readonly devices: KnownDevices
  readonly challenges: ProofChallenges
  /** The id of some user, whose row is read for phones without a login; empty when there is no user yet. */
  readonly decoyUserId: () => Promise<string>
  readonly usedChallenges: UsedChallenges
}

/** The place in the line of a signed-in user who gives the password again, or of an operator. */
export function signedInPlace(login: string): QueuePlace {
  return { lane: 'known', address: '', block: '', login }
}

/** How a sign-in ended, for logs and metrics. */
export type SignInOutcome =
  'signed_in' | 'totp_asked' | 'passkey_asked' | 'password_asked' | 'proof_asked' | 'refused' | 'locked' | 'overloaded'

export interface DashboardUserKey {
  readonly merchantId: string
  readonly userId: string
}

/** A signed-in user who changes their own password, second factor or sessions. */
export interface OwnAccount extends DashboardUserKey, AuditActor {
  readonly sessionId: string
}

/** The audit entry for a change to a user; `after` is the resulting row. The phone is left out. */
export function userAuditEntry(
  after: DashboardUserRow,
  { actor, requestId, address }: AuditActor,
  action: Pick<AuditEntry, 'at' | 'action' | 'outcome' | 'changes'>,
): AuditEntry {
  const { merchantId, userId, version, mac } = after
  return { ...action, actor, requestId, address, merchantId, subject: userId, version, mac }
}

/** What changed of a user, for the audit: role, state, name and whether there is a second factor. `before` is null for a new user. */
export function userAuditChanges(before: DashboardUserRow | null, after: DashboardUserRow): AuditChange[] {
  const [previous, current] = [before, after].map((row) => [
    row?.role ?? null,
    row?.state ?? null,
    row === null ? null : row.totp === null ? 'off' : 'on',
    row?.name || null,
  ])
  return ['role', 'state', 'second_factor', 'name']
    .map((name, at) => ({ name, from: previous?.[at] ?? null, to: current?.[at] ?? null }))
    .filter(({ from, to }) => from !== to)
}

/** The audit entry for an operation that does not change the user's row. */
export function sessionAuditEntry(
  user: DashboardUserRow,
  actor: AuditActor,
  action: Pick<AuditEntry, 'at' | 'action' | 'outcome'>,
): AuditEntry {
  return { ...userAuditEntry(user, actor, action), version: 0, mac: new Uint8Array(0) }
}

/**
 * Ends all sessions that a user has begun until now, but for `keptSession`; '' keeps none. The time is never before that of an earlier end, should the
 * clocks of two processes differ.
 */
export function endSessionsAt(
  { sessionsFrom }: DashboardUserRow,
  now: number,
  keptSession: string,
): Pick<DashboardUserRow, 'sessionsFrom' | 'keptSession'> {
  return { sessionsFrom: Math.max(now, sessionsFrom), keptSession }
}

/** Returns the row if its MAC is valid, otherwise null; raises the alarm for a wrong MAC. */
export async function verifiedUserRow({ mac }: DashboardServices, found: DashboardUserRow | null): Promise<DashboardUserRow | null> {
  return found !== null && (await mac.isValid(found)) ? found : null
}

/** Session lifetimes and sign-in limits (docs/guides/dashboard.md). */
export interface UserSettings {
  /** A session ends after `idleMs` without a request (PCI DSS 8.2.8), and after `absoluteMs` in any case. */
  readonly idleMs: number
  readonly absoluteMs: number
  /** Failed attempts that lock a login, and for how long (PCI DSS 8.3.4). */
  readonly maxAttempts: number
  readonly lockMs: number
  /** Leading zero bits of a proof of work: of one who waits alone, and at most. */
  readonly proofBitsMin: number
  readonly proofBitsMax: number
  /** Whether an issued password must be changed before anything else. */
  readonly mustChange: boolean
  /** How long a confirmation (step-up) is valid in its session. */
  readonly confirmationMs: number
}

/** The defaults. */
export const userSettings: UserSettings = Object.freeze({
  idleMs: 15 * 60_000,
  absoluteMs: 12 * 3_600_000,
  maxAttempts: 10,
  lockMs: 30 * 60_000,
  proofBitsMin: 15,
  proofBitsMax: 20,
  mustChange: true,
  confirmationMs: 5 * 60_000,
})

export function dashboardUserSettings(config: Config): UserSettings {
  const { signInProofBitsMin, signInProofBitsMax, dashboardConfirmationMinutes } = config
  const confirmationMs = dashboardConfirmationMinutes * 60_000
  return {
    ...userSettings,
    confirmationMs,
    proofBitsMin: signInProofBitsMin,
    proofBitsMax: Math.max(signInProofBitsMin, signInProofBitsMax),
  }
}
