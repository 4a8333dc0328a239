import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import type { Caller } from './caller.fixture.ts'
import { compose } from './compose.fixture.ts'
import { newReceipt, successPan } from './receipts.fixture.ts'

const house = await compose()
after(() => house.close())

test('the state is told as it goes', async () => {
  const merchant = house.caller()
  const id = await newReceipt(merchant)
  assert.deepEqual(await merchant.expect('receipts.check', { id }), { state: 0 })
  await merchant.expect('receipts.pay', { id, token: await merchant.verified(successPan), hold: true })
  assert.deepEqual(await merchant.expect('receipts.check', { id }), { state: 5 })
  await merchant.expect('receipts.confirm_hold', { id })
  assert.deepEqual(await merchant.expect('receipts.check', { id }), { state: 4 })
})

test('a receipt of another merchant, of its bucket too, and of nobody is not there for any method, bare', async () => {
  const owner = house.caller()
  const token = await owner.verified(successPan)
  const theirs = await newReceipt(owner)
  const stranger = house.caller()
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

function callsOn(caller: Caller, id: string, token: string) {
  return [
    caller.call('receipts.check', { id }),
    caller.call('receipts.get', { id }),
    caller.call('receipts.pay', { id, token }),
    caller.call('receipts.cancel', { id }),
    caller.call('receipts.confirm_hold', { id }),
    caller.call('receipts.send', { id, phone: '998901234566' }),
    caller.call('receipts.set_fiscal_data', { id, fiscal_data: { receipt_id: 1, qr_code_url: '' } }),
  ]
}

/** One in 4,096 ids; found in a moment. */
function sameBucket(owner: Caller): Caller {
  for (;;) {
    const other = house.caller()
    if (other.bucket === owner.bucket && other.merchantId !== owner.merchantId) return other
  }
}
