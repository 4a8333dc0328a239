import assert from 'node:assert/strict'
import { test } from 'node:test'

import { errors } from '@tessera/contract/errors'

import { reasonMessages } from '../../messages/reason-messages.ts'
import {
  hiddenPart,
  noFilter,
  paymentReasons,
  readReceiptFilter,
  receiptsPath,
  receiptViews,
  toReceiptListParams,
} from './receipt-filter.ts'

test('a filter is read from the address and the history entry that it is written to', () => {
  const filter = {
    ...noFilter,
    status: 'failed',
    from: '2026-11-01',
    to: '2026-11-28',
    amountFrom: '10',
    amountTo: '20.50',
    order: 'a',
    customer: 'b',
  } as const
  const path = receiptsPath(filter)
  assert.equal(path, 'receipts?status=failed&from=2026-11-01&to=2026-11-28&amountFrom=10&amountTo=20.50')
  assert.deepEqual(readReceiptFilter({ query: new URLSearchParams(path.split('?')[1]), hidden: hiddenPart(filter) }), filter)
  assert.equal(receiptsPath(noFilter), 'receipts')
})

test('the date that days are about is part of the address and of the call', () => {
  for (const date of ['paid', 'refunded'] as const) {
    const path = receiptsPath({ ...noFilter, date })
    assert.equal(path, `receipts?date=${date}`)
    assert.equal(readReceiptFilter({ query: new URLSearchParams(path.split('?')[1]), hidden: {} }).date, date)
    assert.deepEqual(toReceiptListParams({ ...noFilter, date }), { dateOf: date })
  }
})

test('the reason of a refused payment is part of the address and of the call, and every reason of a card network can be chosen', () => {
  const path = receiptsPath({ ...noFilter, status: 'failed', reason: 'insufficient_funds' })
  assert.equal(path, 'receipts?status=failed&reason=insufficient_funds')
  assert.equal(readReceiptFilter({ query: new URLSearchParams(path.split('?')[1]), hidden: {} }).reason, 'insufficient_funds')
  assert.equal(readReceiptFilter({ query: new URLSearchParams({ reason: '<b>' }), hidden: {} }).reason, '')
  assert.deepEqual(toReceiptListParams({ ...noFilter, reason: 'declined' }), { reason: 'declined' })
  const beforePayment = ['card_not_verified', 'card_in_use']
  const ofNetworks = Object.values(errors).flatMap(({ code, reason }) =>
    code === -31630 && !beforePayment.includes(reason) ? [reason] : [],
  )
  assert.ok(ofNetworks.length > 5)
  for (const reason of ofNetworks) assert.ok((paymentReasons as readonly string[]).includes(reason), reason)
  for (const reason of paymentReasons) assert.ok(reason in reasonMessages.en.all, reason)
})

test('what is no status, day or amount filters nothing', () => {
  const query = new URLSearchParams({ status: 'nice', from: 'today', to: '2026-1-1', amountFrom: '0', amountTo: '-5' })
  assert.deepEqual(readReceiptFilter({ query, hidden: {} }), noFilter)
})

test('days are those of Tashkent, amounts are tiyin, and what is empty is left out', () => {
  assert.deepEqual(toReceiptListParams(noFilter), {})
  assert.deepEqual(toReceiptListParams({ ...noFilter, from: '2026-11-28', to: '2026-11-28', amountFrom: '10', order: ' a ' }), {
    from: Date.UTC(2026, 10, 27, 19),
    to: Date.UTC(2026, 10, 28, 19),
    amountFrom: 1000,
    order: 'a',
  })
})

test('the views of a day and of a month begin at midnight in Tashkent', () => {
  const views = new Map(receiptViews(Date.UTC(2026, 10, 30, 19)))
  assert.deepEqual(views.get('failedToday'), { ...noFilter, status: 'failed', from: '2026-12-01', to: '2026-12-01' })
  assert.deepEqual(views.get('refundsThisMonth'), { ...noFilter, date: 'refunded', from: '2026-12-01', to: '2026-12-01' })
})
