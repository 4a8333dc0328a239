import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findCard, insertCard } from '../cards.ts'
import { claimSend, countWrongCodes, deleteOldLimits, type SendClaim } from '../send-limits.ts'
import { deleteInPages } from '../store.ts'
import { beginVerification, checkCode, completeVerification, findVerification } from '../verifications.ts'
import {
  makeNetworkCodeAttempt,
  bytesOf,
  sampleVerification,
  makeCard,
  makeClaim,
  makeAuditEntry,
  makeCodeAttempt,
  clockAt,
  nextVersion,
  T0,
} from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function limitsSuite(withStore: WithStore): void {
  test(
    'a send is allowed exactly when every window has room, whatever the order of times',
    withStore(async ({ store }) => {
      let subject = 0
      await fc.assert(
        fc.asyncProperty(
          someWindows,
          fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 25 }),
          async (windows, gaps) => {
            subject++
            const sends: number[] = []
            let at = T0
            for (const gap of gaps) {
              at += gap
              const model = modelClaim(sends, windows, at)
              assert.deepEqual(await store.write(claimSend, makeClaim(at, windows, subject)), model)
              if (model.claimed) sends.push(at)
            }
          },
        ),
        { numRuns: 40, seed: 20261121 },
      )
    }),
  )

  test(
    'a send is allowed again in the millisecond in which its window ends',
    withStore(async ({ store }) => {
      const windows = [{ count: 1, ms: 1000 }]
      assert.deepEqual(await store.write(claimSend, makeClaim(T0, windows)), { claimed: true })
      assert.deepEqual(await store.write(claimSend, makeClaim(T0 + 999, windows)), { claimed: false, retryAfterMs: 1 })
      assert.deepEqual(await store.write(claimSend, makeClaim(T0 + 1000, windows)), { claimed: true })
    }),
  )

  test(
    'of many concurrent sends no more are allowed than the window has room for',
    withStore(async ({ store }) => {
      const claims = await Promise.all(Array.from({ length: 60 }, () => store.write(claimSend, makeClaim(T0, [{ count: 3, ms: 1000 }]))))
      assert.equal(claims.filter(({ claimed }) => claimed).length, 3)
    }),
  )

  test(
    'a clock that was set back allows no send',
    withStore(async ({ store }) => {
      const windows = [{ count: 1, ms: 1000 }]
      await store.write(claimSend, makeClaim(T0, windows))
      assert.deepEqual(await store.write(claimSend, makeClaim(T0 - 5000, windows)), { claimed: false, retryAfterMs: 6000 })
    }),
  )

  test(
    'subjects, scopes and days do not count for each other',
    withStore(async ({ store }) => {
      const claim = makeClaim(T0, [{ count: 1, ms: 1000 }])
      const others: SendClaim[] = [claim, { ...claim, scope: 'pan' }, { ...claim, keyId: 'next' }, { ...claim, subject: bytesOf('other') }]
      for (const each of others) assert.deepEqual(await store.write(claimSend, each), { claimed: true })
      assert.equal((await store.write(claimSend, claim)).claimed, false)
    }),
  )

  test(
    'a window that cannot be checked is refused',
    withStore(async ({ store }) => {
      await assert.rejects(store.write(claimSend, makeClaim(T0, [{ count: 6, ms: 1000 }])), /1 to 5 sends/)
    }),
  )

  test(
    'after too many wrong codes in an hour no code is evaluated, not even a right one, until they are old enough',
    withStore(async ({ store }) => {
      const at = clockAt(0)
      const cards = Array.from({ length: 8 }, (_, n) => makeCard(n + 1))
      for (const card of cards) {
        await store.write(insertCard, { card, audit: makeAuditEntry(card) })
        await store.write(beginVerification, {
          attempt: sampleVerification(card, 'one', at),
          limits: { resendWaitMs: 1, pan: null },
          audit: makeAuditEntry(card),
        })
      }
      const attempts = cards
        .slice(0, 6)
        .flatMap((card) => Array.from({ length: 2 }, () => makeCodeAttempt(card, 'one', at, { maxWrongCodesPerHour: 7 })))
      // Sequentially: concurrent attempts may exceed the limit, by how much depends on the store (docs/decisions/0014-limits.md).
      const outcomes = []
      for (const each of attempts) outcomes.push((await store.write(checkCode, { attempt: each })).outcome)
      assert.deepEqual(
        [outcomes.filter((outcome) => outcome === 'incorrect').length, outcomes.filter((o) => o === 'wrongCodeLimit').length],
        [7, 5],
      )

      const [spare] = cards.slice(-1)
      assert.ok(spare !== undefined)
      const right = (ms: number) =>
        makeCodeAttempt(spare, 'one', clockAt(ms), { maxWrongCodesPerHour: 7, otpLifetimeMs: 9_000_000, otpHash: bytesOf('right one') })
      const refused = await store.write(checkCode, { attempt: right(1) })
      assert.ok(refused.outcome === 'wrongCodeLimit' && refused.retryAfterMs > 3_300_000 && refused.retryAfterMs <= 3_900_000)
      assert.deepEqual(await store.write(checkCode, { attempt: right(refused.retryAfterMs - 1) }), {
        outcome: 'wrongCodeLimit',
        retryAfterMs: 2,
      })
      assert.deepEqual(await store.write(checkCode, { attempt: right(refused.retryAfterMs + 1) }), { outcome: 'verified' })
    }),
  )

  test(
    'wrong codes that were counted by a clock that was ahead stop nothing when it is right again',
    withStore(async ({ store }) => {
      const aheadMs = 10 * 86_400_000
      const [first, second] = [makeCard(1), makeCard(2)]
      for (const card of [first, second]) {
        await store.write(insertCard, { card, audit: makeAuditEntry(card) })
        await store.write(beginVerification, {
          attempt: sampleVerification(card, 'one', clockAt(0)),
          limits: { resendWaitMs: 1, pan: null },
          audit: makeAuditEntry(card),
        })
      }
      const limits = { maxWrongCodesPerHour: 1, otpLifetimeMs: 2 * aheadMs }
      const wrong = await store.write(checkCode, { attempt: makeCodeAttempt(first, 'one', clockAt(aheadMs), limits) })
      assert.equal(wrong.outcome, 'incorrect')
      const counts = [T0 + aheadMs, T0, T0 + aheadMs - 300_000].map((at) => store.read(countWrongCodes(at)))
      assert.deepEqual(await Promise.all(counts), [1, 0, 1], 'the next slice counts: another process may be ahead by seconds')
      const right = makeCodeAttempt(second, 'one', clockAt(1), { ...limits, otpHash: bytesOf('right one') })
      assert.deepEqual(await store.write(checkCode, { attempt: right }), { outcome: 'verified' })
    }),
  )

  test(
    'a code that the network has to check counts as wrong until the network says that it is right',
    withStore(async ({ store }) => {
      const [card, other] = [makeCard(1), makeCard(2)]
      for (const each of [card, other]) {
        await store.write(insertCard, { card: each, audit: makeAuditEntry(each) })
        await store.write(beginVerification, {
          attempt: sampleVerification(each, 'one', clockAt(0), { sentBy: 'network' }),
          limits: { resendWaitMs: 1, pan: null },
          audit: makeAuditEntry(each),
        })
      }
      const attempt = (each: typeof card) =>
        store.write(checkCode, { attempt: makeNetworkCodeAttempt(each, 'one', clockAt(1), { maxWrongCodesPerHour: 1 }) })
      assert.equal((await attempt(card)).outcome, 'networkDecides')
      assert.equal((await attempt(other)).outcome, 'wrongCodeLimit')
      const verifiedCard = nextVersion(card, { verified: true })
      const { bucket, merchantId, cardId } = card
      const finish = {
        bucket,
        merchantId,
        cardId,
        attemptId: 'one',
        decrementWrongCodesAt: clockAt(2).wallMs,
        stop: null,
        verifiedCard,
        audit: makeAuditEntry(verifiedCard),
      }
      assert.equal(await store.write(completeVerification, { ...finish }), true)
      assert.equal((await attempt(other)).outcome, 'networkDecides')
    }),
  )

  test(
    'old limits and verifications are deleted page by page until a stop, and those that still count stay',
    withStore(async ({ store, raw }) => {
      const card = makeCard(1)
      await store.write(insertCard, { card, audit: makeAuditEntry(card) })
      await store.write(beginVerification, {
        attempt: sampleVerification(card, 'one', clockAt(0)),
        limits: { resendWaitMs: 1, pan: null },
        audit: makeAuditEntry(card),
      })
      const dayCap = { keyId: 'day', subject: bytesOf('pan'), maxAttempts: 9, endsAt: T0 + 100 }
      await store.write(checkCode, { attempt: makeCodeAttempt(card, 'one', clockAt(1), { dayCap }) })
      // Not all at once: a write that waits too long for its turn is refused.
      for (let first = 0; first < 1201; first += 100) {
        const count = Math.min(100, 1201 - first)
        await Promise.all(Array.from({ length: count }, (_, n) => store.write(claimSend, makeClaim(T0, [], first + n))))
      }
      await store.write(claimSend, makeClaim(T0 + 200, [], 'young'))
      assert.equal(await deleteInPages(store, deleteOldLimits, T0), 0)
      const stopping = new AbortController()
      const begun = deleteInPages(store, deleteOldLimits, T0 + 200, stopping.signal)
      stopping.abort()
      const deleted = await begun
      assert.ok(deleted > 0 && deleted < 1203, `${deleted} were deleted before the stop`)
      assert.equal(await deleteInPages(store, deleteOldLimits, T0 + 200, stopping.signal), 0)
      assert.equal(await deleteInPages(store, deleteOldLimits, T0 + 200), 1203 - deleted)
      assert.equal((await raw('select scope from send_limits')).length, 1)
      assert.equal(await store.read(findVerification(card)), null)
      assert.deepEqual(await store.read(findCard(card)), card)
    }),
  )
}

/** The rule at its simplest: at most `count` sends in any `ms`. */
function modelClaim(
  sends: readonly number[],
  windows: SendClaim['windows'],
  at: number,
): { claimed: true } | { claimed: false; retryAfterMs: number } {
  const waits = windows.map(({ count, ms }) => {
    const inside = sends.filter((send) => at - send < ms)
    return inside.length < count ? 0 : (inside[inside.length - count] ?? 0) + ms - at
  })
  const retryAfterMs = Math.max(0, ...waits)
  return retryAfterMs === 0 ? { claimed: true } : { claimed: false, retryAfterMs }
}

const someWindows = fc.uniqueArray(fc.record({ count: fc.integer({ min: 1, max: 5 }), ms: fc.integer({ min: 1, max: 1500 }) }), {
  maxLength: 3,
  selector: ({ count }) => count,
})
