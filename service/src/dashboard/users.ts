import { RpcError } from '@tessera/contract/errors'
import type { Role } from '@tessera/contract/methods'
import { bucketOf, issueId } from '@tessera/vault/id'
import { drawTotpSecret, writeBase32 } from '@tessera/vault/totp'
import { issuePassword } from '@tessera/vault/credential'

import type { DashboardUserRow } from '../store/store.ts'

import { noteUser, trueUser, type DashboardTools, type Doer, type Own, type UserOf } from './parts.ts'
import { sealSecret, stepOfCode } from './second-factor.ts'
import { expectPassword } from './sign-in.ts'

export interface NewUser {
  readonly merchantId: string
  readonly phone: string
  readonly role: Role
}

/** A login as it was issued: the password is told here and never again. */
export interface IssuedLogin {
  readonly userId: string
  readonly password: string
}

/** What is done to users, by an owner, by an operator, or by themselves. Each deed is in the audit. */
export interface Users {
  /** Throws `phoneTaken`. `password`: one that is not issued but given (the sandbox's). */
  create(asked: NewUser & { readonly password?: string }, doer: Doer): Promise<IssuedLogin>
  list(merchantId: string): Promise<DashboardUserRow[]>
  /** Throw `userNotFound` for a user of another merchant, and `lastOwner`. */
  setRole(of: UserOf, role: Role, doer: Doer): Promise<void>
  setBlocked(of: UserOf, blocked: boolean, doer: Doer): Promise<void>
  resetPassword(of: UserOf, doer: Doer): Promise<IssuedLogin>
  /** The user's own; the other sessions end. Throws `passwordWrong`, `passwordWeak`. */
  changePassword(own: Own, password: string, newPassword: string): Promise<void>
  /** Gives the secret in base32; it counts once it is confirmed. */
  beginTotp(own: Own, password: string): Promise<string>
  confirmTotp(own: Own, code: string): Promise<void>
  removeTotp(own: Own, password: string, code: string): Promise<void>
}

type Change = Partial<Pick<DashboardUserRow, 'role' | 'state' | 'verifier' | 'mustChange' | 'totp'>>

