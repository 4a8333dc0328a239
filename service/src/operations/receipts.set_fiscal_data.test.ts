import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { newReceipt, rowOf, successPan } from '../testing/receipts.fixture.ts'

const app = await createTestApp({ after })

test('the fiscal data of a paid receipt are stored as given, and a second call replaces them', async () => {
  const merchant = app.merchant()
  const id = await newReceipt(merchant)
  const given = { receipt_id: 121, qr_code_url: 'https://ofd.example/check?t=1', message: null, date: '20261121', fiscal_sign: 7 }
  assert.equal(await merchant.expectError('receipts.set_fiscal_data', { id, fiscal_data: given }), 'receipt_not_paid')
  await merchant.call('receipts.pay', { id, token: await merchant.createVerifiedToken(successPan) })
  assert.deepEqual(await merchant.call('receipts.set_fiscal_data', { id, fiscal_data: given }), { success: true })
  assert.equal((await rowOf(app, merchant, id)).fiscal, JSON.stringify(given))
  const again = { receipt_id: 122, qr_code_url: '' }
  await merchant.call('receipts.set_fiscal_data', { id, fiscal_data: again })
  assert.equal((await rowOf(app, merchant, id)).fiscal, JSON.stringify(again))
  assert.equal((await merchant.call('receipts.get', { id })).receipt.state, 4)
})
