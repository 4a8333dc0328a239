import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { listAuditOfSubject } from '../store/audit.ts'
import { hostedOrigin } from '../testing/default-config.fixture.ts'
import { newReceipt, pass, successPan } from '../testing/receipts.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

test('the entries of what a request changes beside its own object bear the address of the caller too', async () => {
  const app = await createTestApp({ after })
  const merchant = app.merchant()
  const addressesOf = async (subject: string) =>
    (await app.store.read(listAuditOfSubject(merchant.merchantId, subject, 100))).map(
      ({ action, address }) => `${action} ${address === '' ? 'no address' : 'address'}`,
    )
  const origin = 'https://shop.example'
  const { session } = await merchant.call('form.sessions.create', { origin, customer: 'c-1', save: 'ask', return: `${origin}/back` })
  const form = await app.formDocuments.issue(merchant.merchantId, hostedOrigin)
  await merchant.asPage('cards.create', { card: { number: '', expire: '0399' }, form, session }, successPan)
  assert.deepEqual((await addressesOf(session.slice(0, 24))).sort(), ['form_session.attempted address', 'form_session.created address'])

  const token = await merchant.createVerifiedToken(successPan, { save: false })
  const id = await newReceipt(merchant)
  await pass(app, merchant.callRaw('receipts.pay', { id, token }))
  const card = await addressesOf(token.slice(0, 24))
  assert.ok(card.includes('card.ended address'), card.join())

  // The control: a background job has no caller.
  const unused = await merchant.createVerifiedToken(successPan, { save: false })
  app.clock.advance(25 * 3_600_000)
  await app.sweep.runOnce()
  const swept = await addressesOf(unused.slice(0, 24))
  assert.ok(swept.includes('card.ended no address'), swept.join())
})
