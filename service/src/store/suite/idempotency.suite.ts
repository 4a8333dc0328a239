import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IdempotencyClaim, Store } from '../store.ts'
import { bytesOf, T0 } from './samples.fixture.ts'
import { keepReceipt, makeAnswer, makeChange, makeKeyClaim, makeReceipt, makeRiders, nextReceipt } from './money.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function idempotencySuite(withStore: WithStore): void {
  test(
    'a key is claimed with the intention and answered with the outcome, and an answer stays as it is',
    withStore(async ({ store }) => {
      const [claim, answer] = [makeKeyClaim('one'), makeAnswer('one')]
      const paying = await claimWith(store, claim)
      assert.deepEqual(await store.findIdempotency(claim), { ...claim, sealed: null })

      const paid = nextReceipt(paying, { state: 4 })
      assert.equal(await store.changeReceipt(makeChange(paid), makeRiders(paid, { answer })), 'changed')
      assert.deepEqual(await store.findIdempotency(claim), { ...claim, sealed: answer.sealed })

      const later = nextReceipt(paid, { state: 21 })
      const other = makeAnswer('one', { sealed: bytesOf('another outcome') })
      assert.equal(await store.changeReceipt(makeChange(later), makeRiders(later, { answer: other })), 'changed')
      assert.deepEqual((await store.findIdempotency(claim))?.sealed, answer.sealed)
    }),
  )

  test(
    'a key is one for each merchant, bucket and class of caller',
    withStore(async ({ store }) => {
      const claim = makeKeyClaim('one')
      const others = [
        { ...claim, merchantId: 'b'.repeat(24) },
        { ...claim, bucket: 1 },
        { ...claim, callerClass: 'browser' as const },
        { ...claim, keyHash: bytesOf('other') },
      ]
      for (const each of [claim, ...others]) assert.equal(await store.keepIdempotency(each, { ...each, sealed: bytesOf('x') }), true)
      for (const each of [claim, ...others]) assert.equal(await store.keepIdempotency(each, { ...each, sealed: bytesOf('y') }), false)
    }),
  )

  test(
    'of 200 outcomes kept under one key at once exactly one is kept',
    withStore(async ({ store }) => {
      const claims = Array.from({ length: 200 }, (_, n) => makeKeyClaim('one', { subject: `subject ${n}` }))
      const kept = await Promise.all(
        claims.map((claim, n) => store.keepIdempotency(claim, makeAnswer('one', { sealed: bytesOf(`outcome ${n}`) }))),
      )
      assert.equal(kept.filter(Boolean).length, 1)
      const winner = kept.indexOf(true)
      assert.deepEqual(await store.findIdempotency(claims[0]!), { ...claims[winner], sealed: bytesOf(`outcome ${winner}`) })
    }),
  )

  test(
    'a request may answer what it claimed itself, and no twin may while the lease runs',
    withStore(async ({ store }) => {
      const claim = makeKeyClaim('one', { requestId: 'mine' })
      await claimWith(store, claim)
      const answer = makeAnswer('one')
      for (const twin of [makeKeyClaim('one'), makeKeyClaim('one', { requestId: 'twin' })]) {
        assert.equal(await store.keepIdempotency(twin, answer), false)
      }
      assert.deepEqual(await store.findIdempotency(claim), { ...claim, sealed: null })
      assert.equal(await store.keepIdempotency(claim, answer), true)
      assert.equal(await store.keepIdempotency(claim, makeAnswer('one', { sealed: bytesOf('again') })), false)
      assert.deepEqual(await store.findIdempotency(claim), { ...claim, sealed: answer.sealed })

      const nameless = makeKeyClaim('two')
      const receipt = makeReceipt(2)
      assert.equal(await store.insertReceipt(receipt, makeRiders(receipt, { claim: nameless })), 'kept')
      assert.equal(await store.keepIdempotency(nameless, makeAnswer('two')), false)
    }),
  )

  test(
    'a claim whose lease passed without an answer is answered by a twin, and by no other request',
    withStore(async ({ store }) => {
      const claim = makeKeyClaim('one', { requestId: 'gone' })
      await claimWith(store, claim)
      const answer = makeAnswer('one')
      const after = { ...claim, requestId: 'twin', claimedAt: claim.leaseUntil, leaseUntil: claim.leaseUntil + 30_000 }
      assert.equal(await store.keepIdempotency({ ...after, claimedAt: claim.leaseUntil - 1 }, answer), false)
      assert.equal(await store.keepIdempotency({ ...after, identity: bytesOf('another request') }, answer), false)
      assert.equal(await store.keepIdempotency(after, answer), true)
      assert.deepEqual(await store.findIdempotency(claim), { ...after, sealed: answer.sealed })
    }),
  )

  test(
    'a key whose time is over may be claimed anew, and is dropped',
    withStore(async ({ store }) => {
      const claim = makeKeyClaim('one')
      assert.equal(await store.keepIdempotency(claim, makeAnswer('one')), true)
      const anew = { ...claim, claimedAt: claim.endsAt, leaseUntil: claim.endsAt + 1, endsAt: claim.endsAt + 86_400_000 }
      const early = makeReceipt(7)
      const refused = makeRiders(early, { claim: { ...anew, claimedAt: claim.endsAt - 1 } })
      assert.equal(await store.insertReceipt(early, refused), 'twin')
      await claimWith(store, anew)
      assert.deepEqual(await store.findIdempotency(claim), { ...anew, sealed: null })
      assert.equal(await store.dropIdempotency(anew.endsAt), 0)
      assert.equal(await store.dropIdempotency(anew.endsAt + 1), 1)
      assert.equal(await store.findIdempotency(claim), null)
    }),
  )

  test(
    'dropping keys drops all whose time ended, page by page, and no other',
    withStore(async ({ store }) => {
      const claims = Array.from({ length: 1203 }, (_, n) => makeKeyClaim(`key ${n}`, { endsAt: T0 + 1 + (n % 2) }))
      await Promise.all(claims.map((claim, n) => store.keepIdempotency(claim, makeAnswer(`key ${n}`))))
      assert.equal(await store.dropIdempotency(T0 + 2), 602)
      assert.equal(await store.findIdempotency(claims[0]!), null)
      assert.notEqual(await store.findIdempotency(claims[1]!), null)
    }),
  )

  test(
    'what is kept of a key, a request and its outcome is bytes',
    withStore(async ({ store, raw }) => {
      await store.keepIdempotency(makeKeyClaim('one'), makeAnswer('one'))
      const [row] = await raw('select * from idempotency')
      const texts = Object.entries(row!).filter(([, value]) => typeof value === 'string')
      assert.deepEqual(
        texts.map(([name]) => name).filter((name) => !NAMED.has(name)),
        [],
      )
      for (const column of ['key_hash', 'identity', 'sealed']) assert.ok(row![column] instanceof Uint8Array, column)
    }),
  )
}

/** Columns of ids, names and numbers (which a database may tell as text), none of which the caller writes. */
const NAMED: ReadonlySet<string> = new Set([
  ...['bucket', 'merchant_id', 'caller_class', 'hash_key_id', 'claimed_at', 'lease_until', 'ends_at', 'method', 'subject', 'request_id'],
])

/** Claims a key with the first step of a payment. */
async function claimWith(store: Store, claim: IdempotencyClaim): Promise<ReturnType<typeof nextReceipt>> {
  const receipt = await keepReceipt(store, makeReceipt(1))
  const paying = nextReceipt(receipt, { state: 2 })
  assert.equal(await store.changeReceipt(makeChange(paying), makeRiders(paying, { claim })), 'changed')
  return paying
}
