import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNewestAudited, listAuditOfSubject, listUserActions } from '../audit.ts'
import { insertCard, listCards } from '../cards.ts'
import { type DashboardPasskeyRow, deletePasskey, findPasskey, insertPasskey, listPasskeys, updatePasskey } from '../dashboard-passkeys.ts'
import {
  type DashboardRecoveryCodeRow,
  listRecoveryCodes,
  markRecoveryCodeUsed,
  replaceRecoveryCodes,
} from '../dashboard-recovery-codes.ts'
import {
  confirmDashboardSession,
  type DashboardSessionRow,
  deleteDashboardSession,
  deleteOldDashboardSessions,
  findDashboardSession,
  insertDashboardSession,
  listDashboardSessions,
  touchDashboardSession,
} from '../dashboard-sessions.ts'
import {
  acceptTotpStep,
  claimCodeAttempt,
  claimSignInAttempt,
  type DashboardUserRow,
  endDashboardSessions,
  findDashboardUser,
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
    sessionsFrom: 0,
    keptSession: '',
    mac: bytesOf('mac'),
    failedAttempts: 0,
    lockedUntil: 0,
    totpStep: 0,
    failedCodes: 0,
    codesLockedUntil: 0,
    name: '',
    lastSignInAt: 0,
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
    method: 'password',
    confirmedAt: 0,
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
      assert.equal(await store.write(claimSignInAttempt, { ...claim, now: T0 - 90_000_000 }), false)
      assert.equal(
        await store.write(claimSignInAttempt, { ...claim, now: T0 - 90_000_001 }),
        true,
        'a lock of a clock that was ahead is none',
      )
      await store.write(resetSignInAttempts, { userId: user.userId })
      assert.equal(await store.write(claimSignInAttempt, { ...claim, now: T0 + 1000 }), true)
      await store.write(resetSignInAttempts, { userId: user.userId })
      const steps = await Promise.all([7, 7, 6].map((totpStep) => store.write(acceptTotpStep, { userId: user.userId, totpStep })))
      assert.equal(steps.filter(Boolean).length <= 2 && steps.some(Boolean), true)
      assert.equal(await store.write(acceptTotpStep, { userId: user.userId, totpStep: 7 }), false)
    }),
  )

  test(
    'codes of the second factor are counted apart from passwords, and an accepted one resets their count',
    withStore(async ({ store }) => {
      await store.write(insertDashboardUser, { user, audit })
      const claim = { userId: user.userId, now: T0, maxAttempts: 10, lockMs: 1000 }
      const claims = await Promise.all(Array.from({ length: 30 }, () => store.write(claimCodeAttempt, claim)))
      assert.equal(claims.filter(Boolean).length, 10)
      assert.equal(await store.write(claimSignInAttempt, claim), true)
      assert.equal(await store.write(claimCodeAttempt, { ...claim, now: T0 + 999 }), false)
      assert.equal(await store.write(claimCodeAttempt, { ...claim, now: T0 - 90_000_000 }), false)
      assert.equal(
        await store.write(claimCodeAttempt, { ...claim, now: T0 - 90_000_001 }),
        true,
        'a lock of a clock that was ahead is none',
      )
      assert.equal(await store.write(claimCodeAttempt, { ...claim, now: T0 + 1000 }), true)
      await store.write(acceptTotpStep, { userId: user.userId, totpStep: 9 })
      assert.equal((await store.read(findDashboardUserByPhone(user.phone)))?.failedCodes, 0)
    }),
  )

  test(
    'of concurrent uses of one recovery code one is accepted, and new codes replace all earlier ones',
    withStore(async ({ store }) => {
      await store.write(insertDashboardUser, { user, audit })
      const { userId, merchantId } = user
      const codeOf = (number: number): DashboardRecoveryCodeRow => {
        const hash = bytesOf(`hash ${number}`)
        return { userId, number, merchantId, hash, pepperKeyId: 'k', createdAt: T0, usedAt: 0, mac: bytesOf(`mac ${number}`) }
      }
      const codes = [codeOf(1), codeOf(2)]
      await store.write(insertDashboardSession, { session, user, audit })
      const { sessionId } = session
      assert.equal(await store.write(replaceRecoveryCodes, { userId, sessionId: 'f'.repeat(24), codes, audit }), false)
      assert.deepEqual(await store.read(listRecoveryCodes(userId)), [])
      assert.equal(await store.write(replaceRecoveryCodes, { userId, sessionId, codes, audit }), true)
      assert.deepEqual(await store.read(listRecoveryCodes(userId)), codes)
      const code = { ...codeOf(1), usedAt: T0 + 1, mac: bytesOf('used') }
      const use = { code, previousMac: codeOf(1).mac, audit }
      const uses = await Promise.all(Array.from({ length: 10 }, () => store.write(markRecoveryCodeUsed, use)))
      assert.equal(uses.filter(Boolean).length, 1)
      assert.deepEqual(await store.read(listRecoveryCodes(userId)), [code, codeOf(2)])
      await store.write(replaceRecoveryCodes, { userId, sessionId, codes: [codeOf(2)], audit })
      assert.deepEqual(await store.read(listRecoveryCodes(userId)), [codeOf(2)])
      await store.write(updateDashboardUser, {
        user: { ...user, version: 2 },
        endSessions: null,
        needsOtherOwner: false,
        deletesFactors: true,
        audit,
      })
      assert.deepEqual(await store.read(listRecoveryCodes(userId)), [])
    }),
  )

  test(
    'a passkey is stored once for its credential, and of concurrent uses one is accepted',
    withStore(async ({ store }) => {
      const { userId, merchantId } = user
      const ids = { passkeyId: 'd'.repeat(24), credentialId: 'Y3JlZA', userId, merchantId, name: 'Phone “1”', publicKey: bytesOf('key') }
      const times = { challengedAt: T0, createdAt: T0, lastUsedAt: 0 }
      const passkey: DashboardPasskeyRow = {
        ...ids,
        ...times,
        counter: 4_294_967_295,
        isSynced: true,
        transports: '["usb"]',
        mac: bytesOf('p'),
      }
      await store.write(insertDashboardUser, { user, audit })
      const { sessionId } = session
      assert.equal(await store.write(insertPasskey, { passkey, sessionId, audit }), 'ended')
      await store.write(insertDashboardSession, { session, user, audit })
      assert.equal(await store.write(insertPasskey, { passkey, sessionId, audit }), 'stored')
      assert.equal(await store.write(insertPasskey, { passkey: { ...passkey, passkeyId: 'e'.repeat(24) }, sessionId, audit }), 'exists')
      assert.deepEqual(await store.read(findPasskey('Y3JlZA')), passkey)
      const used = { ...passkey, lastUsedAt: T0 + 5, challengedAt: T0 + 4, mac: bytesOf('used') }
      const use = { passkey: used, previousMac: passkey.mac, audit: null }
      const uses = await Promise.all(Array.from({ length: 10 }, () => store.write(updatePasskey, use)))
      assert.equal(uses.filter(Boolean).length, 1)
      assert.deepEqual(await store.read(listPasskeys(userId)), [used])
      assert.equal(await store.write(deletePasskey, { userId: 'f'.repeat(24), passkeyId: passkey.passkeyId, audit }), false)
      assert.equal(await store.write(deletePasskey, { userId, passkeyId: passkey.passkeyId, audit }), true)
      assert.deepEqual(await store.read(listPasskeys(userId)), [])
    }),
  )

  test(
    'a session is confirmed in the row that was read',
    withStore(async ({ store }) => {
      await store.write(insertDashboardUser, { user, audit })
      await store.write(insertDashboardSession, { session, user, audit })
      const confirmed = { ...session, method: 'totp', confirmedAt: T0 + 1, mac: bytesOf('confirmed') } as const
      assert.equal(await store.write(confirmDashboardSession, { session: confirmed, previousMac: session.mac, audit }), true)
      assert.equal(await store.write(confirmDashboardSession, { session: confirmed, previousMac: session.mac, audit }), false)
      assert.deepEqual(await store.read(findDashboardSession(session.sessionId)), confirmed)
    }),
  )

  test(
    'sessions end one by one, all at once, by an update of their user, and by age',
    withStore(async ({ store }) => {
      await store.write(insertDashboardUser, { user, audit })
      const ids = ['1', '2', '3', '4', '5'].map((digit) => digit.repeat(24))
      for (const [at, sessionId] of ids.entries())
        await store.write(insertDashboardSession, { session: { ...session, sessionId, createdAt: T0 + at }, user, audit })
      assert.deepEqual(await store.read(findDashboardSession(ids[0] ?? '')), { ...session, sessionId: ids[0] })
      const touched = { ...session, sessionId: ids[4] ?? '', lastSeenAt: T0 + 500, mac: bytesOf('touched') }
      await store.write(touchDashboardSession, { session: touched, previousMac: session.mac })
      await store.write(touchDashboardSession, { session: { ...touched, lastSeenAt: T0 + 900 }, previousMac: session.mac })
      const { userId } = user
      assert.equal(await store.write(deleteDashboardSession, { userId: 'f'.repeat(24), sessionId: ids[0] ?? '', audit }), 0)
      assert.equal(await store.write(deleteDashboardSession, { userId, sessionId: ids[0] ?? '', audit }), 1)
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
      const second = { ...user, version: 3, sessionsFrom: T0 + 9, mac: bytesOf('third') }
      assert.equal(await store.write(endDashboardSessions, { user: { ...second, version: 9 }, audit }), -1)
      const later = { ...session, sessionId: '6'.repeat(24) }
      const current = { ...user, version: 2 }
      assert.equal(await store.write(insertDashboardSession, { session: later, user, audit }), false)
      assert.equal(await store.read(findDashboardSession(later.sessionId)), null)
      assert.equal(await store.write(insertDashboardSession, { session: later, user: current, audit }), true)
      assert.equal(await store.write(endDashboardSessions, { user: second, audit }), 2)
      assert.deepEqual(await store.read(findDashboardUser(userId)), second)
      const ended = async (id: string) => (await store.read(findNewestAudited(id)))?.version ?? null
      assert.deepEqual(await Promise.all([...ids, later.sessionId].map(ended)), [2, 2, 2, 2, 2, 2])
      await store.write(insertDashboardSession, { session: touched, user: second, audit })
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
