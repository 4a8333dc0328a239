import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BeginVerification, CardRow, Moment, SendLimits, Store } from '../store.ts'
import {
  bytesOf,
  makeAttempt,
  makeCard,
  makeClaim,
  makeNote,
  makeQuietNote,
  makeTry,
  momentAt,
  nextOf,
  shreddedOf,
} from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function verificationSuite(withStore: WithStore): void {
  test(
    'an attempt comes back as it was begun, and then as it was settled',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      const attempt = makeAttempt(card, 'one', momentAt(0), { sentBy: null, phoneMask: null, outcome: 'asked' })
      assert.deepEqual(await store.beginVerification(attempt, unlimited, makeNote(card)), { begun: true })
      assert.deepEqual(await store.findVerification(card), attempt)

      const said = { sentBy: 'network', phoneMask: '99890*****66', networkRef: 'n-1', outcome: 'sent' } as const
      const { bucket, merchantId, cardId } = card
      const settled = { bucket, merchantId, cardId, attemptId: 'one', ...said }
      assert.equal(await store.settleVerification(settled, makeQuietNote(card, 'sent')), true)
      assert.deepEqual(await store.findVerification(card), { ...attempt, ...said })
      assert.equal(await store.settleVerification({ ...settled, attemptId: 'other' }, makeQuietNote(card, 'sent')), false)
    }),
  )

  test(
    'another code waits, and its begin kills the code before',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      await begin(store, card, 'one', momentAt(0))
      assert.deepEqual(await begin(store, card, 'two', momentAt(59_999)), { begun: false, because: 'tooSoon', retryAfterMs: 1 })
      assert.equal((await store.findVerification(card))?.attemptId, 'one')
      assert.deepEqual(await begin(store, card, 'two', momentAt(60_000)), { begun: true })
      assert.deepEqual(await store.tryCode(right(card, 'one', momentAt(60_001))), { outcome: 'moved' })
      assert.deepEqual(await store.tryCode(right(card, 'two', momentAt(60_001))), { outcome: 'verified' })
    }),
  )

  test(
    'of many begins at once exactly one is begun',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      for (const [round, at] of [momentAt(0), momentAt(60_000)].entries()) {
        const begun = await Promise.all(Array.from({ length: 50 }, (_, n) => begin(store, card, `${round}-${n}`, at)))
        assert.equal(begun.filter((each) => each.begun).length, 1)
        assert.ok(begun.every((each) => each.begun || (each.because === 'tooSoon' && each.retryAfterMs === 60_000)))
      }
    }),
  )

  test(
    'within a boot no jump of the wall clock shortens the wait for another code',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      await begin(store, card, 'one', momentAt(0))
      const day = 86_400_000
      assert.equal((await begin(store, card, 'two', momentAt(1000, { wallMs: momentAt(day).wallMs }))).begun, false)
      const jumpedBack = momentAt(60_000, { wallMs: momentAt(-day).wallMs })
      assert.equal((await begin(store, card, 'two', jumpedBack)).begun, true)
      const rebooted = momentAt(-day + 60_000, { bootId: 'boot-2', monotonicMs: 3 })
      assert.equal((await begin(store, card, 'three', rebooted)).begun, true)
      assert.deepEqual(await begin(store, card, 'four', momentAt(-day, { bootId: 'boot-3', monotonicMs: day })), {
        begun: false,
        because: 'tooSoon',
        retryAfterMs: 60_000,
      })
    }),
  )

  test(
    'a begin that the limit of the PAN refuses leaves the code before alive and no audit entry',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      const limits = (at: Moment): SendLimits => ({ resendWaitMs: 1000, pan: makeClaim(at.wallMs, [{ count: 2, ms: 600_000 }], 'pan') })
      for (const [n, at] of [momentAt(0), momentAt(1000)].entries()) {
        assert.equal((await store.beginVerification(makeAttempt(card, `${n}`, at), limits(at), makeNote(card))).begun, true)
      }
      const entries = await countEntries(store)
      const at = momentAt(2000)
      const refused = await store.beginVerification(makeAttempt(card, '2', at), limits(at), makeNote(card))
      assert.deepEqual(refused, { begun: false, because: 'panLimit', retryAfterMs: 598_000 })
      assert.equal((await store.findVerification(card))?.attemptId, '1')
      assert.equal(await countEntries(store), entries)
      assert.deepEqual(await store.tryCode(right(card, '1', momentAt(2001))), { outcome: 'verified' })
    }),
  )

  test(
    'of 200 wrong codes at once at most five are evaluated, twenty times over',
    withStore(async ({ store }) => {
      for (let round = 0; round < 20; round++) {
        const card = await keepCard(store, round)
        await begin(store, card, 'one', momentAt(0))
        const before = await countEntries(store)
        const tried = await Promise.all(Array.from({ length: 200 }, () => store.tryCode(makeTry(card, 'one', momentAt(10)))))
        assert.equal(tried.filter(({ outcome }) => outcome === 'wrong').length, 5)
        assert.equal(tried.filter(({ outcome }) => outcome === 'triesUsedUp').length, 195)
        assert.equal(await countEntries(store), before + 5)
        assert.deepEqual(await store.tryCode(right(card, 'one', momentAt(11))), { outcome: 'triesUsedUp' })
      }
    }),
  )

  test(
    'of many right codes at once one verifies the card, and what is audited is the card',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      await begin(store, card, 'one', momentAt(0))
      const tried = await Promise.all(Array.from({ length: 20 }, () => store.tryCode(right(card, 'one', momentAt(10)))))
      assert.equal(tried.filter(({ outcome }) => outcome === 'verified').length, 1)
      assert.equal(tried.filter(({ outcome }) => outcome === 'moved').length, 19)
      const held = await store.findCard(card)
      assert.equal(held?.verified, true)
      assert.deepEqual(await store.newestAuditOf(card.cardId), { version: 2, mac: held.mac })
      assert.equal((await store.findVerification(card))?.open, false)
    }),
  )

  test(
    'a code ends with its life on either clock, and a clock that jumps ends it for good',
    withStore(async ({ store }) => {
      const cases: readonly (readonly [string, Moment, boolean])[] = [
        ['in time', momentAt(179_999), true],
        ['at its end', momentAt(180_000), false],
        ['wall clock jumped back two hours', momentAt(100_000, { wallMs: momentAt(-7_100_000).wallMs }), false],
        ['wall clock jumped forward a day', momentAt(10, { wallMs: momentAt(86_400_000).wallMs }), false],
        ['wall clock stands still', momentAt(100_000, { wallMs: momentAt(0).wallMs }), false],
        ['a little drift', momentAt(100_000, { wallMs: momentAt(98_000).wallMs }), true],
        ['drift beyond what is borne', momentAt(100_000, { wallMs: momentAt(97_999).wallMs }), false],
        ['another boot, in time', momentAt(100_000, { bootId: 'boot-2', monotonicMs: 7 }), true],
        ['another boot, too late', momentAt(180_000, { bootId: 'boot-2', monotonicMs: 7 }), false],
        ['another boot, before it was asked for', momentAt(-2001, { bootId: 'boot-2', monotonicMs: 7 }), false],
      ]
      for (const [number, [name, at, alive]] of cases.entries()) {
        const card = await keepCard(store, number)
        await begin(store, card, 'one', momentAt(0))
        assert.deepEqual(await store.tryCode(right(card, 'one', at)), { outcome: alive ? 'verified' : 'tooOld' }, name)
        if (!alive) assert.deepEqual(await store.tryCode(right(card, 'one', momentAt(20))), { outcome: 'tooOld' }, `${name}, then back`)
      }
    }),
  )

  test(
    'a code that was never asked for, of another attempt or another merchant is not evaluated',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      assert.deepEqual(await store.tryCode(right(card, 'one', momentAt(0))), { outcome: 'notRequested' })
      await begin(store, card, 'one', momentAt(0))
      assert.deepEqual(await store.tryCode(right(card, 'two', momentAt(1))), { outcome: 'moved' })
      const foreign = { ...right(card, 'one', momentAt(1)), merchantId: 'b'.repeat(24) }
      assert.deepEqual(await store.tryCode(foreign), { outcome: 'notRequested' })
      assert.equal((await store.findVerification(card))?.tries, 0)
    }),
  )

  test(
    'a right code for a card that has changed since verifies nothing and does not use up the code',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      await begin(store, card, 'one', momentAt(0))
      const next = nextOf(card)
      await store.changeCard(next, makeNote(next))
      assert.deepEqual(await store.tryCode(right(card, 'one', momentAt(1))), { outcome: 'moved' })
      assert.deepEqual(await store.findCard(card), next)
      assert.deepEqual(await store.tryCode(right(next, 'one', momentAt(2))), { outcome: 'verified' })
    }),
  )

  test(
    'verifying and removing at once leave the card removed or verified, never both',
    withStore(async ({ store }) => {
      for (let round = 0; round < 20; round++) {
        const card = await keepCard(store, round)
        await begin(store, card, 'one', momentAt(0))
        const gone = shreddedOf(card)
        const [tried, removed] = await Promise.all([store.tryCode(right(card, 'one', momentAt(1))), store.changeCard(gone, makeNote(gone))])
        assert.notEqual(tried.outcome === 'verified', removed)
        const held = await store.findCard(card)
        assert.deepEqual([held?.state, held?.verified], removed ? ['removed', false] : ['live', true])
      }
    }),
  )

  test(
    'the tries of a day are counted over all codes, and what is beyond them is not evaluated',
    withStore(async ({ store }) => {
      const at = momentAt(5)
      const dayCap = { keyId: 'day', subject: bytesOf('pan'), triesMax: 7, endsAt: at.wallMs + 1000 }
      const cards = await Promise.all([1, 2, 3].map((number) => keepCard(store, number)))
      for (const card of cards) await begin(store, card, 'one', momentAt(0))
      const tried = await Promise.all(
        cards.flatMap((card) => Array.from({ length: 5 }, () => store.tryCode(makeTry(card, 'one', at, { dayCap })))),
      )
      assert.equal(tried.filter(({ outcome }) => outcome === 'wrong').length, 7)
      assert.ok(tried.every((each) => each.outcome === 'wrong' || each.outcome === 'triesUsedUp' || each.outcome === 'dayTriesUsedUp'))
      const counted = await Promise.all(cards.map((card) => store.findVerification(card)))
      assert.equal(
        counted.reduce((sum, row) => sum + (row?.tries ?? 0), 0),
        7,
      )
      const spare = await keepCard(store, 4)
      await begin(store, spare, 'one', momentAt(0))
      const beyond = await store.tryCode({ ...right(spare, 'one', at), dayCap })
      assert.deepEqual(beyond, { outcome: 'dayTriesUsedUp', retryAfterMs: 1000 })
      assert.deepEqual(await store.tryCode({ ...right(spare, 'one', at), dayCap: { ...dayCap, keyId: 'next day' } }), {
        outcome: 'verified',
      })
    }),
  )

  test(
    'where the network sent the code a try is counted and left to it, and its word verifies the card once',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      const attempt = makeAttempt(card, 'one', momentAt(0), { sentBy: 'network', triesMax: 2 })
      await store.beginVerification(attempt, unlimited, makeNote(card))
      assert.deepEqual(await store.tryCode(right(card, 'one', momentAt(1))), { outcome: 'askNetwork' })
      assert.deepEqual(await store.tryCode(makeTry(card, 'one', momentAt(2))), { outcome: 'askNetwork' })
      assert.deepEqual(await store.tryCode(makeTry(card, 'one', momentAt(3))), { outcome: 'triesUsedUp' })

      const { bucket, merchantId, cardId } = card
      const verifiedCard = nextOf(card, { verified: true })
      const finish = { bucket, merchantId, cardId, attemptId: 'one', uncountAt: null, verifiedCard, audit: makeNote(verifiedCard) }
      assert.equal(await store.finishVerification({ ...finish, attemptId: 'other' }), false)
      const finished = await Promise.all(Array.from({ length: 10 }, () => store.finishVerification(finish)))
      assert.equal(finished.filter(Boolean).length, 1)
      assert.deepEqual(await store.findCard(card), verifiedCard)
    }),
  )
}

const unlimited: SendLimits = { resendWaitMs: 60_000, pan: null }

async function keepCard(store: Store, number = 1): Promise<CardRow> {
  const card = makeCard(number)
  await store.insertCard(card, makeNote(card, 'card.created'))
  return card
}

function begin(store: Store, card: CardRow, name: string, at: Moment): Promise<BeginVerification> {
  return store.beginVerification(makeAttempt(card, name, at), unlimited, makeQuietNote(card, 'card.code_asked'))
}

function right(card: CardRow, name: string, at: Moment): ReturnType<typeof makeTry> {
  return makeTry(card, name, at, { otpHash: bytesOf(`right ${name}`) })
}

async function countEntries(store: Store): Promise<number> {
  return (await store.listAuditChains()).reduce((sum, { seq }) => sum + seq, 0)
}
