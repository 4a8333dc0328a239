import { RpcError } from '@tessera/contract/errors'
import type { Result, Role } from '@tessera/contract/operations'
import { bucketOf, issueId } from '@tessera/vault/id'
import { deriveTotpSecret, encodeBase32 } from '@tessera/vault/totp'
import { issuePassword } from '@tessera/vault/credential'

import {
  type DashboardUserRow,
  deleteDashboardUser,
  findDashboardUser,
  insertDashboardUser,
  listDashboardUsers,
  updateDashboardUser,
} from '../../store/dashboard-users.ts'

import type { DashboardPasskeyRow } from '../../store/dashboard-passkeys.ts'
import type { DashboardSessionRow } from '../../store/dashboard-sessions.ts'
import { retryOnConflict } from '../concurrency.ts'
import type { VerifiedRows } from '../verified-rows.ts'
import { type ConfirmationContext, type ConfirmationProof, confirmSession, listConfirmationMethods } from './confirmation.ts'
import { addPasskey, beginPasskey, listOwnPasskeys, type NewPasskey, removePasskey, renamePasskey } from './passkeys.ts'
import type { AuditActor } from '../request-context.ts'
import {
  endSessionsAt,
  sessionAuditEntry,
  signedInPlace,
  userAuditChanges,
  userAuditEntry,
  verifiedUserRow,
  type DashboardServices,
  type OwnAccount,
  type DashboardUserKey,
} from './dependencies.ts'
import { listRecoveryCodes, replaceRecoveryCodes } from '../../store/dashboard-recovery-codes.ts'
import { listUnusedRecoveryCodes, makeRecoveryCodes } from './recovery-codes.ts'
import { confirmNewSecret, sealSecret } from './second-factor.ts'
import { requirePassword } from './sign-in.ts'

export interface NewDashboardUser {
  readonly merchantId: string
  readonly phone: string
  readonly role: Role
  readonly name?: string
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
  /** Gives a user a name; '' takes it away. Throws `userNotFound`. */
  rename(of: DashboardUserKey, name: string, actor: AuditActor): Promise<void>
  /** Deletes a user with sessions, second factor, passkeys and recovery codes. Throws `userNotFound`, and `lastOwner`, also for the user itself. */
  remove(of: DashboardUserKey, actor: AuditActor): Promise<void>
  /** These throw `userNotFound` for a user of another merchant, and `lastOwner`. */
  setRole(of: DashboardUserKey, role: Role, actor: AuditActor): Promise<void>
  setBlocked(of: DashboardUserKey, blocked: boolean, actor: AuditActor): Promise<void>
  resetPassword(of: DashboardUserKey, actor: AuditActor): Promise<IssuedDashboardLogin>
  /** Changes the user's own password and ends the other sessions. Returns the changed row. Throws `passwordWrong`, `passwordWeak`. */
  changePassword(own: OwnAccount, password: string, newPassword: string): Promise<DashboardUserRow>
  /** Returns the secret in base32; it takes effect after `confirmTotp`. */
  beginTotp(own: OwnAccount, password: string): Promise<string>
  /** Returns recovery codes, shown once, when the user has none; otherwise null. Throws `totpWrong`. */
  confirmTotp(own: OwnAccount, code: string): Promise<readonly string[] | null>
  removeTotp(own: OwnAccount, password: string): Promise<void>
  /** Creates ten recovery codes in place of all earlier ones. */
  renewRecoveryCodes(own: OwnAccount): Promise<readonly string[]>
  countRecoveryCodes(of: DashboardUserKey): Promise<number>
  listPasskeys(of: DashboardUserKey): Promise<DashboardPasskeyRow[]>
  beginPasskey(own: OwnAccount, origin: string): Promise<Result<'dashboard.passkeys.begin'>>
  /** Returns recovery codes like `confirmTotp`. Throws `passkeyRefused`, `passkeyExists`, `tooManyPasskeys`. */
  addPasskey(
    own: OwnAccount,
    created: NewPasskey,
    origin: string,
  ): Promise<{ passkey: DashboardPasskeyRow; recoveryCodes: readonly string[] | null }>
  renamePasskey(own: OwnAccount, of: { readonly passkeyId: string; readonly name: string }): Promise<void>
  removePasskey(own: OwnAccount, passkeyId: string): Promise<void>
  listConfirmationMethods(context: ConfirmationContext): Promise<Result<'dashboard.session.confirmBegin'>>
  /** Confirms the session; returns until when. Throws `passwordWrong`, `totpWrong`, `passkeyRefused`. */
  confirm(proof: ConfirmationProof, context: ConfirmationContext): Promise<number>
}

