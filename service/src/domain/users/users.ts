import { RpcError } from '@tessera/contract/errors'
import type { Role } from '@tessera/contract/operations'
import { bucketOf, issueId } from '@tessera/vault/id'
import { createTotpSecret, encodeBase32 } from '@tessera/vault/totp'
import { issuePassword } from '@tessera/vault/credential'

import {
  type DashboardUserRow,
  findDashboardUser,
  insertDashboardUser,
  listDashboardUsers,
  resetSignInAttempts,
  updateDashboardUser,
} from '../../store/dashboard-users.ts'

import { retryOnConflict } from '../concurrency.ts'
import type { AuditActor } from '../request-context.ts'
import { userAuditEntry, verifiedUserRow, type DashboardServices, type OwnAccount, type DashboardUserKey } from './dependencies.ts'
import { sealSecret, stepOfCode } from './second-factor.ts'
import { requirePassword } from './sign-in.ts'

export interface NewDashboardUser {
  readonly merchantId: string
  readonly phone: string
  readonly role: Role
}

/** A new login. The password is returned here and cannot be read again. */
export interface IssuedDashboardLogin {
  readonly userId: string
  readonly password: string
}

/** User management by an owner, by an operator or by the users themselves. Every operation is audited. */
export interface DashboardUsers {
  /** Throws `phoneTaken`. `password`: use this one instead of issuing one (sandbox only). */
  create(input: NewDashboardUser & { readonly password?: string }, actor: AuditActor): Promise<IssuedDashboardLogin>
  list(merchantId: string): Promise<DashboardUserRow[]>
  /** These throw `userNotFound` for a user of another merchant, and `lastOwner`. */
  setRole(of: DashboardUserKey, role: Role, actor: AuditActor): Promise<void>
  setBlocked(of: DashboardUserKey, blocked: boolean, actor: AuditActor): Promise<void>
  resetPassword(of: DashboardUserKey, actor: AuditActor): Promise<IssuedDashboardLogin>
  /** Changes the user's own password and ends the other sessions. Throws `passwordWrong`, `passwordWeak`. */
  changePassword(own: OwnAccount, password: string, newPassword: string): Promise<void>
  /** Returns the secret in base32; it takes effect after `confirmTotp`. */
  beginTotp(own: OwnAccount, password: string): Promise<string>
  confirmTotp(own: OwnAccount, code: string): Promise<void>
  removeTotp(own: OwnAccount, password: string, code: string): Promise<void>
}

type Change = Partial<Pick<DashboardUserRow, 'role' | 'state' | 'verifier' | 'mustChange' | 'totp'>>

