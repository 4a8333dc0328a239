import { bucketOf } from '@tessera/vault/id'
import { randomSecret } from '@tessera/vault/random'
import { hashSessionSecret, isSessionSecret } from '@tessera/vault/keyed-hashes'
import { issueToken, parseToken } from '@tessera/vault/token'

import {
  type DashboardSessionRow,
  dashboardSessionsTable,
  deleteDashboardSession,
  deleteOldDashboardSessions,
  findDashboardSession,
  insertDashboardSession,
  listDashboardSessions,
  touchDashboardSession,
} from '../../store/dashboard-sessions.ts'
import { type DashboardUserRow, endDashboardSessions, findDashboardUser, recordSignIn } from '../../store/dashboard-users.ts'
import { deleteInPages } from '../../store/store.ts'

import { retryOnConflict } from '../concurrency.ts'
import { keepValid, makeVerifiedRows, type VerifiedRows } from '../verified-rows.ts'

import { hasSecondFactor } from './passkeys.ts'
import {
  endSessionsAt,
  sessionAuditEntry,
  userAuditEntry,
  verifiedUserRow,
  type DashboardServices,
  type OwnAccount,
} from './dependencies.ts'

/** An active session and its user, as currently stored. */
export interface LiveDashboardSession {
  readonly session: DashboardSessionRow
  readonly user: DashboardUserRow
  /** Whether the user confirmed who they are in this session, in the last minutes. */
  readonly isConfirmed: boolean
  /** The merchant requires a second factor, and the user has none yet. */
  readonly mustAddSecondFactor: boolean
}

export interface DashboardSessions {
  readonly rows: VerifiedRows<DashboardSessionRow>
  /** Creates a session. The returned token goes into the cookie and is not stored. Null when the user was changed since `user` was read, or is blocked. */
  begin(user: DashboardUserRow, method: SignInMethod, of: SessionOrigin): Promise<string | null>
  /** Finds the active session of a cookie, or null. Each call counts as activity. */
  find(cookie: string | null): Promise<LiveDashboardSession | null>
  list(userId: string): Promise<DashboardSessionRow[]>
  /** After how long without a call the session ends, and after how long in any case; milliseconds. */
  lifetimeOf(session: DashboardSessionRow): { readonly idleMs: number; readonly leftMs: number }
  hasSecondFactor(user: DashboardUserRow): Promise<boolean>
  /** Ends one of the user's own sessions, or all; returns how many. */
  end(own: OwnAccount, sessionId: string | null): Promise<number>
  /** Deletes expired sessions. */
  deleteOld(stopping?: AbortSignal): Promise<number>
}

/** How the user proved who they are. */
export type SignInMethod = DashboardSessionRow['method']

export interface SessionOrigin {
  readonly userAgent: string
  readonly address: string
  readonly requestId: string
}

