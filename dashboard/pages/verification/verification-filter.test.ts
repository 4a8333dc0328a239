import assert from 'node:assert/strict'
import { test } from 'node:test'

import {
  noVerificationFilter,
  readVerificationFilter,
  toCard,
  toPhone,
  toVerificationParams,
  verificationPath,
} from './verification-filter.ts'

test('a phone is read in full only, and a card as an id, four digits or a mask', () => {
  for (const typed of ['+998 90 123-45-67', '998901234567', '90 123 45 67']) assert.equal(toPhone(typed), '998901234567', typed)
  for (const typed of ['+90 123 45 67', '1234567', '4567', 'x', '99890123456x']) assert.equal(toPhone(typed), null, typed)
  const id = 'a1'.repeat(12)
  for (const typed of [id, ` ${id.toUpperCase()} `, `${id}${'0'.repeat(40)}`]) assert.equal(toCard(typed), id, typed)
  assert.equal(toCard('8600 06** **** 6311'), '860006******6311')
  assert.equal(toCard('6311'), '6311')
  for (const typed of ['order 17', '631', '86000663111']) assert.equal(toCard(typed), null, typed)
})

test('a filter is read from the address but for the phone, which is in the history entry, and is written without it', () => {
  const query = new URLSearchParams('from=2026-11-01&to=2026-11-02&outcome=failed&card=6311&phone=998901234567')
  const filter = readVerificationFilter({ query, hidden: { phone: '998 90 123 45 67' } })
  assert.deepEqual(filter, { outcome: 'failed', card: '6311', phone: '998901234567' })
  assert.equal(verificationPath(filter, query), 'verification?from=2026-11-01&to=2026-11-02&outcome=failed&card=6311')
  assert.equal(verificationPath(noVerificationFilter, new URLSearchParams('card=1')), 'verification')
  assert.deepEqual(readVerificationFilter({ query: new URLSearchParams('outcome=x&card=order'), hidden: {} }), noVerificationFilter)
  const range = { from: Date.parse('2026-11-01T00:00+05:00'), to: Date.parse('2026-11-03T00:00+05:00') }
  const period = { from: '2026-11-01', to: '2026-11-02' }
  assert.deepEqual(toVerificationParams(filter, period), { ...range, outcome: 'failed', card: '6311', phone: '998901234567' })
  assert.deepEqual(toVerificationParams(noVerificationFilter, period), range)
})
