import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { compose } from './compose.fixture.ts'
import { newReceipt, rowOf, successPan } from './receipts.fixture.ts'

const house = await compose()
after(() => house.close())

test('the fiscal data of a paid receipt are kept as given, and a second time take the place of the first', async () => {
  const merchant = house.caller()
  const id = await newReceipt(merchant)
  const given = { receipt_id: 121, qr_code_url: 'https://ofd.example/check?t=1', message: null, date: '20261121', fiscal_sign: 7 }
  assert.equal(await merchant.refused('receipts.set_fiscal_data', { id, fiscal_data: given }), 'receipt_not_paid')
  await merchant.expect('receipts.pay', { id, token: await merchant.verified(successPan) })
  assert.deepEqual(await merchant.expect('receipts.set_fiscal_data', { id, fiscal_data: given }), { success: true })
  assert.equal((await rowOf(house, merchant, id)).fiscal, JSON.stringify(given))
  const again = { receipt_id: 122, qr_code_url: '' }
  await merchant.expect('receipts.set_fiscal_data', { id, fiscal_data: again })
  assert.equal((await rowOf(house, merchant, id)).fiscal, JSON.stringify(again))
  assert.equal((await merchant.expect('receipts.get', { id })).receipt.state, 4)
})
