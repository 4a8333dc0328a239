import assert from 'node:assert/strict'
import { test } from 'node:test'

import { compose } from '../methods/compose.fixture.ts'
import { ledgerOf, newReceipt, rowOf, successPan } from '../methods/receipts.fixture.ts'
import { withPostgres } from '../store/postgres/with-store.fixture.ts'

import { deeds, fallEverywhere } from './crash.suite.ts'

test(
  'on PostgreSQL, of 200 payments of one receipt at once one debits',
  withPostgres(async ({ store }) => {
    const house = await compose({ store })
    try {
      const merchant = house.caller()
      const token = await merchant.verified(successPan)
      const id = await newReceipt(merchant)
      const replies = await Promise.all(Array.from({ length: 200 }, () => merchant.call('receipts.pay', { id, token })))
      assert.equal(replies.filter((reply) => 'receipt' in reply).length, 1)
      const kinds = (await ledgerOf(house, await rowOf(house, merchant, id))).map(({ kind }) => kind)
      assert.deepEqual(kinds, ['authorise'])
    } finally {
      await house.close()
    }
  }),
)

test(
  'on PostgreSQL, whatever write the program falls at, receipt and ledger agree in the end',
  withPostgres(async ({ store }) => {
    const house = await compose({ store })
    try {
      for (const deed of deeds.filter(({ save }) => !save)) assert.ok((await fallEverywhere(house, deed, 'lose_answer')) >= 6, deed.name)
    } finally {
      await house.close()
    }
  }),
)
