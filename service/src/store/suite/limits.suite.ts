import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { SendClaim } from '../store.ts'
import { bytesOf, makeAttempt, makeCard, makeClaim, makeNote, makeTry, momentAt, nextOf, T0 } from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function limitsSuite(withStore: WithStore): void {
  test(
    'sends are allowed exactly when every window has room, whatever the order of times',
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
              assert.deepEqual(await store.claimPhoneSend(makeClaim(at, windows, subject)), model)
              if (model.claimed) sends.push(at)
            }
          },
        ),
        { numRuns: 40, seed: 20261121 },
      )
    }),
  )

  test(
    'a place is free again at the very millisecond that its window ends',
    withStore(async ({ store }) => {
      const windows = [{ count: 1, ms: 1000 }]
      assert.deepEqual(await store.claimPhoneSend(makeClaim(T0, windows)), { claimed: true })
      assert.deepEqual(await store.claimPhoneSend(makeClaim(T0 + 999, windows)), { claimed: false, retryAfterMs: 1 })
      assert.deepEqual(await store.claimPhoneSend(makeClaim(T0 + 1000, windows)), { claimed: true })
    }),
  )

  test(
    'of many sends at once no more are allowed than the window has room for',
    withStore(async ({ store }) => {
      const claims = await Promise.all(Array.from({ length: 60 }, () => store.claimPhoneSend(makeClaim(T0, [{ count: 3, ms: 1000 }]))))
      assert.equal(claims.filter(({ claimed }) => claimed).length, 3)
    }),
  )

  test(
    'a clock that went back opens no window',
    withStore(async ({ store }) => {
      const windows = [{ count: 1, ms: 1000 }]
      await store.claimPhoneSend(makeClaim(T0, windows))
      assert.deepEqual(await store.claimPhoneSend(makeClaim(T0 - 5000, windows)), { claimed: false, retryAfterMs: 6000 })
    }),
  )

  test(
    'subjects, scopes and days do not count for each other',
    withStore(async ({ store }) => {
      const claim = makeClaim(T0, [{ count: 1, ms: 1000 }])
      const others: SendClaim[] = [claim, { ...claim, scope: 'pan' }, { ...claim, keyId: 'next' }, { ...claim, subject: bytesOf('other') }]
      for (const each of others) assert.deepEqual(await store.claimPhoneSend(each), { claimed: true })
      assert.equal((await store.claimPhoneSend(claim)).claimed, false)
    }),
  )

  test(
    'a window that cannot be kept is refused',
    withStore(async ({ store }) => {
      await assert.rejects(store.claimPhoneSend(makeClaim(T0, [{ count: 6, ms: 1000 }])), /1 to 5 sends/)
    }),
  )

  test(
    'when too many codes of an hour were wrong none is evaluated, not even a right one, until they are past',
    withStore(async ({ store }) => {
      const at = momentAt(0)
      const cards = Array.from({ length: 8 }, (_, n) => makeCard(n + 1))
      for (const card of cards) {
        await store.insertCard(card, makeNote(card))
        await store.beginVerification(makeAttempt(card, 'one', at, { lifeMs: 9_000_000 }), { resendWaitMs: 1, pan: null }, makeNote(card))
      }
      const tries = cards.slice(0, 6).flatMap((card) => Array.from({ length: 2 }, () => makeTry(card, 'one', at, { wrongCodesHourMax: 7 })))
      // One after another: how far many at once overshoot is the store's own matter (docs/decisions/0014-limits.md).
      const told = []
      for (const each of tries) told.push((await store.tryCode(each)).outcome)
      assert.deepEqual([told.filter((outcome) => outcome === 'wrong').length, told.filter((o) => o === 'wrongCodesUsedUp').length], [7, 5])

      const [spare] = cards.slice(-1)
      assert.ok(spare !== undefined)
      const right = (ms: number) => makeTry(spare, 'one', momentAt(ms), { wrongCodesHourMax: 7, otpHash: bytesOf('right one') })
      const refused = await store.tryCode(right(1))
      assert.ok(refused.outcome === 'wrongCodesUsedUp' && refused.retryAfterMs > 3_300_000 && refused.retryAfterMs <= 3_900_000)
      assert.deepEqual(await store.tryCode(right(refused.retryAfterMs - 1)), { outcome: 'wrongCodesUsedUp', retryAfterMs: 2 })
      assert.deepEqual(await store.tryCode(right(refused.retryAfterMs + 1)), { outcome: 'verified' })
    }),
  )

  test(
    'a code that the network has to judge counts as wrong until it says that it is right',
    withStore(async ({ store }) => {
      const [card, other] = [makeCard(1), makeCard(2)]
      for (const each of [card, other]) {
        await store.insertCard(each, makeNote(each))
        await store.beginVerification(
          makeAttempt(each, 'one', momentAt(0), { sentBy: 'network' }),
          { resendWaitMs: 1, pan: null },
          makeNote(each),
        )
      }
      const tryOf = (each: typeof card) => store.tryCode(makeTry(each, 'one', momentAt(1), { wrongCodesHourMax: 1 }))
      assert.equal((await tryOf(card)).outcome, 'askNetwork')
      assert.equal((await tryOf(other)).outcome, 'wrongCodesUsedUp')
      const verifiedCard = nextOf(card, { verified: true })
      const { bucket, merchantId, cardId } = card
      const finish = {
        bucket,
        merchantId,
        cardId,
        attemptId: 'one',
        uncountAt: momentAt(2).wallMs,
        verifiedCard,
        audit: makeNote(verifiedCard),
      }
      assert.equal(await store.finishVerification(finish), true)
      assert.equal((await tryOf(other)).outcome, 'askNetwork')
    }),
  )

  test(
    'what limits and codes left behind goes, page after page until a stop, and what still counts stays',
    withStore(async ({ store, raw }) => {
      const card = makeCard(1)
      await store.insertCard(card, makeNote(card))
      await store.beginVerification(makeAttempt(card, 'one', momentAt(0)), { resendWaitMs: 1, pan: null }, makeNote(card))
      const dayCap = { keyId: 'day', subject: bytesOf('pan'), triesMax: 9, endsAt: T0 + 100 }
      await store.tryCode(makeTry(card, 'one', momentAt(1), { dayCap }))
      await Promise.all(Array.from({ length: 1201 }, (_, n) => store.claimPhoneSend(makeClaim(T0, [], n))))
      await store.claimPhoneSend(makeClaim(T0 + 200, [], 'young'))
      assert.equal(await store.dropLimits(T0), 0)
      const stopping = new AbortController()
      const begun = store.dropLimits(T0 + 200, stopping.signal)
      stopping.abort()
      const dropped = await begun
      assert.ok(dropped > 0 && dropped < 1203, `${dropped} went before the stop`)
      assert.equal(await store.dropLimits(T0 + 200, stopping.signal), 0)
      assert.equal(await store.dropLimits(T0 + 200), 1203 - dropped)
      assert.equal((await raw('select scope from send_limits')).length, 1)
      assert.equal(await store.findVerification(card), null)
      assert.deepEqual(await store.findCard(card), card)
    }),
  )
}

/** The rule in its plainest words: a window of `ms` holds at most `count` sends. */
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
