import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import type { TestMerchant } from '../testing/test-merchant.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'
import { newReceipt, successPan } from '../testing/receipts.fixture.ts'

const app = await createTestApp({ after })

test('receipts.check returns the current state', async () => {
  const merchant = app.merchant()
  const id = await newReceipt(merchant)
  assert.deepEqual(await merchant.call('receipts.check', { id }), { state: 0 })
  await merchant.call('receipts.pay', { id, token: await merchant.createVerifiedToken(successPan), hold: true })
  assert.deepEqual(await merchant.call('receipts.check', { id }), { state: 5 })
  await merchant.call('receipts.confirm_hold', { id })
  assert.deepEqual(await merchant.call('receipts.check', { id }), { state: 4 })
})

test('an unknown receipt and one of another merchant, even in the same bucket, are not found by any operation', async () => {
  const owner = app.merchant()
  const token = await owner.createVerifiedToken(successPan)
  const theirs = await newReceipt(owner)
  const stranger = app.merchant()
  const own = await newReceipt(stranger)
  const ids = [theirs, `${own.slice(0, 12)}${'0'.repeat(12)}`, '0'.repeat(24), '', 'f00', own.toUpperCase(), `${own} `]
  for (const caller of [stranger, sameBucket(owner)]) {
    for (const id of ids) {
      for (const call of callsOn(caller, id, token)) {
        const reply = await call
        assert.ok('error' in reply, id)
        assert.deepEqual([reply.error.code, reply.error.reason, 'data' in reply.error], [-31602, 'receipt_not_found', false])
      }
    }
  }
})

function callsOn(caller: TestMerchant, id: string, token: string) {
  return [
    caller.callRaw('receipts.check', { id }),
    caller.callRaw('receipts.get', { id }),
    caller.callRaw('receipts.pay', { id, token }),
    caller.callRaw('receipts.cancel', { id }),
    caller.callRaw('receipts.confirm_hold', { id }),
    caller.callRaw('receipts.send', { id, phone: '998901234566' }),
    caller.callRaw('receipts.set_fiscal_data', { id, fiscal_data: { receipt_id: 1, qr_code_url: '' } }),
  ]
}

/** One in 4,096 ids; found in a moment. */
function sameBucket(owner: TestMerchant): TestMerchant {
  for (;;) {
    const other = app.merchant()
    if (other.bucket === owner.bucket && other.merchantId !== owner.merchantId) return other
  }
}
