import { bucketOf } from '@tessera/vault/id'
import { drawSecret } from '@tessera/vault/random'
import { hashSession, isSession } from '@tessera/vault/session'
import { issueToken, readToken } from '@tessera/vault/token'

import type { DashboardSessionRow, DashboardUserRow } from '../store/store.ts'

import { noteVisit, trueUser, type DashboardTools, type Own } from './parts.ts'

/** A live session with its user, both as they are kept now. */
export interface LiveSession {
  readonly session: DashboardSessionRow
  readonly user: DashboardUserRow
}

export interface Sessions {
  /** Begins a session; its text goes into the cookie and is kept nowhere. */
  begin(user: DashboardUserRow, of: SessionOrigin): Promise<string>
  /** The live session of a cookie; null when there is none. Each call of it is a sign of life. */
  find(cookie: string | null): Promise<LiveSession | null>
  list(userId: string): Promise<DashboardSessionRow[]>
  /** Ends one session of the user's own, or all; tells how many. */
  end(own: Own, sessionId: string | null): Promise<number>
  /** Drops sessions that are over. */
  dropPast(stopping?: AbortSignal): Promise<number>
}

export interface SessionOrigin {
  readonly userAgent: string
  readonly address: string
  readonly requestId: string
}

export function makeSessions(tools: DashboardTools): Sessions {
  const { store, keyring, clock, figures } = tools
  return Object.freeze({ begin, find, list, end, dropPast })

  async function begin(user: DashboardUserRow, { userAgent, address, requestId }: SessionOrigin): Promise<string> {
    const now = clock.now()
    const { userId, merchantId } = user
    const { cardId: sessionId, token, secret } = issueToken(bucketOf(merchantId), now)
    const dek = await keyring.active('pepper')
    const hash = hashSession(dek, sessionId, secret)
    secret.fill(0)
    const csrf = Buffer.from(drawSecret(24)).toString('base64url')
    const row = { sessionId, userId, merchantId, hash, pepperKeyId: dek.keyId, csrf, createdAt: now, lastSeenAt: now, address }
    const doer = { actor: `user:${userId}`, requestId }
    await store.insertDashboardSession(
      { ...row, userAgent: shorten(userAgent) },
      noteVisit(user, doer, { at: now, action: 'dashboard.signed_in', outcome: sessionId }),
    )
    return token
  }

  async function find(cookie: string | null): Promise<LiveSession | null> {
    const read = cookie === null ? null : readToken(cookie)
    if (read === null || read.secret === null) return null
    const session = await store.findDashboardSession(read.cardId)
    const now = clock.now()
    if (session === null || !isLive(session, now)) return null
    const isOwn = isSession(await keyring.byId(session.pepperKeyId), session.sessionId, read.secret, session.hash)
    read.secret.fill(0)
    const user = isOwn ? await trueUser(tools, await store.findDashboardUser(session.userId)) : null
    if (user === null || user.state === 'blocked' || user.merchantId !== session.merchantId) return null
    if (now - session.lastSeenAt >= touchMs) await store.touchDashboardSession(session.sessionId, now)
    return { session, user }
  }

  async function list(userId: string): Promise<DashboardSessionRow[]> {
    return (await store.listDashboardSessions(userId, LISTED_MAX)).filter((session) => isLive(session, clock.now()))
  }

  function end({ merchantId, userId, requestId }: Own, sessionId: string | null): Promise<number> {
    const action = sessionId === null ? 'dashboard.signed_out_everywhere' : 'dashboard.signed_out'
    const by = { actor: `user:${userId}`, requestId, merchantId, subject: userId, version: 0, mac: new Uint8Array(0) }
    return store.endDashboardSessions({ userId, sessionId }, { ...by, at: clock.now(), action, outcome: sessionId ?? 'all' })
  }

  function dropPast(stopping?: AbortSignal): Promise<number> {
    return store.dropDashboardSessions(clock.now() - figures.idleMs, stopping)
  }

  function isLive({ createdAt, lastSeenAt }: DashboardSessionRow, now: number): boolean {
    return now - lastSeenAt < figures.idleMs && now - createdAt < figures.absoluteMs
  }
}

/** As much of a browser's name as a person tells it by, and nothing that is no plain text. */
function shorten(userAgent: string): string {
  return userAgent.replace(/[^ -~]/g, '').slice(0, 160)
}

/** A page asks many things at once: its signs of life are written down this often. */
const touchMs = 60_000
const LISTED_MAX = 100