export function makeUsers(tools: DashboardTools): Users {
  const { store, clock, passwords, mac, figures } = tools
  /** Secrets that wait for their first code, by user; a restart forgets them, and one begins anew. */
  const begun = new Map<string, Uint8Array>()
  return Object.freeze({ create, list, setRole, setBlocked, resetPassword, changePassword, beginTotp, confirmTotp, removeTotp })

  async function create(asked: NewUser & { readonly password?: string }, doer: Doer): Promise<IssuedLogin> {
    const { merchantId, phone, role } = asked
    const now = clock.now()
    const password = asked.password ?? issuePassword()
    const bare = { userId: issueId(bucketOf(merchantId), now), merchantId, phone, role, state: 'active', version: 1 } as const
    const row = await mac.seal({
      ...{ ...bare, verifier: await passwords.hash(password), mustChange: figures.mustChange && asked.password === undefined },
      ...{ totp: null, createdAt: now, mac: new Uint8Array(0), tries: 0, lockedUntil: 0, totpStep: 0 },
    })
    const note = noteUser(row, doer, { at: now, action: 'dashboard_user.created', outcome: role })
    if (!(await store.insertDashboardUser(row, note))) throw new RpcError('phoneTaken', { data: 'phone' })
    return { userId: row.userId, password }
  }

  async function list(merchantId: string): Promise<DashboardUserRow[]> {
    const rows = await store.listDashboardUsers(merchantId, '', usersMax)
    const read = await Promise.all(rows.map((row) => trueUser(tools, row)))
    return read.filter((row) => row !== null)
  }

  async function setRole(of: UserOf, role: Role, doer: Doer): Promise<void> {
    if (role !== 'owner') await expectOtherOwner(of)
    await change(of, { role }, { action: 'dashboard_user.role_set', outcome: role, doer, keeps: '' })
  }

  async function setBlocked(of: UserOf, blocked: boolean, doer: Doer): Promise<void> {
    if (blocked) await expectOtherOwner(of, doer)
    const action = blocked ? 'dashboard_user.blocked' : 'dashboard_user.unblocked'
    await change(of, { state: blocked ? 'blocked' : 'active' }, { action, outcome: 'done', doer, keeps: '' })
  }

  async function resetPassword(of: UserOf, doer: Doer): Promise<IssuedLogin> {
    const password = issuePassword()
    const verifier = await passwords.hash(password)
    const wanted = { verifier, mustChange: figures.mustChange, totp: null }
    await change(of, wanted, { action: 'dashboard_user.password_reset', outcome: 'issued', doer, keeps: '' })
    return { userId: of.userId, password }
  }

  async function changePassword(own: Own, password: string, newPassword: string): Promise<void> {
    const user = await expectUser(own)
    await expectPassword(tools, user, password)
    const isOther = newPassword !== password && newPassword !== user.phone
    if (newPassword.length < passwordLengthMin || !isOther) throw new RpcError('passwordWeak', { data: 'newPassword' })
    const wanted = { verifier: await passwords.hash(newPassword), mustChange: false }
    await change(own, wanted, { action: 'dashboard_user.password_changed', outcome: 'done', doer: doerOf(own), keeps: own.sessionId })
  }

  async function beginTotp(own: Own, password: string): Promise<string> {
    const user = await expectUser(own)
    await expectPassword(tools, user, password)
    const secret = drawTotpSecret()
    if (begun.size >= begunMax) begun.clear()
    begun.set(user.userId, await sealSecret(tools, secret, user))
    const told = writeBase32(secret)
    secret.fill(0)
    return told
  }

  async function confirmTotp(own: Own, code: string): Promise<void> {
    const totp = begun.get(own.userId)
    const step = totp === undefined ? null : await stepOfCode(tools, totp, code, own)
    if (totp === undefined || step === null) throw new RpcError('totpWrong', { data: 'code' })
    await change(own, { totp }, { action: 'dashboard_user.totp_on', outcome: 'done', doer: doerOf(own), keeps: own.sessionId })
    begun.delete(own.userId)
  }

  async function removeTotp(own: Own, password: string, code: string): Promise<void> {
    const user = await expectUser(own)
    await expectPassword(tools, user, password)
    const step = user.totp === null ? null : await stepOfCode(tools, user.totp, code, user)
    if (step === null || !(await store.clearSignInTries(user.userId, step))) throw new RpcError('totpWrong', { data: 'code' })
    await change(own, { totp: null }, { action: 'dashboard_user.totp_off', outcome: 'done', doer: doerOf(own), keeps: own.sessionId })
  }

  /** Reads what is there, and puts the change in its place if nobody was faster; then once more. */
  async function change(of: UserOf, wanted: Change, by: { action: string; outcome: string; doer: Doer; keeps: string }): Promise<void> {
    for (let turn = 0; turn < turnsMax; turn++) {
      const before = await expectUser(of)
      const next = await mac.seal({ ...before, ...wanted, version: before.version + 1 })
      const { action, outcome, doer, keeps } = by
      if (await store.changeDashboardUser(next, { keeps }, noteUser(next, doer, { at: clock.now(), action, outcome }))) return
    }
    throw new RpcError('overloaded', { retryAfterMs: 1000 })
  }

  async function expectUser({ merchantId, userId }: UserOf): Promise<DashboardUserRow> {
    const user = await trueUser(tools, await store.findDashboardUser(userId))
    if (user === null || user.merchantId !== merchantId) throw new RpcError('userNotFound', { data: 'userId' })
    return user
  }

  /** A merchant without an owner could not help itself, and neither could who blocks himself. */
  async function expectOtherOwner({ merchantId, userId }: UserOf, doer?: Doer): Promise<void> {
    const owners = (await list(merchantId)).filter(({ role, state }) => role === 'owner' && state === 'active')
    const isLast = owners.length === 1 && owners[0]?.userId === userId
    if (isLast || doer?.actor === `user:${userId}`) throw new RpcError('lastOwner', { data: 'userId' })
  }
}

function doerOf({ userId, requestId }: Own): Doer {
  return { actor: `user:${userId}`, requestId }
}

/** ASVS 5.0 V6.2.1, PCI DSS 8.3.6; the longest is in the contract. */
const passwordLengthMin = 12
const usersMax = 500
const begunMax = 1000
const turnsMax = 5