export function makeDashboardSessions(services: DashboardServices): DashboardSessions {
  const { store, keyring, clock, settings } = services
  const rows = makeVerifiedRows(services, dashboardSessionsTable)
  return Object.freeze({
    rows,
    begin,
    find,
    list,
    lifetimeOf: ({ createdAt }: DashboardSessionRow) => ({
      // A call within this of the one before is not recorded.
      idleMs: settings.idleMs - touchIntervalMs,
      leftMs: createdAt + settings.absoluteMs - clock.now(),
    }),
    hasSecondFactor: (user: DashboardUserRow) => hasSecondFactor(services, user),
    end,
    deleteOld,
  })

  async function begin(
    user: DashboardUserRow,
    method: SignInMethod,
    { userAgent, address, requestId }: SessionOrigin,
  ): Promise<string | null> {
    const now = clock.now()
    const { userId, merchantId } = user
    const { cardId: sessionId, token, secret } = issueToken(bucketOf(merchantId), now)
    const dek = await keyring.active('pepper')
    const hash = hashSessionSecret(dek, sessionId, secret)
    secret.fill(0)
    const csrf = Buffer.from(randomSecret(24)).toString('base64url')
    const ids = { sessionId, userId, merchantId, hash, pepperKeyId: dek.keyId, csrf }
    // After the end of earlier sessions, also where the clock of the process that ended them is ahead.
    const times = { createdAt: Math.max(now, user.sessionsFrom + 1), lastSeenAt: now, confirmedAt: 0 }
    const row = { ...ids, ...times, method, address, userAgent: shorten(userAgent), mac: new Uint8Array(0) }
    const actor = { actor: `user:${userId}`, requestId, address }
    const isStored = await store.write(insertDashboardSession, {
      session: await rows.seal(row),
      user,
      audit: sessionAuditEntry(user, actor, { at: now, action: 'dashboard.signed_in', outcome: sessionId }),
    })
    if (isStored) await store.write(recordSignIn, { userId, at: now })
    return isStored ? token : null
  }

  async function find(cookie: string | null): Promise<LiveDashboardSession | null> {
    const read = cookie === null ? null : parseToken(cookie)
    if (read === null || read.secret === null) return null
    const session = await store.read(findDashboardSession(read.cardId))
    const now = clock.now()
    if (session === null || !(await rows.isValid(session)) || !isLive(session, now)) return null
    const isValid = isSessionSecret(await keyring.byId(session.pepperKeyId), session.sessionId, read.secret, session.hash)
    read.secret.fill(0)
    const user = isValid ? await verifiedUserRow(services, await store.read(findDashboardUser(session.userId))) : null
    if (user === null || user.state === 'blocked' || user.merchantId !== session.merchantId) return null
    if (isEnded(session, user)) return refuseEnded(session)
    if (now - session.lastSeenAt >= touchIntervalMs) {
      await store.write(touchDashboardSession, { session: await rows.seal({ ...session, lastSeenAt: now }), previousMac: session.mac })
    }
    const mustAddSecondFactor = (await services.requiresSecondFactor(user.merchantId)) && !(await hasSecondFactor(services, user))
    return { session, user, isConfirmed: isConfirmed(session, now), mustAddSecondFactor }
  }

  async function list(userId: string): Promise<DashboardSessionRow[]> {
    const found = await keepValid(rows, await store.read(listDashboardSessions(userId, maxListedSessions)))
    const user = await verifiedUserRow(services, await store.read(findDashboardUser(userId)))
    return found.filter((session) => user !== null && isLive(session, clock.now()) && !isEnded(session, user))
  }

  function end(own: OwnAccount, sessionId: string | null): Promise<number> {
    if (sessionId === null) return endAll(own)
    const { merchantId, userId, actor, requestId, address } = own
    const by = { actor, requestId, address, merchantId, subject: userId, version: 0, mac: new Uint8Array(0) }
    const audit = { ...by, at: clock.now(), action: 'dashboard.signed_out', outcome: sessionId }
    return store.write(deleteDashboardSession, { userId, sessionId, audit })
  }

  function endAll({ userId, actor, requestId, address }: OwnAccount): Promise<number> {
    return retryOnConflict(async () => {
      const before = await verifiedUserRow(services, await store.read(findDashboardUser(userId)))
      if (before === null) return 0
      const at = clock.now()
      const user = await services.mac.seal({ ...before, ...endSessionsAt(before, at, ''), version: before.version + 1 })
      const audit = userAuditEntry(user, { actor, requestId, address }, { at, action: 'dashboard.signed_out_everywhere', outcome: 'all' })
      const ended = await store.write(endDashboardSessions, { user, audit })
      return ended < 0 ? null : ended
    })
  }

  /** The row was gone when the user's sessions were ended, and was put back: otherwise it is deleted by now. */
  async function refuseEnded({ sessionId, merchantId }: DashboardSessionRow): Promise<null> {
    if ((await store.read(findDashboardSession(sessionId))) !== null)
      services.alarm('row_tampered', { merchantId, cardId: '', requestId: '', table: dashboardSessionsTable.name, rowId: sessionId })
    return null
  }

  function deleteOld(stopping?: AbortSignal): Promise<number> {
    return deleteInPages(store, deleteOldDashboardSessions, clock.now() - settings.idleMs, stopping)
  }

  /** How long a confirmation is valid comes from the settings, never from the row. */
  function isConfirmed({ confirmedAt }: DashboardSessionRow, now: number): boolean {
    return confirmedAt > 0 && confirmedAt <= now && now - confirmedAt < settings.confirmationMs
  }

  function isLive({ createdAt, lastSeenAt }: DashboardSessionRow, now: number): boolean {
    return now - lastSeenAt < settings.idleMs && now - createdAt < settings.absoluteMs
  }
}

/** Whether the user's sessions were ended after this one had begun. */
function isEnded({ sessionId, createdAt }: DashboardSessionRow, { sessionsFrom, keptSession }: DashboardUserRow): boolean {
  return createdAt <= sessionsFrom && sessionId !== keptSession
}

/** Keeps the first 160 printable ASCII characters of a user agent. */
function shorten(userAgent: string): string {
  return userAgent.replace(/[^ -~]/g, '').slice(0, 160)
}

/** A page sends many requests at once, so activity is written at most this often. */
const touchIntervalMs = 60_000
const maxListedSessions = 100
