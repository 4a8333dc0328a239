import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteOldIdempotencyRecords, findIdempotencyRecord, type IdempotencyClaim, saveIdempotencyOutcome } from '../idempotency.ts'
import { insertReceipt, updateReceipt } from '../receipts.ts'
import { deleteInPages, type Store } from '../store.ts'
import { bytesOf, T0 } from './samples.fixture.ts'
import {
  insertSampleReceipt,
  makeIdempotencyOutcome,
  makeReceiptUpdate,
  makeKeyClaim,
  makeReceipt,
  makeReceiptExtras,
  nextReceipt,
} from './money.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function idempotencySuite(withStore: WithStore): void {
  test(
    'a key is claimed with the intention and completed with the outcome, and an outcome never changes',
    withStore(async ({ store }) => {
      const [claim, outcome] = [makeKeyClaim('one'), makeIdempotencyOutcome('one')]
      const paying = await claimWith(store, claim)
      assert.deepEqual(await store.read(findIdempotencyRecord(claim)), { ...claim, sealed: null })

      const paid = nextReceipt(paying, { state: 4 })
      assert.equal(
        await store.write(updateReceipt, {
          ...makeReceiptUpdate(paid),
          ...makeReceiptExtras(paid, { idempotency: { claim: null, outcome } }),
        }),
        'updated',
      )
      assert.deepEqual(await store.read(findIdempotencyRecord(claim)), { ...claim, sealed: outcome.sealed })

      const later = nextReceipt(paid, { state: 21 })
      const other = makeIdempotencyOutcome('one', { sealed: bytesOf('another outcome') })
      assert.equal(
        await store.write(updateReceipt, {
          ...makeReceiptUpdate(later),
          ...makeReceiptExtras(later, { idempotency: { claim: null, outcome: other } }),
        }),
        'updated',
      )
      assert.deepEqual((await store.read(findIdempotencyRecord(claim)))?.sealed, outcome.sealed)
    }),
  )

  test(
    'the same key of another merchant, bucket or caller class is another key',
    withStore(async ({ store }) => {
      const claim = makeKeyClaim('one')
      const others = [
        { ...claim, merchantId: 'b'.repeat(24) },
        { ...claim, bucket: 1 },
        { ...claim, callerClass: 'browser' as const },
        { ...claim, keyHash: bytesOf('other') },
      ]
      for (const each of [claim, ...others])
        assert.equal(await store.write(saveIdempotencyOutcome, { claim: each, outcome: { ...each, sealed: bytesOf('x') } }), true)
      for (const each of [claim, ...others])
        assert.equal(await store.write(saveIdempotencyOutcome, { claim: each, outcome: { ...each, sealed: bytesOf('y') } }), false)
    }),
  )

  test(
    'of 200 concurrent outcomes of one key exactly one is stored',
    withStore(async ({ store }) => {
      const claims = Array.from({ length: 200 }, (_, n) => makeKeyClaim('one', { subject: `subject ${n}` }))
      const results = await Promise.all(
        claims.map((claim, n) =>
          store.write(saveIdempotencyOutcome, { claim, outcome: makeIdempotencyOutcome('one', { sealed: bytesOf(`outcome ${n}`) }) }),
        ),
      )
      assert.equal(results.filter(Boolean).length, 1)
      const winner = results.indexOf(true)
      assert.deepEqual(await store.read(findIdempotencyRecord(claims[0]!)), { ...claims[winner], sealed: bytesOf(`outcome ${winner}`) })
    }),
  )

  test(
    'a request may complete its own claim, and a duplicate request may not while the lease runs',
    withStore(async ({ store }) => {
      const claim = makeKeyClaim('one', { requestId: 'mine' })
      await claimWith(store, claim)
      const outcome = makeIdempotencyOutcome('one')
      for (const duplicate of [makeKeyClaim('one'), makeKeyClaim('one', { requestId: 'another' })]) {
        assert.equal(await store.write(saveIdempotencyOutcome, { claim: duplicate, outcome }), false)
      }
      assert.deepEqual(await store.read(findIdempotencyRecord(claim)), { ...claim, sealed: null })
      assert.equal(await store.write(saveIdempotencyOutcome, { claim, outcome }), true)
      assert.equal(
        await store.write(saveIdempotencyOutcome, { claim, outcome: makeIdempotencyOutcome('one', { sealed: bytesOf('again') }) }),
        false,
      )
      assert.deepEqual(await store.read(findIdempotencyRecord(claim)), { ...claim, sealed: outcome.sealed })

      const nameless = makeKeyClaim('two')
      const receipt = makeReceipt(2)
      assert.equal(
        await store.write(insertReceipt, { receipt, ...makeReceiptExtras(receipt, { idempotency: { claim: nameless, outcome: null } }) }),
        'inserted',
      )
      assert.equal(await store.write(saveIdempotencyOutcome, { claim: nameless, outcome: makeIdempotencyOutcome('two') }), false)
    }),
  )

  test(
    'a claim whose lease ended without an outcome may be completed by a duplicate request, and by no other',
    withStore(async ({ store }) => {
      const claim = makeKeyClaim('one', { requestId: 'gone' })
      await claimWith(store, claim)
      const outcome = makeIdempotencyOutcome('one')
      const after = { ...claim, requestId: 'another', claimedAt: claim.leaseUntil, leaseUntil: claim.leaseUntil + 30_000 }
      assert.equal(await store.write(saveIdempotencyOutcome, { claim: { ...after, claimedAt: claim.leaseUntil - 1 }, outcome }), false)
      assert.equal(await store.write(saveIdempotencyOutcome, { claim: { ...after, identity: bytesOf('another request') }, outcome }), false)
      assert.equal(await store.write(saveIdempotencyOutcome, { claim: after, outcome }), true)
      assert.deepEqual(await store.read(findIdempotencyRecord(claim)), { ...after, sealed: outcome.sealed })
    }),
  )

  test(
    'an expired key may be claimed again, and is deleted',
    withStore(async ({ store }) => {
      const claim = makeKeyClaim('one')
      assert.equal(await store.write(saveIdempotencyOutcome, { claim, outcome: makeIdempotencyOutcome('one') }), true)
      const reclaimed = { ...claim, claimedAt: claim.endsAt, leaseUntil: claim.endsAt + 1, endsAt: claim.endsAt + 86_400_000 }
      const early = makeReceipt(7)
      const refused = makeReceiptExtras(early, { idempotency: { claim: { ...reclaimed, claimedAt: claim.endsAt - 1 }, outcome: null } })
      assert.equal(await store.write(insertReceipt, { receipt: early, ...refused }), 'duplicate_request')
      await claimWith(store, reclaimed)
      assert.deepEqual(await store.read(findIdempotencyRecord(claim)), { ...reclaimed, sealed: null })
      assert.equal(await deleteInPages(store, deleteOldIdempotencyRecords, reclaimed.endsAt), 0)
      assert.equal(await deleteInPages(store, deleteOldIdempotencyRecords, reclaimed.endsAt + 1), 1)
      assert.equal(await store.read(findIdempotencyRecord(claim)), null)
    }),
  )

  test(
    'deleting old keys deletes all whose time ended, page by page, and no others',
    withStore(async ({ store }) => {
      const claims = Array.from({ length: 1203 }, (_, n) => makeKeyClaim(`key ${n}`, { endsAt: T0 + 1 + (n % 2) }))
      await Promise.all(
        claims.map((claim, n) => store.write(saveIdempotencyOutcome, { claim, outcome: makeIdempotencyOutcome(`key ${n}`) })),
      )
      assert.equal(await deleteInPages(store, deleteOldIdempotencyRecords, T0 + 2), 602)
      assert.equal(await store.read(findIdempotencyRecord(claims[0]!)), null)
      assert.notEqual(await store.read(findIdempotencyRecord(claims[1]!)), null)
    }),
  )

  test(
    'of a key, a request and its outcome only hashes and sealed bytes are stored',
    withStore(async ({ store, raw }) => {
      await store.write(saveIdempotencyOutcome, { claim: makeKeyClaim('one'), outcome: makeIdempotencyOutcome('one') })
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

/** Columns of ids, names and numbers (which a database may return as text), none written by the caller. */
const NAMED: ReadonlySet<string> = new Set([
  'bucket',
  'merchant_id',
  'caller_class',
  'hash_key_id',
  'claimed_at',
  'lease_until',
  'ends_at',
  'method',
  'subject',
  'request_id',
  'process_id',
])

/** Claims a key with the first step of a payment. */
async function claimWith(store: Store, claim: IdempotencyClaim): Promise<ReturnType<typeof nextReceipt>> {
  const receipt = await insertSampleReceipt(store, makeReceipt(1))
  const paying = nextReceipt(receipt, { state: 2 })
  assert.equal(
    await store.write(updateReceipt, {
      ...makeReceiptUpdate(paying),
      ...makeReceiptExtras(paying, { idempotency: { claim, outcome: null } }),
    }),
    'updated',
  )
  return paying
}
