import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { openEntrance } from '../dashboard/visitor.fixture.ts'

import { compose } from './compose.fixture.ts'
import { successPan } from './receipts.fixture.ts'

const blockedPan = '4444445987459073'

const house = await compose()
const entrance = openEntrance(house)
after(() => house.close())

test('a merchant finds its receipts page by page and by days, and of one the states, the network’s answers and who did what', async () => {
  const support = await entrance.user('support')
  const shop = house.caller('spec', support.merchantId)
  const token = await shop.verified(successPan, { save: true })
  const ids: string[] = []
  for (let number = 0; number < 3; number++) {
    const { receipt } = await shop.expect('receipts.create', { amount: 100_000 + number, description: `order ${number}` })
    ids.unshift(receipt._id)
    house.clock.advance(1000)
  }
  const [newest = '', middle = ''] = ids
  await shop.expect('receipts.pay', { id: newest, token })
  const first = await support.expect('dashboard.receipts.list', { count: 2 })
  const rest = await support.expect('dashboard.receipts.list', { count: 2, after: first.next })
  assert.deepEqual(
    [...first.receipts, ...rest.receipts].map(({ receiptId }) => receiptId),
    ids,
  )
  assert.equal(rest.next, null)
  const [paid] = first.receipts
  assert.deepEqual([paid?.state, paid?.takenTiyin, paid?.number], [4, 100_002, '860006******6311'])
  const { receipts } = await support.expect('dashboard.receipts.list', { to: paid?.createdAt ?? 0, count: 1 })
  assert.equal(receipts[0]?.receiptId, middle)

  await support.expect('dashboard.receipts.cancel', { receiptId: newest })
  const { operations, timeline } = await support.expect('dashboard.receipts.get', { receiptId: newest })
  // Both are asked within one millisecond of this clock: their order is not told.
  assert.deepEqual(operations.map(({ kind }) => kind).toSorted(), ['authorise', 'refund'])
  assert.equal(operations.find(({ kind }) => kind === 'authorise')?.state, 'approved')
  const mine = timeline.find(({ actor }) => actor === 'user')
  assert.match(mine?.what ?? '', /^receipt\.(returning|cancelled)$/)
  assert.ok(!JSON.stringify({ operations, timeline }).includes(token.slice(25)))
})

test('a hold is confirmed in part, not above it, and not twice', async () => {
  const support = await entrance.user('support')
  const shop = house.caller('spec', support.merchantId)
  const token = await shop.verified(successPan, { save: true })
  const { receipt } = await shop.expect('receipts.create', { amount: 100_000 })
  const receiptId = receipt._id
  assert.equal(await support.refused('dashboard.receipts.confirm', { receiptId }), 'receipt_not_held')
  await shop.expect('receipts.pay', { id: receiptId, token, hold: true })
  assert.equal(await support.refused('dashboard.receipts.confirm', { receiptId, amountTiyin: 100_001 }), 'amount_above_hold')
  await support.expect('dashboard.receipts.confirm', { receiptId, amountTiyin: 40_000 })
  const { receipt: after } = await support.expect('dashboard.receipts.get', { receiptId })
  assert.deepEqual([after.state, after.takenTiyin], [4, 40_000])
  assert.equal(await support.refused('dashboard.receipts.confirm', { receiptId }), 'receipt_not_held')
})

test('a refused payment stands in the timeline of its card with its reason, and its receipt tells the cards that were tried', async () => {
  const support = await entrance.user('support')
  const shop = house.caller('spec', support.merchantId)
  const [blocked, good] = [await shop.verified(blockedPan, { save: true }), await shop.verified(successPan, { save: true })]
  const { receipt } = await shop.expect('receipts.create', { amount: 100_000 })
  const receiptId = receipt._id
  assert.equal(await shop.refused('receipts.pay', { id: receiptId, token: blocked }), 'card_blocked')

  const cardId = blocked.slice(0, 24)
  const unpaid = await support.expect('dashboard.receipts.get', { receiptId })
  assert.deepEqual([unpaid.receipt.cardId, unpaid.receipt.reason], ['', 'card_blocked'])
  assert.deepEqual(
    unpaid.operations.map(({ reason, cardId: tried, number }) => [reason, tried, number]),
    [['card_blocked', cardId, '444444******9073']],
  )
  await shop.expect('receipts.pay', { id: receiptId, token: good })
  const { timeline } = await support.expect('dashboard.cards.get', { cardId })
  const refused = timeline.filter(({ receiptId: told }) => told === receiptId)
  assert.deepEqual(
    refused.map(({ what, outcome, amountTiyin }) => [what, outcome, amountTiyin]),
    [['receipt.refused', 'card_blocked', 100_000]],
  )
  const ofGood = (await support.expect('dashboard.cards.get', { cardId: good.slice(0, 24) })).timeline
  assert.deepEqual(
    ofGood.filter(({ receiptId: told }) => told === receiptId).map(({ what }) => what),
    ['receipt'],
  )
})
