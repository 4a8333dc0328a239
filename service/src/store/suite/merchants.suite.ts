import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, makeCard, makeMerchant, makeNote, merchantId } from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'

export function merchantsSuite(withStore: WithStore): void {
  const note = makeNote(makeCard(0), 'merchant.made')

  test(
    'a merchant comes back as it was kept, with both passwords of a rotation',
    withStore(async ({ store }) => {
      const merchant = makeMerchant({ passwordHashes: [bytesOf('new'), bytesOf('old')], strictServerAuth: true, origins: [] })
      assert.equal(await store.insertMerchant(merchant, note), true)
      assert.deepEqual(await store.findMerchant(merchantId), merchant)
      assert.equal(await store.findMerchant('0'.repeat(24)), null)
    }),
  )

  test(
    'an existing merchant stays as it is, and leaves no second audit entry',
    withStore(async ({ store }) => {
      const fresh = await Promise.all(Array.from({ length: 20 }, (_, n) => store.insertMerchant(makeMerchant({ name: `shop ${n}` }), note)))
      assert.equal(fresh.filter(Boolean).length, 1)
      assert.equal((await store.findMerchant(merchantId))?.name, `shop ${fresh.indexOf(true)}`)
      const chains = await store.listAuditChains()
      assert.equal(
        chains.reduce((sum, { seq }) => sum + seq, 0),
        1,
      )
    }),
  )

  test(
    'a merchant whose stored row is broken is refused, not guessed',
    withStore(async ({ store, raw }) => {
      await store.insertMerchant(makeMerchant(), note)
      await raw(`update merchants set origins = '{"0":"https://evil.example"}'`)
      await assert.rejects(store.findMerchant(merchantId), /broken at column origins/)
      await raw(`update merchants set origins = '[]', state = 'Active'`)
      await assert.rejects(store.findMerchant(merchantId), /broken at column state/)
    }),
  )
}
