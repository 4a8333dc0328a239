import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../../testing/test-app.fixture.ts'
import { ledgerOf, newReceipt, rowOf, successPan } from '../../testing/receipts.fixture.ts'
import { withPostgres } from '../../store/postgres/with-store.fixture.ts'

import { crashScenarios, crashAtEveryWrite } from './crash.suite.ts'

test(
  'on PostgreSQL, of 200 payments of one receipt at once one debits',
  withPostgres(async ({ store }) => {
    const app = await createTestApp({ after }, { store })
    try {
      const merchant = app.merchant()
      const token = await merchant.createVerifiedToken(successPan)
      const id = await newReceipt(merchant)
      const replies = await Promise.all(Array.from({ length: 200 }, () => merchant.callRaw('receipts.pay', { id, token })))
      assert.equal(replies.filter((reply) => 'receipt' in reply).length, 1)
      const kinds = (await ledgerOf(app, await rowOf(app, merchant, id))).map(({ kind }) => kind)
      assert.deepEqual(kinds, ['authorise'])
    } finally {
      await app.close()
    }
  }),
)

test(
  'on PostgreSQL, whichever write the process crashes at, receipt and ledger agree in the end',
  withPostgres(async ({ store }) => {
    const app = await createTestApp({ after }, { store })
    try {
      for (const scenario of crashScenarios.filter(({ save }) => !save))
        assert.ok((await crashAtEveryWrite(app, scenario, 'lose_answer')) >= 6, scenario.name)
    } finally {
      await app.close()
    }
  }),
)
