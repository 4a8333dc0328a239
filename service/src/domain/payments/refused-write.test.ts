import assert from 'node:assert/strict'
import { test } from 'node:test'

import { findCard } from '../../store/cards.ts'
import { updateReceipt } from '../../store/receipts.ts'
import { withSqlite } from '../../store/sqlite/with-store.fixture.ts'
import { StoreFull, StoreOverloaded, StoreUnavailable, type Store } from '../../store/store.ts'
import { advanceAllReceipts, newReceipt, rowOf, successPan } from '../../testing/receipts.fixture.ts'
import { replaceInStore, replaceRead, replaceWrite } from '../../testing/store.fixture.ts'

import { openShopping } from './endpoint.suite.ts'

// What a caller is told when the store refuses something after the intention to pay is stored.

const anyCard = findCard({ bucket: 0, merchantId: '', cardId: '' })

/** A store that throws the set error from the first stored intention on, at writes of receipts or at reads of cards. */
function makeRefusingStore(store: Store) {
  const refusal: { at: 'write' | 'read'; error: Error | null } = { at: 'write', error: null }
  let intentions = 0
  const check = (at: 'write' | 'read'): void => {
    if (refusal.error !== null && refusal.at === at && intentions > 0) throw refusal.error
  }
  const refusing = replaceInStore(
    store,
    replaceRead(anyCard, async (_values, original) => {
      check('read')
      return original()
    }),
    replaceWrite(updateReceipt, async (_input, original) => {
      check('write')
      intentions++
      return original()
    }),
  )
  const set = (at: 'write' | 'read', error: Error | null): void => {
    Object.assign(refusal, { at, error })
    intentions = 0
  }
  return { refusing, set }
}

test(
  'a store that refuses a write after the intention is stored gives payment_unknown, never an error that says that nothing was done',
  withSqlite(async ({ store }) => {
    const { refusing, set } = makeRefusingStore(store)
    const { app, merchant, close } = await openShopping(refusing)
    for (const error of [new StoreUnavailable('away'), new StoreOverloaded('busy'), new StoreFull('full')]) {
      const caller = app.merchant()
      const token = await caller.createVerifiedToken(successPan, { save: true })
      const id = await newReceipt(caller)
      const before = merchant.calls.length
      set('write', error)
      assert.equal(await caller.expectError('receipts.pay', { id, token }), 'payment_unknown')
      assert.equal(merchant.calls.length, before + 1, 'the check')
      set('write', null)
      await advanceAllReceipts(app)
    }
    await close()
  }),
)

test(
  'a one-time card that cannot be read after the intention is stored is not taken for a removed one',
  withSqlite(async ({ store }) => {
    const { refusing, set } = makeRefusingStore(store)
    const { app, close } = await openShopping(refusing)
    const caller = app.merchant()
    const token = await caller.createVerifiedToken(successPan, { save: false })
    const id = await newReceipt(caller)
    set('read', new StoreUnavailable('away'))
    assert.equal(await caller.expectError('receipts.pay', { id, token }), 'payment_unknown')
    const row = await rowOf(app, caller, id)
    assert.deepEqual([row.state, row.oneTime, row.error], [1, true, null])
    set('read', null)
    await advanceAllReceipts(app)
    await close()
  }),
)
