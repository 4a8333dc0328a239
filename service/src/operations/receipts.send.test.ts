import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { newReceipt, successPan } from '../testing/receipts.fixture.ts'
import { listInbox } from '../store/sandbox.ts'

const app = await createTestApp({ after })
const phone = '998901234566'

test('the payer gets a message with shop, number and amount, paid or not', async () => {
  const merchant = app.merchant()
  const id = await newReceipt(merchant, 500_005)
  assert.deepEqual(await merchant.call('receipts.send', { id, phone }), { success: true })
  const [sms] = await app.store.read(listInbox(1))
  assert.equal(sms?.phoneMask, '99890*****66')
  assert.match(sms.text, /receipt 197, 5000\.05 UZS, to be paid\.$/)
  await merchant.call('receipts.pay', { id, token: await merchant.createVerifiedToken(successPan) })
  app.clock.advance(1)
  await merchant.call('receipts.send', { id, phone })
  assert.match((await app.store.read(listInbox(1)))[0]?.text ?? '', /, paid\.$/)
})

test('an invalid phone is refused, and nothing is sent', async () => {
  const merchant = app.merchant()
  const id = await newReceipt(merchant)
  const before = (await app.store.read(listInbox(100))).length
  for (const wrong of ['', '12345678', '+998901234566', '998 90 123 45 66', '1234567890123456', 'phone']) {
    const reply = await merchant.callRaw('receipts.send', { id, phone: wrong })
    assert.deepEqual('error' in reply && [reply.error.code, reply.error.reason, reply.error.data], [-32602, 'phone_invalid', 'phone'])
  }
  assert.equal((await app.store.read(listInbox(100))).length, before)
})

test('a cancelled receipt is not sent', async () => {
  const merchant = app.merchant()
  const id = await newReceipt(merchant)
  await merchant.call('receipts.cancel', { id })
  assert.equal(await merchant.expectError('receipts.send', { id, phone }), 'receipt_cancelled')
})

test('with limits on, a second message to one phone within a minute is refused', async (t) => {
  const counting = await createTestApp(t, { payments: { limits: true } })
  const merchant = counting.merchant()
  const id = await newReceipt(merchant)
  await merchant.call('receipts.send', { id, phone })
  const reply = await merchant.callRaw('receipts.send', { id, phone })
  assert.ok('error' in reply)
  assert.deepEqual([reply.error.code, reply.error.reason], [-31700, 'phone_limit'])
  assert.ok((reply.error.retry_after ?? 0) > 0)
})

test('a rejection of the gateway is reported; a failure without a response counts as sent', async (t) => {
  for (const outcome of ['rejected', 'fault'] as const) {
    const sms = { send: async () => (outcome === 'fault' ? Promise.reject(new Error('no word')) : ({ outcome: 'rejected' } as const)) }
    const odd = await createTestApp(t, { sms: () => sms })
    const merchant = odd.merchant()
    const reply = await merchant.callRaw('receipts.send', { id: await newReceipt(merchant), phone })
    assert.equal('error' in reply ? reply.error.reason : 'sent', outcome === 'rejected' ? 'sms_not_sent' : 'sent')
  }
})
