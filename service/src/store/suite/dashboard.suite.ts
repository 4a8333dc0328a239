import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DashboardSessionRow, DashboardUserRow } from '../store.ts'
import type { WithStore } from './opened.fixture.ts'
import { bytesOf, makeCard, makeNote, T0 } from './samples.fixture.ts'

export function dashboardSuite(withStore: WithStore): void {
  const card = makeCard(0)
  const note = makeNote(card, 'dashboard_user.created')
  const user: DashboardUserRow = {
    ...{ userId: 'a'.repeat(24), merchantId: card.merchantId, phone: '998901112233', role: 'owner', state: 'active', version: 1 },
    ...{ verifier: 'scrypt$17$x$y', mustChange: true, totp: bytesOf('totp'), createdAt: T0, mac: bytesOf('mac') },
    ...{ tries: 0, lockedUntil: 0, totpStep: 0 },
  }
  const session: DashboardSessionRow = {
    ...{ sessionId: 'b'.repeat(24), userId: user.userId, merchantId: user.merchantId, hash: bytesOf('hash'), pepperKeyId: 'k' },
    ...{ csrf: 'word', createdAt: T0, lastSeenAt: T0, userAgent: 'Browser "1"', address: '192.0.2.7' },
  }

  test(
    'a user comes back as it was kept, one phone is one login, and a change wants the version before it',
    withStore(async ({ store }) => {
      assert.equal(await store.insertDashboardUser(user, note), true)
      assert.equal(await store.insertDashboardUser({ ...user, userId: 'c'.repeat(24) }, note), false)
      assert.deepEqual(await store.findDashboardUserByPhone(user.phone), user)
      const next = { ...user, version: 2, role: 'read', totp: null, mustChange: false } as const
      assert.equal(await store.changeDashboardUser(next, null, note), true)
      assert.equal(await store.changeDashboardUser(next, null, note), false)
      assert.deepEqual(await store.listDashboardUsers(user.merchantId, '', 10), [next])
      assert.deepEqual(await store.listDashboardUsers('f'.repeat(24), '', 10), [])
    }),
  )

  test(
    'of many tries at once as many are taken as may be, and a code’s step is taken once',
    withStore(async ({ store }) => {
      await store.insertDashboardUser(user, note)
      const claim = { userId: user.userId, now: T0, triesMax: 10, lockMs: 1000 }
      const claims = await Promise.all(Array.from({ length: 30 }, () => store.claimSignInTry(claim)))
      assert.equal(claims.filter(Boolean).length, 10)
      assert.equal(await store.claimSignInTry({ ...claim, now: T0 + 999 }), false)
      assert.equal(await store.claimSignInTry({ ...claim, now: T0 + 1000 }), true)
      const steps = await Promise.all([7, 7, 6].map((step) => store.clearSignInTries(user.userId, step)))
      assert.equal(steps.filter(Boolean).length <= 2 && steps.some(Boolean), true)
      assert.equal(await store.clearSignInTries(user.userId, 7), false)
    }),
  )

  test(
    'sessions end one by one, all together, by a change of their user, and by themselves',
    withStore(async ({ store }) => {
      await store.insertDashboardUser(user, note)
      const ids = ['1', '2', '3', '4', '5'].map((digit) => digit.repeat(24))
      for (const [at, sessionId] of ids.entries()) await store.insertDashboardSession({ ...session, sessionId, createdAt: T0 + at }, note)
      assert.deepEqual(await store.findDashboardSession(ids[0] ?? ''), { ...session, sessionId: ids[0] })
      await store.touchDashboardSession(ids[4] ?? '', T0 + 500)
      const { userId } = user
      assert.equal(await store.endDashboardSessions({ userId: 'f'.repeat(24), sessionId: ids[0] ?? '' }, note), 0)
      assert.equal(await store.endDashboardSessions({ userId, sessionId: ids[0] ?? '' }, note), 1)
      await store.changeDashboardUser({ ...user, version: 2 }, { keeps: ids[4] ?? '' }, note)
      assert.deepEqual(
        (await store.listDashboardSessions(userId, 9)).map(({ sessionId }) => sessionId),
        [ids[4]],
      )
      assert.equal(await store.dropDashboardSessions(T0 + 500), 0)
      assert.equal(await store.dropDashboardSessions(T0 + 501), 1)
    }),
  )

  test(
    'cards are listed by keyset, newest first, by their four last digits and by their payer, of one merchant alone',
    withStore(async ({ store }) => {
      const { bucket, merchantId } = card
      const cards = [0, 1, 2, 3].map((at) => ({
        ...makeCard(at),
        bucket,
        merchantId,
        createdAt: T0 + Math.floor(at / 2),
        customer: at === 1 ? 'p"1' : null,
      }))
      for (const each of cards) await store.insertCard(each, note)
      const wanted = cards.toSorted((a, b) => b.createdAt - a.createdAt || (a.cardId < b.cardId ? 1 : -1))
      const ask = { bucket, merchantId, after: null, count: 3, by: null }
      assert.deepEqual(await store.listCards(ask), wanted.slice(0, 3))
      const { createdAt: at, cardId: id } = wanted[2] ?? card
      assert.deepEqual(await store.listCards({ ...ask, after: { at, id } }), wanted.slice(3))
      assert.deepEqual(await store.listCards({ ...ask, by: { customer: 'p"1' } }), [cards[1]])
      assert.equal((await store.listCards({ ...ask, count: 9, by: { lastFour: card.maskedPan.slice(-4) } })).length > 0, true)
      assert.deepEqual(await store.listCards({ ...ask, by: { lastFour: 'none' } }), [])
      assert.deepEqual(await store.listCards({ ...ask, merchantId: 'f'.repeat(24) }), [])
      assert.deepEqual(await store.listAuditOf('f'.repeat(24), card.cardId, 9), [])
    }),
  )

  test(
    'what people did is listed for their merchant, newest first, without what calls and the service did',
    withStore(async ({ store }) => {
      const actors = ['merchant:x', 'user:1', 'system', 'operator', 'merchant', 'visitor', 'user:2']
      for (const [number, actor] of actors.entries()) {
        const made = makeCard(number)
        await store.insertCard(made, { ...makeNote(made, 'card.created'), actor, at: T0 + Math.floor(number / 2) })
      }
      const ask = { merchantId: card.merchantId, after: null, count: 10 }
      const all = await store.listDeeds(ask)
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
      assert.deepEqual(await store.listDeeds({ ...ask, after }), all.slice(2))
      assert.deepEqual(await store.listDeeds({ ...ask, count: 1 }), all.slice(0, 1))
      assert.deepEqual(await store.listDeeds({ ...ask, merchantId: 'f'.repeat(24) }), [])
    }),
  )
}
