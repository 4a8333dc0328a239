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
} from '../verifications.ts'
import {
  bytesOf,
  makeVerification,
  makeCard,
  makeClaim,
  makeAuditEntry,
  makeAuditEntryWithoutVersion,
  makeCodeAttempt,
  clockAt,
  nextOf,
  shreddedOf,
} from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function verificationSuite(withStore: WithStore): void {
  test(
    'a verification is read as it was begun, and then with its send result',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      const attempt = makeVerification(card, 'one', clockAt(0), { sentBy: null, phoneMask: null, outcome: 'asked' })
      assert.deepEqual(await store.write(beginVerification, { attempt, limits: unlimited, audit: makeAuditEntry(card) }), { begun: true })
      assert.deepEqual(await store.read(findVerification(card)), attempt)

      const said = { sentBy: 'network', phoneMask: '99890*****66', networkRef: 'n-1', outcome: 'sent' } as const
      const { bucket, merchantId, cardId } = card
      const settled = { bucket, merchantId, cardId, attemptId: 'one', ...said }
      assert.equal(await store.write(recordSendResult, { result: settled, audit: makeAuditEntryWithoutVersion(card, 'sent') }), true)
      assert.deepEqual(await store.read(findVerification(card)), { ...attempt, ...said })
      assert.equal(
        await store.write(recordSendResult, {
          result: { ...settled, attemptId: 'other' },
          audit: makeAuditEntryWithoutVersion(card, 'sent'),
        }),
        false,
      )
    }),
  )

  test(
    'another code has to wait, and makes the code before it invalid',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      await begin(store, card, 'one', clockAt(0))
      assert.deepEqual(await begin(store, card, 'two', clockAt(59_999)), { begun: false, reason: 'tooSoon', retryAfterMs: 1 })
      assert.equal((await store.read(findVerification(card)))?.attemptId, 'one')
      assert.deepEqual(await begin(store, card, 'two', clockAt(60_000)), { begun: true })
      assert.deepEqual(await store.write(checkCode, { attempt: right(card, 'one', clockAt(60_001)) }), { outcome: 'moved' })
      assert.deepEqual(await store.write(checkCode, { attempt: right(card, 'two', clockAt(60_001)) }), { outcome: 'verified' })
    }),
  )

  test(
    'of many concurrent code requests exactly one begins',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      for (const [round, at] of [clockAt(0), clockAt(60_000)].entries()) {
        const begun = await Promise.all(Array.from({ length: 50 }, (_, n) => begin(store, card, `${round}-${n}`, at)))
        assert.equal(begun.filter((each) => each.begun).length, 1)
        assert.ok(begun.every((each) => each.begun || (each.reason === 'tooSoon' && each.retryAfterMs === 60_000)))
      }
    }),
  )

  test(
    'within a boot no jump of the wall clock shortens the wait for another code',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      await begin(store, card, 'one', clockAt(0))
      const day = 86_400_000
      assert.equal((await begin(store, card, 'two', clockAt(1000, { wallMs: clockAt(day).wallMs }))).begun, false)
      const jumpedBack = clockAt(60_000, { wallMs: clockAt(-day).wallMs })
      assert.equal((await begin(store, card, 'two', jumpedBack)).begun, true)
      const rebooted = clockAt(-day + 60_000, { bootId: 'boot-2', monotonicMs: 3 })
      assert.equal((await begin(store, card, 'three', rebooted)).begun, true)
      assert.deepEqual(await begin(store, card, 'four', clockAt(-day, { bootId: 'boot-3', monotonicMs: day })), {
        begun: false,
        reason: 'tooSoon',
        retryAfterMs: 60_000,
      })
    }),
  )

  test(
    'a code request that the limit of the PAN refuses leaves the code before it valid and writes no audit entry',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      const limits = (at: ClockReading): SendLimits => ({
        resendWaitMs: 1000,
        pan: makeClaim(at.wallMs, [{ count: 2, ms: 600_000 }], 'pan'),
      })
      for (const [n, at] of [clockAt(0), clockAt(1000)].entries()) {
        assert.equal(
          (
            await store.write(beginVerification, {
              attempt: makeVerification(card, `${n}`, at),
              limits: limits(at),
              audit: makeAuditEntry(card),
            })
          ).begun,
          true,
        )
      }
      const entries = await countEntries(store)
      const at = clockAt(2000)
      const refused = await store.write(beginVerification, {
        attempt: makeVerification(card, '2', at),
        limits: limits(at),
        audit: makeAuditEntry(card),
      })
      assert.deepEqual(refused, { begun: false, reason: 'panLimit', retryAfterMs: 598_000 })
      assert.equal((await store.read(findVerification(card)))?.attemptId, '1')
      assert.equal(await countEntries(store), entries)
      assert.deepEqual(await store.write(checkCode, { attempt: right(card, '1', clockAt(2001)) }), { outcome: 'verified' })
    }),
  )

  test(
    'of 200 concurrent wrong codes at most five are evaluated, in twenty rounds',
    withStore(async ({ store }) => {
      for (let round = 0; round < 20; round++) {
        const card = await keepCard(store, round)
        await begin(store, card, 'one', clockAt(0))
        const before = await countEntries(store)
        const tried = await Promise.all(
          Array.from({ length: 200 }, () => store.write(checkCode, { attempt: makeCodeAttempt(card, 'one', clockAt(10)) })),
        )
        assert.equal(tried.filter(({ outcome }) => outcome === 'wrong').length, 5)
        assert.equal(tried.filter(({ outcome }) => outcome === 'triesUsedUp').length, 195)
        assert.equal(await countEntries(store), before + 5)
        assert.deepEqual(await store.write(checkCode, { attempt: right(card, 'one', clockAt(11)) }), { outcome: 'triesUsedUp' })
      }
    }),
  )

  test(
    'of many concurrent right codes one verifies the card, and the audited version is the card’s',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      await begin(store, card, 'one', clockAt(0))
      const tried = await Promise.all(
        Array.from({ length: 20 }, () => store.write(checkCode, { attempt: right(card, 'one', clockAt(10)) })),
      )
      assert.equal(tried.filter(({ outcome }) => outcome === 'verified').length, 1)
      assert.equal(tried.filter(({ outcome }) => outcome === 'moved').length, 19)
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
        ['wall clock stands still', clockAt(100_000, { wallMs: clockAt(0).wallMs }), false],
        ['a little drift', clockAt(100_000, { wallMs: clockAt(98_000).wallMs }), true],
        ['drift beyond what is borne', clockAt(100_000, { wallMs: clockAt(97_999).wallMs }), false],
        ['another boot, in time', clockAt(100_000, { bootId: 'boot-2', monotonicMs: 7 }), true],
        ['another boot, too late', clockAt(180_000, { bootId: 'boot-2', monotonicMs: 7 }), false],
        ['another boot, before it was asked for', clockAt(-2001, { bootId: 'boot-2', monotonicMs: 7 }), false],
      ]
      for (const [number, [name, at, alive]] of cases.entries()) {
        const card = await keepCard(store, number)
        await begin(store, card, 'one', clockAt(0))
        assert.deepEqual(
          await store.write(checkCode, { attempt: right(card, 'one', at) }),
          { outcome: alive ? 'verified' : 'tooOld' },
          name,
        )
        if (!alive)
          assert.deepEqual(
            await store.write(checkCode, { attempt: right(card, 'one', clockAt(20)) }),
            { outcome: 'tooOld' },
            `${name}, then back`,
          )
      }
    }),
  )

  test(
    'a code that was never requested, or of another attempt or merchant, is not evaluated',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      assert.deepEqual(await store.write(checkCode, { attempt: right(card, 'one', clockAt(0)) }), { outcome: 'notRequested' })
      await begin(store, card, 'one', clockAt(0))
      assert.deepEqual(await store.write(checkCode, { attempt: right(card, 'two', clockAt(1)) }), { outcome: 'moved' })
      const foreign = { ...right(card, 'one', clockAt(1)), merchantId: 'b'.repeat(24) }
      assert.deepEqual(await store.write(checkCode, { attempt: foreign }), { outcome: 'notRequested' })
      assert.equal((await store.read(findVerification(card)))?.attempts, 0)
    }),
  )

  test(
    'a right code for a card that has changed since verifies nothing and does not use up an attempt',
    withStore(async ({ store }) => {
      const card = await keepCard(store)
      await begin(store, card, 'one', clockAt(0))
      const next = nextOf(card)
      await store.write(updateCard, { card: next, audit: makeAuditEntry(next) })
      assert.deepEqual(await store.write(checkCode, { attempt: right(card, 'one', clockAt(1)) }), { outcome: 'moved' })
      assert.deepEqual(await store.read(findCard(card)), next)
      assert.deepEqual(await store.write(checkCode, { attempt: right(next, 'one', clockAt(2)) }), { outcome: 'verified' })
    }),
  )

  test(
    'concurrent verification and removal leave the card removed or verified, never both',
    withStore(async ({ store }) => {
      for (let round = 0; round < 20; round++) {
        const card = await keepCard(store, round)
        await begin(store, card, 'one', clockAt(0))
        const gone = shreddedOf(card)
        const [tried, removed] = await Promise.all([
          store.write(checkCode, { attempt: right(card, 'one', clockAt(1)) }),
          store.write(updateCard, { card: gone, audit: makeAuditEntry(gone) }),
        ])
        assert.notEqual(tried.outcome === 'verified', removed)
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
      const cards = await Promise.all([1, 2, 3].map((number) => keepCard(store, number)))
      for (const card of cards) await begin(store, card, 'one', clockAt(0))
      const tried = await Promise.all(
        cards.flatMap((card) =>
          Array.from({ length: 5 }, () => store.write(checkCode, { attempt: makeCodeAttempt(card, 'one', at, { dayCap }) })),
        ),
      )
      assert.equal(tried.filter(({ outcome }) => outcome === 'wrong').length, 7)
      assert.ok(tried.every((each) => each.outcome === 'wrong' || each.outcome === 'triesUsedUp' || each.outcome === 'dayTriesUsedUp'))
      const counted = await Promise.all(cards.map((card) => store.read(findVerification(card))))
      assert.equal(
        counted.reduce((sum, row) => sum + (row?.attempts ?? 0), 0),
        7,
      )
      const spare = await keepCard(store, 4)
      await begin(store, spare, 'one', clockAt(0))
      const beyond = await store.write(checkCode, { attempt: { ...right(spare, 'one', at), dayCap } })
      assert.deepEqual(beyond, { outcome: 'dayTriesUsedUp', retryAfterMs: 1000 })
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
      const card = await keepCard(store)
      const attempt = makeVerification(card, 'one', clockAt(0), { sentBy: 'network', maxAttempts: 2 })
      await store.write(beginVerification, { attempt, limits: unlimited, audit: makeAuditEntry(card) })
      assert.deepEqual(await store.write(checkCode, { attempt: right(card, 'one', clockAt(1)) }), { outcome: 'askNetwork' })
      assert.deepEqual(await store.write(checkCode, { attempt: makeCodeAttempt(card, 'one', clockAt(2)) }), { outcome: 'askNetwork' })
      assert.deepEqual(await store.write(checkCode, { attempt: makeCodeAttempt(card, 'one', clockAt(3)) }), { outcome: 'triesUsedUp' })

      const { bucket, merchantId, cardId } = card
      const verifiedCard = nextOf(card, { verified: true })
      const finish = { bucket, merchantId, cardId, attemptId: 'one', uncountAt: null, verifiedCard, audit: makeAuditEntry(verifiedCard) }
      assert.equal(await store.write(completeVerification, { ...finish, attemptId: 'other' }), false)
      const finished = await Promise.all(Array.from({ length: 10 }, () => store.write(completeVerification, { ...finish })))
      assert.equal(finished.filter(Boolean).length, 1)
      assert.deepEqual(await store.read(findCard(card)), verifiedCard)
    }),
  )
}

const unlimited: SendLimits = { resendWaitMs: 60_000, pan: null }

async function keepCard(store: Store, number = 1): Promise<CardRow> {
  const card = makeCard(number)
  await store.write(insertCard, { card, audit: makeAuditEntry(card, 'card.created') })
  return card
}

function begin(store: Store, card: CardRow, name: string, at: ClockReading): Promise<BeginVerificationResult> {
  return store.write(beginVerification, {
    attempt: makeVerification(card, name, at),
    limits: unlimited,
    audit: makeAuditEntryWithoutVersion(card, 'card.code_asked'),
  })
}

function right(card: CardRow, name: string, at: ClockReading): ReturnType<typeof makeCodeAttempt> {
  return makeCodeAttempt(card, name, at, { otpHash: bytesOf(`right ${name}`) })
}

async function countEntries(store: Store): Promise<number> {
  return (await store.read(listAuditHeads())).reduce((sum, { seq }) => sum + seq, 0)
}
