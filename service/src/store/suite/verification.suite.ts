import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClockReading } from '../../clock.ts'
import { findNewestAudited, listAuditHeads } from '../audit.ts'
import { type CardRow, findCard, insertCard, updateCard } from '../cards.ts'
import type { Store } from '../store.ts'
import {
  beginVerification,
  type BeginVerificationResult,
  checkCode,
  completeVerification,
  findVerification,
  recordSendResult,
  type SendLimits,
  type CodeAttempt,
} from '../verifications.ts'
import {
  bytesOf,
  sampleVerification,
  makeCard,
  makeClaim,
  makeAuditEntry,
  makeAuditEntryWithoutVersion,
  makeCodeAttempt,
  clockAt,
  nextVersion,
  shreddedVersion,
} from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function verificationSuite(withStore: WithStore): void {
  test(
    'a verification is read as it was stored, and then with its send result',
    withStore(async ({ store }) => {
      const card = await insertSampleCard(store)
      const attempt = sampleVerification(card, 'one', clockAt(0), { sentBy: null, phoneMask: null, outcome: 'asked' })
      assert.deepEqual(await store.write(beginVerification, { attempt, limits: unlimited, audit: makeAuditEntry(card) }), { ok: true })
      assert.deepEqual(await store.read(findVerification(card)), attempt)

      const reply = { sentBy: 'network', phoneMask: '99890*****66', networkRef: 'n-1', outcome: 'sent' } as const
      const { bucket, merchantId, cardId } = card
      const mac = bytesOf('sent', 48)
      const result = { bucket, merchantId, cardId, attemptId: 'one', ...reply, mac, previousMac: attempt.mac }
      assert.equal(await store.write(recordSendResult, { result, audit: makeAuditEntryWithoutVersion(card, 'sent') }), true)
      assert.deepEqual(await store.read(findVerification(card)), { ...attempt, ...reply, mac })
      assert.equal(await store.write(recordSendResult, { result, audit: makeAuditEntryWithoutVersion(card, 'sent') }), false, 'another MAC')
      assert.equal(
        await store.write(recordSendResult, {
          result: { ...result, attemptId: 'other' },
          audit: makeAuditEntryWithoutVersion(card, 'sent'),
        }),
        false,
      )
    }),
  )

  test(
    'another code has to wait, and makes the code before it invalid',
    withStore(async ({ store }) => {
      const card = await insertSampleCard(store)
      await begin(store, card, 'one', clockAt(0))
      assert.deepEqual(await begin(store, card, 'two', clockAt(59_999)), { ok: false, reason: 'tooSoon', retryAfterMs: 1 })
      assert.equal((await store.read(findVerification(card)))?.attemptId, 'one')
      assert.deepEqual(await begin(store, card, 'two', clockAt(60_000)), { ok: true })
      assert.deepEqual(await store.write(checkCode, { attempt: right(card, 'one', clockAt(60_001)) }), { outcome: 'conflict' })
      assert.deepEqual(await store.write(checkCode, { attempt: right(card, 'two', clockAt(60_001)) }), { outcome: 'verified' })
    }),
  )

  test(
    'of many concurrent code requests exactly one begins',
    withStore(async ({ store }) => {
      const card = await insertSampleCard(store)
      for (const [round, at] of [clockAt(0), clockAt(60_000)].entries()) {
        const begun = await Promise.all(Array.from({ length: 50 }, (_, n) => begin(store, card, `${round}-${n}`, at)))
        assert.equal(begun.filter((each) => each.ok).length, 1)
        assert.ok(begun.every((each) => each.ok || (each.reason === 'tooSoon' && each.retryAfterMs === 60_000)))
      }
    }),
  )

  test(
    'within a boot no jump of the wall clock shortens the wait for another code',
    withStore(async ({ store }) => {
      const card = await insertSampleCard(store)
      await begin(store, card, 'one', clockAt(0))
      const day = 86_400_000
      assert.equal((await begin(store, card, 'two', clockAt(1000, { wallMs: clockAt(day).wallMs }))).ok, false)
      const jumpedBack = clockAt(60_000, { wallMs: clockAt(-day).wallMs })
      assert.equal((await begin(store, card, 'two', jumpedBack)).ok, true)
      const rebooted = clockAt(-day + 60_000, { bootId: 'boot-2', monotonicMs: 3 })
      assert.equal((await begin(store, card, 'three', rebooted)).ok, true)
      assert.deepEqual(await begin(store, card, 'four', clockAt(-day, { bootId: 'boot-3', monotonicMs: day })), {
        ok: false,
        reason: 'tooSoon',
        retryAfterMs: 60_000,
      })
      // The machine that asked for it had a clock that was ahead.
      assert.equal((await begin(store, card, 'five', clockAt(-3 * day, { bootId: 'boot-4', monotonicMs: day }))).ok, true)
    }),
  )

  test(
    'a code request that the limit of the PAN refuses leaves the code before it valid and writes no audit entry',
    withStore(async ({ store }) => {
      const card = await insertSampleCard(store)
      const limits = (at: ClockReading): SendLimits => ({
        resendWaitMs: 1000,
        pan: makeClaim(at.wallMs, [{ count: 2, ms: 600_000 }], 'pan'),
      })
      for (const [n, at] of [clockAt(0), clockAt(1000)].entries()) {
        assert.equal(
          (
            await store.write(beginVerification, {
              attempt: sampleVerification(card, `${n}`, at),
              limits: limits(at),
              audit: makeAuditEntry(card),
            })
          ).ok,
          true,
        )
      }
      const entries = await countEntries(store)
      const at = clockAt(2000)
      const refused = await store.write(beginVerification, {
        attempt: sampleVerification(card, '2', at),
        limits: limits(at),
        audit: makeAuditEntry(card),
      })
      assert.deepEqual(refused, { ok: false, reason: 'panLimit', retryAfterMs: 598_000 })
      assert.equal((await store.read(findVerification(card)))?.attemptId, '1')
      assert.equal(await countEntries(store), entries)
      assert.deepEqual(await store.write(checkCode, { attempt: right(card, '1', clockAt(2001)) }), { outcome: 'verified' })
    }),
  )

  test(
    'of 200 concurrent wrong codes at most five are evaluated, in twenty rounds',
    withStore(async ({ store }) => {
      for (let round = 0; round < 20; round++) {
        const card = await insertSampleCard(store, round)
        await begin(store, card, 'one', clockAt(0))
        const before = await countEntries(store)
        const attempts = await Promise.all(
          Array.from({ length: 200 }, () => store.write(checkCode, { attempt: makeCodeAttempt(card, 'one', clockAt(10)) })),
        )
        assert.equal(attempts.filter(({ outcome }) => outcome === 'incorrect').length, 5)
        assert.equal(attempts.filter((each) => each.outcome === 'incorrect' && each.isLast).length, 1)
        assert.equal(attempts.filter(({ outcome }) => outcome === 'attemptsUsedUp').length, 195)
        assert.equal(await countEntries(store), before + 5)
        assert.deepEqual(await store.write(checkCode, { attempt: right(card, 'one', clockAt(11)) }), { outcome: 'attemptsUsedUp' })
      }
    }),
  )

  test(
    'of many concurrent right codes one verifies the card, and the audited version is the card’s',
    withStore(async ({ store }) => {
      const card = await insertSampleCard(store)
      await begin(store, card, 'one', clockAt(0))
      const attempts = await Promise.all(
        Array.from({ length: 20 }, () => store.write(checkCode, { attempt: right(card, 'one', clockAt(10)) })),
      )
      assert.equal(attempts.filter(({ outcome }) => outcome === 'verified').length, 1)
      assert.equal(attempts.filter(({ outcome }) => outcome === 'conflict').length, 19)
      const held = await store.read(findCard(card))
      assert.equal(held?.verified, true)
      assert.deepEqual(await store.read(findNewestAudited(card.cardId)), { version: 2, mac: held.mac })
      assert.equal((await store.read(findVerification(card)))?.open, false)
    }),
  )

  test(
    'a code expires by either clock, and for good when a clock jumps',
    withStore(async ({ store }) => {
      const cases: readonly (readonly [string, ClockReading, boolean])[] = [
        ['in time', clockAt(179_999), true],
        ['at its end', clockAt(180_000), false],
        ['wall clock jumped back two hours', clockAt(100_000, { wallMs: clockAt(-7_100_000).wallMs }), false],
        ['wall clock jumped forward a day', clockAt(10, { wallMs: clockAt(86_400_000).wallMs }), false],
        ['wall clock stopped', clockAt(100_000, { wallMs: clockAt(0).wallMs }), false],
        ['a little drift', clockAt(100_000, { wallMs: clockAt(98_000).wallMs }), true],
        ['drift beyond the tolerance', clockAt(100_000, { wallMs: clockAt(97_999).wallMs }), false],
        ['another boot, in time', clockAt(100_000, { bootId: 'boot-2', monotonicMs: 7 }), true],
        ['another boot, too late', clockAt(180_000, { bootId: 'boot-2', monotonicMs: 7 }), false],
        ['another boot, before the request', clockAt(-2001, { bootId: 'boot-2', monotonicMs: 7 }), false],
      ]
      for (const [number, [name, at, alive]] of cases.entries()) {
        const card = await insertSampleCard(store, number)
        await begin(store, card, 'one', clockAt(0))
        assert.deepEqual(
          await store.write(checkCode, { attempt: right(card, 'one', at) }),
          { outcome: alive ? 'verified' : 'expired' },
          name,
        )
        if (!alive)
          assert.deepEqual(
            await store.write(checkCode, { attempt: right(card, 'one', clockAt(20)) }),
            { outcome: 'expired' },
            `${name}, then back`,
          )
      }
    }),
  )

  test(
    'a code that was never requested, or of another attempt or merchant, is not evaluated',
    withStore(async ({ store }) => {
      const card = await insertSampleCard(store)
      assert.deepEqual(await store.write(checkCode, { attempt: right(card, 'one', clockAt(0)) }), { outcome: 'notRequested' })
      await begin(store, card, 'one', clockAt(0))
      assert.deepEqual(await store.write(checkCode, { attempt: right(card, 'two', clockAt(1)) }), { outcome: 'conflict' })
      const foreign = { ...right(card, 'one', clockAt(1)), merchantId: 'b'.repeat(24) }
      assert.deepEqual(await store.write(checkCode, { attempt: foreign }), { outcome: 'notRequested' })
      assert.equal((await store.read(findVerification(card)))?.attempts, 0)
    }),
  )

  test(
    'a right code for a card that has changed since verifies nothing and does not use up an attempt',
    withStore(async ({ store }) => {
      const card = await insertSampleCard(store)
      await begin(store, card, 'one', clockAt(0))
      const next = nextVersion(card)
      await store.write(updateCard, { card: next, audit: makeAuditEntry(next) })
      assert.deepEqual(await store.write(checkCode, { attempt: right(card, 'one', clockAt(1)) }), { outcome: 'conflict' })
      assert.deepEqual(await store.read(findCard(card)), next)
      assert.deepEqual(await store.write(checkCode, { attempt: right(next, 'one', clockAt(2)) }), { outcome: 'verified' })
    }),
  )

  test(
    'concurrent verification and removal leave the card removed or verified, never both',
    withStore(async ({ store }) => {
      for (let round = 0; round < 20; round++) {
        const card = await insertSampleCard(store, round)
        await begin(store, card, 'one', clockAt(0))
        const gone = shreddedVersion(card)
        const [attempts, removed] = await Promise.all([
          store.write(checkCode, { attempt: right(card, 'one', clockAt(1)) }),
          store.write(updateCard, { card: gone, audit: makeAuditEntry(gone) }),
        ])
        assert.notEqual(attempts.outcome === 'verified', removed)
        const held = await store.read(findCard(card))
        assert.deepEqual([held?.state, held?.verified], removed ? ['removed', false] : ['live', true])
      }
    }),
  )

  test(
    'the attempts of a day are counted over all codes, and further ones are not evaluated',
    withStore(async ({ store }) => {
      const at = clockAt(5)
      const dayCap = { keyId: 'day', subject: bytesOf('pan'), maxAttempts: 7, endsAt: at.wallMs + 1000 }
      const cards = await Promise.all([1, 2, 3].map((number) => insertSampleCard(store, number)))
      for (const card of cards) await begin(store, card, 'one', clockAt(0))
      const attempts = await Promise.all(
        cards.flatMap((card) =>
          Array.from({ length: 5 }, () => store.write(checkCode, { attempt: makeCodeAttempt(card, 'one', at, { dayCap }) })),
        ),
      )
      assert.equal(attempts.filter(({ outcome }) => outcome === 'incorrect').length, 7)
      assert.ok(
        attempts.every((each) => each.outcome === 'incorrect' || each.outcome === 'attemptsUsedUp' || each.outcome === 'dayAttemptsUsedUp'),
      )
      const counted = await Promise.all(cards.map((card) => store.read(findVerification(card))))
      assert.equal(
        counted.reduce((sum, row) => sum + (row?.attempts ?? 0), 0),
        7,
      )
      const spare = await insertSampleCard(store, 4)
      await begin(store, spare, 'one', clockAt(0))
      const beyond = await store.write(checkCode, { attempt: { ...right(spare, 'one', at), dayCap } })
      assert.deepEqual(beyond, { outcome: 'dayAttemptsUsedUp', retryAfterMs: 1000 })
      assert.deepEqual(
        await store.write(checkCode, { attempt: { ...right(spare, 'one', at), dayCap: { ...dayCap, keyId: 'next day' } } }),
        {
          outcome: 'verified',
        },
      )
    }),
  )

  test(
    'when the network sent the code, an attempt is counted and left to the network, whose reply verifies the card once',
    withStore(async ({ store }) => {
      const card = await insertSampleCard(store)
      const attempt = sampleVerification(card, 'one', clockAt(0), { sentBy: 'network' })
      await store.write(beginVerification, { attempt, limits: unlimited, audit: makeAuditEntry(card) })
      const ofNetwork = (attempt: CodeAttempt): CodeAttempt => ({
        ...attempt,
        maxAttempts: 2,
        stored: { ...attempt.stored, sentBy: 'network' },
      })
      const check = (attempt: CodeAttempt) => store.write(checkCode, { attempt: ofNetwork(attempt) })
      assert.deepEqual(await check(right(card, 'one', clockAt(1))), { outcome: 'networkDecides', isLast: false, stopped: [] })
      assert.deepEqual(await check(makeCodeAttempt(card, 'one', clockAt(2))), { outcome: 'networkDecides', isLast: true, stopped: [] })
      assert.deepEqual(await check(makeCodeAttempt(card, 'one', clockAt(3))), { outcome: 'attemptsUsedUp' })

      const { bucket, merchantId, cardId } = card
      const verifiedCard = nextVersion(card, { verified: true })
      const finish = {
        bucket,
        merchantId,
        cardId,
        attemptId: 'one',
        decrementWrongCodesAt: null,
        stop: null,
        verifiedCard,
        audit: makeAuditEntry(verifiedCard),
      }
      assert.equal(await store.write(completeVerification, { ...finish, attemptId: 'other' }), false)
      const finished = await Promise.all(Array.from({ length: 10 }, () => store.write(completeVerification, { ...finish })))
      assert.equal(finished.filter(Boolean).length, 1)
      assert.deepEqual(await store.read(findCard(card)), verifiedCard)
    }),
  )
}

const unlimited: SendLimits = { resendWaitMs: 60_000, pan: null }

async function insertSampleCard(store: Store, number = 1): Promise<CardRow> {
  const card = makeCard(number)
  await store.write(insertCard, { card, audit: makeAuditEntry(card, 'card.created') })
  return card
}

function begin(store: Store, card: CardRow, name: string, at: ClockReading): Promise<BeginVerificationResult> {
  return store.write(beginVerification, {
    attempt: sampleVerification(card, name, at),
    limits: unlimited,
    audit: makeAuditEntryWithoutVersion(card, 'code.requested'),
  })
}

function right(card: CardRow, name: string, at: ClockReading): ReturnType<typeof makeCodeAttempt> {
  return makeCodeAttempt(card, name, at, { otpHash: bytesOf(`right ${name}`) })
}

async function countEntries(store: Store): Promise<number> {
  return (await listAuditHeads(store)).reduce((sum, { seq }) => sum + seq, 0)
}