type Change = Partial<Pick<DashboardUserRow, 'role' | 'state' | 'verifier' | 'mustChange' | 'totp' | 'name'>>

export function makeDashboardUsers(services: DashboardServices, sessionRows: VerifiedRows<DashboardSessionRow>): DashboardUsers {
  const { store, clock, passwords, mac, attempts, settings } = services
  return Object.freeze<DashboardUsers>({
    create,
    list,
    rename,
    remove,
    setRole,
    setBlocked,
    resetPassword,
    changePassword,
    beginTotp,
    confirmTotp,
    removeTotp,
    renewRecoveryCodes,
    countRecoveryCodes,
    listPasskeys: (of) => listOwnPasskeys(services, of),
    beginPasskey: async (own, origin) => beginPasskey(services, await expectUser(own), { sessionId: own.sessionId, origin }),
    addPasskey: async (own, created, origin) => {
      const passkey = await addPasskey(services, await expectUser(own), created, { own, origin })
      return { passkey, recoveryCodes: await issueFirstRecoveryCodes(own) }
    },
    renamePasskey: async (own, of) => renamePasskey(services, await expectUser(own), own, of),
    removePasskey: async (own, passkeyId) => removePasskey(services, await expectUser(own), own, passkeyId),
    listConfirmationMethods: async (context) => listConfirmationMethods(services, await expectUser(context.own), context),
    confirm: async (proof, context) => confirmSession(services, sessionRows, await expectUser(context.own), proof, context),
  })

  async function create(input: NewDashboardUser & { readonly password?: string }, actor: AuditActor): Promise<IssuedDashboardLogin> {
    const { merchantId, phone, role, name = '' } = input
    const now = clock.now()
    const password = input.password ?? issuePassword()
    const base = { userId: issueId(bucketOf(merchantId), now), merchantId, phone, role, state: 'active', version: 1 } as const
    const row = await mac.seal({
      ...base,
      verifier: await passwords.hash(password, signedInPlace(actor.actor)),
      mustChange: settings.mustChange && input.password === undefined,
      totp: null,
      createdAt: now,
      sessionsFrom: 0,
      keptSession: '',
      name,
      mac: new Uint8Array(0),
      failedAttempts: 0,
      lockedUntil: 0,
      totpStep: 0,
      failedCodes: 0,
      codesLockedUntil: 0,
      lastSignInAt: 0,
    })
    const audit = userAuditEntry(row, actor, {
      at: now,
      action: 'dashboard_user.created',
      outcome: role,
      changes: userAuditChanges(null, row),
    })
    if (!(await store.write(insertDashboardUser, { user: row, audit }))) throw new RpcError('phoneTaken', { data: 'phone' })
    return { userId: row.userId, password }
  }

  async function list(merchantId: string): Promise<DashboardUserRow[]> {
    const rows = await store.read(listDashboardUsers(merchantId, '', maxUsers))
    const read = await Promise.all(rows.map((row) => verifiedUserRow(services, row)))
    return read.filter((row) => row !== null)
  }

  /** The sessions of the user stay: a name gives nobody anything. */
  async function rename(of: DashboardUserKey, name: string, actor: AuditActor): Promise<void> {
    await change(of, { name }, { action: 'dashboard_user.renamed', outcome: 'done', actor, except: null })
  }

  async function remove(of: DashboardUserKey, actor: AuditActor): Promise<void> {
    if (actor.actor === `user:${of.userId}`) throw new RpcError('lastOwner', { data: 'userId' })
    await retryOnConflict(async () => {
      const user = await expectUser(of)
      const deleted = { ...user, version: user.version + 1, mac: new Uint8Array(0) }
      const changes = userAuditChanges(null, user).map(({ name, to }) => ({ name, from: to, to: null }))
      const audit = userAuditEntry(deleted, actor, { at: clock.now(), action: 'dashboard_user.deleted', outcome: 'done', changes })
      const result = await store.write(deleteDashboardUser, { user, needsOtherOwner: isActiveOwner(user), audit })
      if (result === 'last_owner') throw new RpcError('lastOwner', { data: 'userId' })
      return result === 'updated' ? true : null
    })
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
    const verifier = await passwords.hash(password, signedInPlace(actor.actor))
    const update = { verifier, mustChange: settings.mustChange, totp: null }
    await change(of, update, { action: 'dashboard_user.password_reset', outcome: 'issued', actor, except: '', deletesFactors: true })
    return { userId: of.userId, password }
  }

  async function changePassword(own: OwnAccount, password: string, newPassword: string): Promise<DashboardUserRow> {
    const user = await expectUser(own)
    await requirePassword(services, user, password)
    const isDifferent = newPassword !== password && newPassword !== user.phone
    if (newPassword.length < minPasswordLength || !isDifferent) throw new RpcError('passwordWeak', { data: 'newPassword' })
    const update = { verifier: await passwords.hash(newPassword, signedInPlace(user.userId)), mustChange: false }
    return change(own, update, { action: 'dashboard_user.password_changed', outcome: 'done', actor: own, except: own.sessionId })
  }

  async function beginTotp(own: OwnAccount, password: string): Promise<string> {
    const user = await expectUser(own)
    await requirePassword(services, user, password)
    const secret = await offeredSecret(own, user)
    const encoded = encodeBase32(secret)
    secret.fill(0)
    return encoded
  }

  async function confirmTotp(own: OwnAccount, code: string): Promise<readonly string[] | null> {
    const secret = await offeredSecret(own, await expectUser(own))
    const totp = await sealSecret(services, secret, own)
    secret.fill(0)
    const step = await confirmNewSecret(services, own, totp, code)
    if (step === null) throw new RpcError('totpWrong', { data: 'code' })
    const by = { action: 'dashboard_user.totp_enabled', outcome: 'done', actor: own, except: own.sessionId, totpStep: step }
    await change(own, { totp }, by)
    return issueFirstRecoveryCodes(own)
  }

  /** The same at every process, so that the code may come to another one than the request for the secret. */
  async function offeredSecret({ sessionId }: OwnAccount, { merchantId, userId, version }: DashboardUserRow): Promise<Uint8Array> {
    const { keyring, environment } = services
    return deriveTotpSecret(await keyring.active('pepper'), { environment, merchantId, userId, sessionId, version })
  }

  async function removeTotp(own: OwnAccount, password: string): Promise<void> {
    await requirePassword(services, await expectUser(own), password)
    await change(own, { totp: null }, { action: 'dashboard_user.totp_disabled', outcome: 'done', actor: own, except: own.sessionId })
  }

  async function issueFirstRecoveryCodes(own: OwnAccount): Promise<readonly string[] | null> {
    return (await store.read(listRecoveryCodes(own.userId))).length === 0 ? renewRecoveryCodes(own) : null
  }

  async function renewRecoveryCodes(own: OwnAccount): Promise<readonly string[]> {
    const user = await expectUser(own)
    const { codes, rows } = await makeRecoveryCodes(services, user)
    const audit = sessionAuditEntry(user, own, { at: clock.now(), action: 'dashboard_user.recovery_codes_created', outcome: 'done' })
    const isStored = await store.write(replaceRecoveryCodes, { userId: user.userId, sessionId: own.sessionId, codes: rows, audit })
    if (!isStored) throw new RpcError('signedOut')
    return codes
  }

  async function countRecoveryCodes(of: DashboardUserKey): Promise<number> {
    return (await listUnusedRecoveryCodes(services, of)).length
  }

  /**
   * Reads the current row and writes the change if no other writer was faster; on a conflict it retries. The last active owner stays one. All sessions but
   * `except` end; none with null. Returns the new row.
   */
  async function change(
    of: DashboardUserKey,
    update: Change,
    by: { action: string; outcome: string; actor: AuditActor; except: string | null; totpStep?: number; deletesFactors?: true },
  ): Promise<DashboardUserRow> {
    return retryOnConflict(async () => {
      const before = await expectUser(of)
      const { action, outcome, actor, except, ...also } = by
      const at = clock.now()
      const ended = except === null ? {} : endSessionsAt(before, at, except)
      const next = await mac.seal({ ...before, ...update, ...ended, version: before.version + 1 })
      const audit = userAuditEntry(next, actor, { at, action, outcome, changes: userAuditChanges(before, next) })
      const needsOtherOwner = isActiveOwner(before) && !isActiveOwner(next)
      const forgetDevices = update.verifier !== undefined || update.state === 'blocked'
      const result = await store.write(updateDashboardUser, {
        user: next,
        endSessions: except === null ? null : { except },
        forgetDevices,
        needsOtherOwner,
        audit,
        ...also,
      })
      if (result === 'last_owner') throw new RpcError('lastOwner', { data: 'userId' })
      if (result === 'updated' && update.verifier !== undefined) await attempts.reset([await attempts.subjectOf('phone', next.phone)])
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
