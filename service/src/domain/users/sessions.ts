import { bucketOf } from '@tessera/vault/id'
import { randomSecret } from '@tessera/vault/random'
import { hashSessionSecret, isSessionSecret } from '@tessera/vault/keyed-hashes'
import { issueToken, parseToken } from '@tessera/vault/token'

import {
  type DashboardSessionRow,
  dashboardSessionsTable,
  deleteDashboardSessions,
  deleteOldDashboardSessions,
  findDashboardSession,
  insertDashboardSession,
  listDashboardSessions,
  touchDashboardSession,
} from '../../store/dashboard-sessions.ts'
import { type DashboardUserRow, findDashboardUser } from '../../store/dashboard-users.ts'
import { deleteInPages } from '../../store/store.ts'

import { keepValid, makeVerifiedRows } from '../verified-rows.ts'

import { sessionAuditEntry, verifiedUserRow, type DashboardServices, type OwnAccount } from './dependencies.ts'

/** An active session and its user, as currently stored. */
export interface LiveDashboardSession {
  readonly session: DashboardSessionRow
  readonly user: DashboardUserRow
}

export interface DashboardSessions {
  /** Creates a session. The returned token goes into the cookie and is not stored. */
  begin(user: DashboardUserRow, of: SessionOrigin): Promise<string>
  /** Finds the active session of a cookie, or null. Each call counts as activity. */
  find(cookie: string | null): Promise<LiveDashboardSession | null>
  list(userId: string): Promise<DashboardSessionRow[]>
  /** Ends one of the user's own sessions, or all; returns how many. */
  end(own: OwnAccount, sessionId: string | null): Promise<number>
  /** Deletes expired sessions. */
  deleteOld(stopping?: AbortSignal): Promise<number>
}

export interface SessionOrigin {
  readonly userAgent: string
  readonly address: string
  readonly requestId: string
}

export function makeDashboardSessions(services: DashboardServices): DashboardSessions {
  const { store, keyring, clock, settings } = services
  const rows = makeVerifiedRows(services, dashboardSessionsTable)
  return Object.freeze({ begin, find, list, end, deleteOld })

  async function begin(user: DashboardUserRow, { userAgent, address, requestId }: SessionOrigin): Promise<string> {
    const now = clock.now()
    const { userId, merchantId } = user
    const { cardId: sessionId, token, secret } = issueToken(bucketOf(merchantId), now)
    const dek = await keyring.active('pepper')
    const hash = hashSessionSecret(dek, sessionId, secret)
    secret.fill(0)
    const csrf = Buffer.from(randomSecret(24)).toString('base64url')
    const ids = { sessionId, userId, merchantId, hash, pepperKeyId: dek.keyId, csrf }
    const row = { ...ids, createdAt: now, lastSeenAt: now, address, userAgent: shorten(userAgent), mac: new Uint8Array(0) }
    const actor = { actor: `user:${userId}`, requestId }
    await store.write(insertDashboardSession, {
      session: await rows.seal(row),
      audit: sessionAuditEntry(user, actor, { at: now, action: 'dashboard.signed_in', outcome: sessionId }),
    })
    return token
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
    if (now - session.lastSeenAt >= touchIntervalMs) {
      await store.write(touchDashboardSession, { session: await rows.seal({ ...session, lastSeenAt: now }), previousMac: session.mac })
    }
    return { session, user }
  }

  async function list(userId: string): Promise<DashboardSessionRow[]> {
    const found = await keepValid(rows, await store.read(listDashboardSessions(userId, maxListedSessions)))
    return found.filter((session) => isLive(session, clock.now()))
  }

  function end({ merchantId, userId, actor, requestId }: OwnAccount, sessionId: string | null): Promise<number> {
    const action = sessionId === null ? 'dashboard.signed_out_everywhere' : 'dashboard.signed_out'
    const by = { actor, requestId, merchantId, subject: userId, version: 0, mac: new Uint8Array(0) }
    return store.write(deleteDashboardSessions, {
      userId,
      sessionId,
      audit: { ...by, at: clock.now(), action, outcome: sessionId ?? 'all' },
    })
  }

  function deleteOld(stopping?: AbortSignal): Promise<number> {
    return deleteInPages(store, deleteOldDashboardSessions, clock.now() - settings.idleMs, stopping)
  }

  function isLive({ createdAt, lastSeenAt }: DashboardSessionRow, now: number): boolean {
    return now - lastSeenAt < settings.idleMs && now - createdAt < settings.absoluteMs
  }
}

/** Keeps the first 160 printable ASCII characters of a user agent. */
function shorten(userAgent: string): string {
  return userAgent.replace(/[^ -~]/g, '').slice(0, 160)
}

/** A page sends many requests at once, so activity is written at most this often. */
const touchIntervalMs = 60_000
const maxListedSessions = 100