export function makeDashboardUsers(services: DashboardServices): DashboardUsers {
  const { store, clock, passwords, mac, settings } = services
  /** Sealed secrets that wait for their first code, by user id. A restart loses them and the user starts again. */
  const pendingTotp = new Map<string, Uint8Array>()
  return Object.freeze({ create, list, setRole, setBlocked, resetPassword, changePassword, beginTotp, confirmTotp, removeTotp })

  async function create(input: NewDashboardUser & { readonly password?: string }, actor: AuditActor): Promise<IssuedDashboardLogin> {
    const { merchantId, phone, role } = input
    const now = clock.now()
    const password = input.password ?? issuePassword()
    const base = { userId: issueId(bucketOf(merchantId), now), merchantId, phone, role, state: 'active', version: 1 } as const
    const row = await mac.seal({
      ...base,
      verifier: await passwords.hash(password),
      mustChange: settings.mustChange && input.password === undefined,
      totp: null,
      createdAt: now,
      mac: new Uint8Array(0),
      failedAttempts: 0,
      lockedUntil: 0,
      totpStep: 0,
    })
    const audit = userAuditEntry(row, actor, { at: now, action: 'dashboard_user.created', outcome: role })
    if (!(await store.write(insertDashboardUser, { user: row, audit }))) throw new RpcError('phoneTaken', { data: 'phone' })
    return { userId: row.userId, password }
  }

  async function list(merchantId: string): Promise<DashboardUserRow[]> {
    const rows = await store.read(listDashboardUsers(merchantId, '', maxUsers))
    const read = await Promise.all(rows.map((row) => verifiedUserRow(services, row)))
    return read.filter((row) => row !== null)
  }

  async function setRole(of: DashboardUserKey, role: Role, actor: AuditActor): Promise<void> {
    await change(of, { role }, { action: 'dashboard_user.role_changed', outcome: role, actor, except: '' })
  }

  async function setBlocked(of: DashboardUserKey, blocked: boolean, actor: AuditActor): Promise<void> {
    if (blocked && actor.actor === `user:${of.userId}`) throw new RpcError('lastOwner', { data: 'userId' })
    const action = blocked ? 'dashboard_user.blocked' : 'dashboard_user.unblocked'
    await change(of, { state: blocked ? 'blocked' : 'active' }, { action, outcome: 'done', actor, except: '' })
  }

  async function resetPassword(of: DashboardUserKey, actor: AuditActor): Promise<IssuedDashboardLogin> {
    const password = issuePassword()
    const verifier = await passwords.hash(password)
    const update = { verifier, mustChange: settings.mustChange, totp: null }
    await change(of, update, { action: 'dashboard_user.password_reset', outcome: 'issued', actor, except: '' })
    return { userId: of.userId, password }
  }

  async function changePassword(own: OwnAccount, password: string, newPassword: string): Promise<void> {
    const user = await expectUser(own)
    await requirePassword(services, user, password)
    const isDifferent = newPassword !== password && newPassword !== user.phone
    if (newPassword.length < minPasswordLength || !isDifferent) throw new RpcError('passwordWeak', { data: 'newPassword' })
    const update = { verifier: await passwords.hash(newPassword), mustChange: false }
    await change(own, update, { action: 'dashboard_user.password_changed', outcome: 'done', actor: own, except: own.sessionId })
  }

  async function beginTotp(own: OwnAccount, password: string): Promise<string> {
    const user = await expectUser(own)
    await requirePassword(services, user, password)
    const secret = createTotpSecret()
    if (pendingTotp.size >= maxPendingTotp) pendingTotp.clear()
    pendingTotp.set(user.userId, await sealSecret(services, secret, user))
    const encoded = encodeBase32(secret)
    secret.fill(0)
    return encoded
  }

  async function confirmTotp(own: OwnAccount, code: string): Promise<void> {
    const totp = pendingTotp.get(own.userId)
    const step = totp === undefined ? null : await stepOfCode(services, totp, code, own)
    if (totp === undefined || step === null) throw new RpcError('totpWrong', { data: 'code' })
    await change(own, { totp }, { action: 'dashboard_user.totp_enabled', outcome: 'done', actor: own, except: own.sessionId })
    pendingTotp.delete(own.userId)
  }

  async function removeTotp(own: OwnAccount, password: string, code: string): Promise<void> {
    const user = await expectUser(own)
    await requirePassword(services, user, password)
    const step = user.totp === null ? null : await stepOfCode(services, user.totp, code, user)
    if (step === null || !(await store.write(resetSignInAttempts, { userId: user.userId, totpStep: step })))
      throw new RpcError('totpWrong', { data: 'code' })
    await change(own, { totp: null }, { action: 'dashboard_user.totp_disabled', outcome: 'done', actor: own, except: own.sessionId })
  }

  /** Reads the current row and writes the change if no other writer was faster; on a conflict it retries. The last active owner stays one. */
  async function change(
    of: DashboardUserKey,
    update: Change,
    by: { action: string; outcome: string; actor: AuditActor; except: string },
  ): Promise<void> {
    await retryOnConflict(async () => {
      const before = await expectUser(of)
      const next = await mac.seal({ ...before, ...update, version: before.version + 1 })
      const { action, outcome, actor, except } = by
      const audit = userAuditEntry(next, actor, { at: clock.now(), action, outcome })
      const needsOtherOwner = isActiveOwner(before) && !isActiveOwner(next)
      const result = await store.write(updateDashboardUser, { user: next, endSessions: { except }, needsOtherOwner, audit })
      if (result === 'last_owner') throw new RpcError('lastOwner', { data: 'userId' })
      return result === 'updated' ? next : null
    })
  }

  async function expectUser({ merchantId, userId }: DashboardUserKey): Promise<DashboardUserRow> {
    const user = await verifiedUserRow(services, await store.read(findDashboardUser(userId)))
    if (user === null || user.merchantId !== merchantId) throw new RpcError('userNotFound', { data: 'userId' })
    return user
  }
}

function isActiveOwner({ role, state }: DashboardUserRow): boolean {
  return role === 'owner' && state === 'active'
}

/** ASVS 5.0 V6.2.1, PCI DSS 8.3.6. The maximum is in the contract. */
const minPasswordLength = 12
const maxUsers = 500
const maxPendingTotp = 1000
