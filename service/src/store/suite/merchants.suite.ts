import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, makeCard, sampleCredential, makeMerchant, makeAuditEntry, sampleMerchantId, T0 } from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'
import { listAuditHeads } from '../audit.ts'
import { findMerchant, insertMerchant, listCredentialUses, listMerchants, recordCredentialUse, updateMerchant } from '../merchants.ts'
import type { Store } from '../store.ts'

export function merchantsSuite(withStore: WithStore): void {
  const audit = makeAuditEntry(makeCard(0), 'merchant.created')

  test(
    'a merchant is read as it was stored, with both passwords of a rotation and the retired ones',
    withStore(async ({ store }) => {
      const gone = sampleCredential(1, { hash: new Uint8Array(0), retiredAt: T0 + 1 })
      const merchant = makeMerchant({ credentials: [sampleCredential(3), sampleCredential(2), gone], name: 'Do‘kon 😀', state: 'blocked' })
      assert.equal(await store.write(insertMerchant, { merchant, audit }), true)
      assert.deepEqual(await store.read(findMerchant(sampleMerchantId)), merchant)
      assert.equal(await store.read(findMerchant('0'.repeat(24))), null)
    }),
  )

  test(
    'inserting an existing merchant changes nothing and writes no second audit entry',
    withStore(async ({ store }) => {
      const isInserted = await Promise.all(
        Array.from({ length: 20 }, (_, n) => store.write(insertMerchant, { merchant: makeMerchant({ name: `shop ${n}` }), audit })),
      )
      assert.equal(isInserted.filter(Boolean).length, 1)
      assert.equal((await store.read(findMerchant(sampleMerchantId)))?.name, `shop ${isInserted.indexOf(true)}`)
      assert.equal(await countAudit(store), 1)
    }),
  )

  test(
    'of twenty concurrent updates of one version of a merchant one succeeds, with one audit entry',
    withStore(async ({ store }) => {
      const first = makeMerchant()
      await store.write(insertMerchant, { merchant: first, audit })
      const changed = {
        state: 'blocked',
        settings: '{}',
        credentials: [],
        mac: bytesOf('next', 48),
        address: '',
        organization: '',
      } as const
      const nexts = Array.from({ length: 20 }, (_, n) => ({ ...first, ...changed, version: 2, name: `shop ${n}` }))
      const made = await Promise.all(nexts.map((next) => store.write(updateMerchant, { merchant: next, audit })))
      assert.equal(made.filter(Boolean).length, 1)
      assert.deepEqual(await store.read(findMerchant(sampleMerchantId)), nexts[made.indexOf(true)])
      assert.equal(await countAudit(store), 2)
      for (const version of [1, 2, 4])
        assert.equal(await store.write(updateMerchant, { merchant: { ...first, version }, audit }), false, String(version))
      assert.equal(await store.write(updateMerchant, { merchant: { ...first, id: '0'.repeat(24), version: 2 }, audit }), false)
      assert.equal(await countAudit(store), 2)
    }),
  )

  test(
    'merchants are listed by their ids, a page at a time',
    withStore(async ({ store }) => {
      const merchants = Array.from({ length: 7 }, (_, n) => makeMerchant({ id: String(n).repeat(24) }))
      for (const merchant of merchants.toReversed()) await store.write(insertMerchant, { merchant, audit })
      assert.deepEqual(await store.read(listMerchants('', 4)), merchants.slice(0, 4))
      assert.deepEqual(await store.read(listMerchants('3'.repeat(24), 4)), merchants.slice(4))
    }),
  )

  test(
    'the last use of each password is stored, and an earlier time never overwrites it',
    withStore(async ({ store }) => {
      const uses = [
        [1, 5],
        [2, 7],
        [1, 9],
        [2, 6],
      ]
      for (const [number = 0, lastUsedAt = 0] of uses)
        await store.write(recordCredentialUse, { merchantId: sampleMerchantId, number, lastUsedAt })
      const lastUses = (await store.read(listCredentialUses(sampleMerchantId))).map(({ number, lastUsedAt }) => [number, lastUsedAt])
      assert.deepEqual(lastUses, [
        [1, 9],
        [2, 7],
      ])
      assert.deepEqual(await store.read(listCredentialUses('0'.repeat(24))), [])
    }),
  )

  test(
    'reading a merchant whose row is broken fails',
    withStore(async ({ store, raw }) => {
      await store.write(insertMerchant, { merchant: makeMerchant(), audit })
      for (const broken of [
        '{}',
        '[1]',
        'x',
        '[{"number":1}]',
        '[{"number":1,"hash":"00","pepperKeyId":"","createdAt":1,"retiredAt":null}]',
      ]) {
        await raw(`update merchants set credentials = '${broken}'`)
        await assert.rejects(store.read(findMerchant(sampleMerchantId)), /broken at column credentials/, broken)
      }
      await raw(`update merchants set credentials = '[]', state = 'Active'`)
      await assert.rejects(store.read(findMerchant(sampleMerchantId)), /broken at column state/)
    }),
  )
}

async function countAudit(store: Store): Promise<number> {
  const chains = await listAuditHeads(store)
  return chains.reduce((sum, { seq }) => sum + seq, 0)
}
