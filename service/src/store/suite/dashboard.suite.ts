import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listAuditOfSubject, listUserActions } from '../audit.ts'
import { insertCard, listCards } from '../cards.ts'
import {
  type DashboardSessionRow,
  deleteDashboardSessions,
  deleteOldDashboardSessions,
  findDashboardSession,
  insertDashboardSession,
  listDashboardSessions,
  touchDashboardSession,
} from '../dashboard-sessions.ts'
import {
  claimSignInAttempt,
  type DashboardUserRow,
  findDashboardUserByPhone,
  insertDashboardUser,
  listDashboardUsers,
  resetSignInAttempts,
  updateDashboardUser,
} from '../dashboard-users.ts'
import { insertMerchant } from '../merchants.ts'
import { deleteInPages } from '../store.ts'
import type { WithStore } from './opened.fixture.ts'
import { bytesOf, makeCard, makeAuditEntry, makeMerchant, T0 } from './samples.fixture.ts'

export function dashboardSuite(withStore: WithStore): void {
  const card = makeCard(0)
  const audit = makeAuditEntry(card, 'dashboard_user.created')
  const user: DashboardUserRow = {
    userId: 'a'.repeat(24),
    merchantId: card.merchantId,
    phone: '998901112233',
    role: 'owner',
    state: 'active',
    version: 1,
    verifier: 'scrypt$17$x$y',
    mustChange: true,
    totp: bytesOf('totp'),
    createdAt: T0,
    mac: bytesOf('mac'),
    failedAttempts: 0,
    lockedUntil: 0,
    totpStep: 0,
  }
  const session: DashboardSessionRow = {
    sessionId: 'b'.repeat(24),
    userId: user.userId,
    merchantId: user.merchantId,
    hash: bytesOf('hash'),
    pepperKeyId: 'k',
    csrf: 'word',
    createdAt: T0,
    lastSeenAt: T0,
    userAgent: 'Browser "1"',
    address: '192.0.2.7',
    mac: bytesOf('session'),
  }

  test(
    'a user is read as it was stored, one phone is one login, and an update needs the version before it',
    withStore(async ({ store }) => {
      assert.equal(await store.write(insertDashboardUser, { user, audit }), true)
      assert.equal(await store.write(insertDashboardUser, { user: { ...user, userId: 'c'.repeat(24) }, audit }), false)
      assert.deepEqual(await store.read(findDashboardUserByPhone(user.phone)), user)
      const next = { ...user, version: 2, role: 'read', totp: null, mustChange: false } as const
      assert.equal(await store.write(updateDashboardUser, { user: next, endSessions: null, needsOtherOwner: false, audit }), 'updated')
      assert.equal(await store.write(updateDashboardUser, { user: next, endSessions: null, needsOtherOwner: false, audit }), 'conflict')
      assert.deepEqual(await store.read(listDashboardUsers(user.merchantId, '', 10)), [next])
      assert.deepEqual(await store.read(listDashboardUsers('f'.repeat(24), '', 10)), [])
    }),
  )

  for (const needsOtherOwner of [true, false])
    test(
      `of two owners that are demoted at the same time ${needsOtherOwner ? 'one stays' : 'none stays without the check (control)'}`,
      withStore(async ({ store }) => {
        await store.write(insertMerchant, { merchant: makeMerchant(), audit })
        for (let round = 0; round < 20; round++) {
          const { id: merchantId } = makeMerchant()
          const owners = ['d', 'e'].map((letter) => {
            const name = letter + String(round).padStart(11, '0')
            return { ...user, merchantId, userId: name + name, phone: name }
          })
          for (const owner of owners) await store.write(insertDashboardUser, { user: owner, audit })
          const demoted = owners.map((owner) => ({ ...owner, version: 2, role: 'read' }) as const)
          const results = await Promise.all(
            demoted.map((each) => store.write(updateDashboardUser, { user: each, endSessions: null, needsOtherOwner, audit })),
          )
          assert.deepEqual(results.toSorted(), needsOtherOwner ? ['last_owner', 'updated'] : ['updated', 'updated'])
          const [owner] = demoted.filter((_, at) => results[at] !== 'updated')
          if (owner !== undefined) await store.write(updateDashboardUser, { user: owner, endSessions: null, needsOtherOwner: false, audit })
        }
      }),
    )

  test(
    'of many concurrent sign-in attempts only the allowed number is counted, and a TOTP step is accepted once',
    withStore(async ({ store }) => {
      await store.write(insertDashboardUser, { user, audit })
      const claim = { userId: user.userId, now: T0, maxAttempts: 10, lockMs: 1000 }
      const claims = await Promise.all(Array.from({ length: 30 }, () => store.write(claimSignInAttempt, claim)))
      assert.equal(claims.filter(Boolean).length, 10)
      assert.equal(await store.write(claimSignInAttempt, { ...claim, now: T0 + 999 }), false)
      assert.equal(await store.write(claimSignInAttempt, { ...claim, now: T0 + 1000 }), true)
      const steps = await Promise.all([7, 7, 6].map((step) => store.write(resetSignInAttempts, { userId: user.userId, totpStep: step })))
      assert.equal(steps.filter(Boolean).length <= 2 && steps.some(Boolean), true)
      assert.equal(await store.write(resetSignInAttempts, { userId: user.userId, totpStep: 7 }), false)
    }),
  )

  test(
    'sessions end one by one, all at once, by an update of their user, and by age',
    withStore(async ({ store }) => {
      await store.write(insertDashboardUser, { user, audit })
      const ids = ['1', '2', '3', '4', '5'].map((digit) => digit.repeat(24))
      for (const [at, sessionId] of ids.entries())
        await store.write(insertDashboardSession, { session: { ...session, sessionId, createdAt: T0 + at }, audit })
      assert.deepEqual(await store.read(findDashboardSession(ids[0] ?? '')), { ...session, sessionId: ids[0] })
      const touched = { ...session, sessionId: ids[4] ?? '', lastSeenAt: T0 + 500, mac: bytesOf('touched') }
      await store.write(touchDashboardSession, { session: touched, previousMac: session.mac })
      await store.write(touchDashboardSession, { session: { ...touched, lastSeenAt: T0 + 900 }, previousMac: session.mac })
      const { userId } = user
      assert.equal(await store.write(deleteDashboardSessions, { userId: 'f'.repeat(24), sessionId: ids[0] ?? '', audit }), 0)
      assert.equal(await store.write(deleteDashboardSessions, { userId, sessionId: ids[0] ?? '', audit }), 1)
      await store.write(updateDashboardUser, {
        user: { ...user, version: 2 },
        endSessions: { except: ids[4] ?? '' },
        needsOtherOwner: false,
        audit,
      })
      assert.deepEqual(
        (await store.read(listDashboardSessions(userId, 9))).map(({ sessionId }) => sessionId),
        [ids[4]],
      )
      assert.equal(await deleteInPages(store, deleteOldDashboardSessions, T0 + 500), 0)
      assert.equal(await deleteInPages(store, deleteOldDashboardSessions, T0 + 501), 1)
    }),
  )

  test(
    'cards are listed by keyset, newest first, by their last four digits and by their payer, for one merchant alone',
    withStore(async ({ store }) => {
      const { bucket, merchantId } = card
      const cards = [0, 1, 2, 3].map((at) => ({
        ...makeCard(at),
        bucket,
        merchantId,
        createdAt: T0 + Math.floor(at / 2),
        customer: at === 1 ? 'p"1' : null,
      }))
      for (const each of cards) await store.write(insertCard, { card: each, audit })
      const wanted = cards.toSorted((a, b) => b.createdAt - a.createdAt || (a.cardId < b.cardId ? 1 : -1))
      const query = { bucket, merchantId, after: null, count: 3, by: null }
      assert.deepEqual(await store.read(listCards(query)), wanted.slice(0, 3))
      const { createdAt: at, cardId: id } = wanted[2] ?? card
      assert.deepEqual(await store.read(listCards({ ...query, after: { at, id } })), wanted.slice(3))
      assert.deepEqual(await store.read(listCards({ ...query, by: { customer: 'p"1' } })), [cards[1]])
      assert.equal((await store.read(listCards({ ...query, count: 9, by: { lastFour: card.maskedPan.slice(-4) } }))).length > 0, true)
      assert.deepEqual(await store.read(listCards({ ...query, by: { lastFour: 'none' } })), [])
      assert.deepEqual(await store.read(listCards({ ...query, merchantId: 'f'.repeat(24) })), [])
      assert.deepEqual(await store.read(listAuditOfSubject('f'.repeat(24), card.cardId, 9)), [])
    }),
  )

  test(
    'user actions are listed for their merchant, newest first, without those of API calls and of the service itself',
    withStore(async ({ store }) => {
      const actors = ['merchant:x', 'user:1', 'system', 'operator', 'merchant', 'visitor', 'user:2']
      for (const [number, actor] of actors.entries()) {
        const made = makeCard(number)
        await store.write(insertCard, {
          card: made,
          audit: { ...makeAuditEntry(made, 'card.created'), actor, at: T0 + Math.floor(number / 2) },
        })
      }
      const query = { merchantId: card.merchantId, after: null, count: 10 }
      const all = await store.read(listUserActions(query))
      assert.deepEqual(
        all.map(({ actor, at }) => [actor, at - T0]).toSorted(([a], [b]) => String(a).localeCompare(String(b))),
        [['operator', 1] as const, ['user:1', 0] as const, ['user:2', 3] as const, ['visitor', 2] as const],
      )
      assert.deepEqual(
        all.map(({ at }) => at - T0),
        [3, 2, 1, 0],
      )
      const [, second] = all
      const after = { at: second?.at ?? 0, id: Buffer.from(second?.hash ?? []).toString('hex') }
      assert.deepEqual(await store.read(listUserActions({ ...query, after })), all.slice(2))
      assert.deepEqual(await store.read(listUserActions({ ...query, count: 1 })), all.slice(0, 1))
      assert.deepEqual(await store.read(listUserActions({ ...query, merchantId: 'f'.repeat(24) })), [])
    }),
  )
}
