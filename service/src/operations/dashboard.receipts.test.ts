import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'

const blockedPan = '4444445987459073'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

test('receipts are listed in pages and by days, and one receipt shows its states, network replies and actors', async () => {
  const support = await entrance.user('support')
  const shop = app.merchant('spec', support.merchantId)
  const token = await shop.createVerifiedToken(successPan, { save: true })
  const ids: string[] = []
  for (let number = 0; number < 3; number++) {
    const { receipt } = await shop.call('receipts.create', { amount: 100_000 + number, description: `order ${number}` })
    ids.unshift(receipt._id)
    app.clock.advance(1000)
  }
  const [newest = '', middle = ''] = ids
  await shop.call('receipts.pay', { id: newest, token })
  const first = await support.call('dashboard.receipts.list', { count: 2 })
  const rest = await support.call('dashboard.receipts.list', { count: 2, after: first.next })
  assert.deepEqual(
    [...first.receipts, ...rest.receipts].map(({ receiptId }) => receiptId),
    ids,
  )
  assert.equal(rest.next, null)
  const [paid] = first.receipts
  assert.deepEqual([paid?.state, paid?.takenTiyin, paid?.number], [4, 100_002, '860006******6311'])
  const { receipts } = await support.call('dashboard.receipts.list', { to: paid?.createdAt ?? 0, count: 1 })
  assert.equal(receipts[0]?.receiptId, middle)

  await support.call('dashboard.receipts.cancel', { receiptId: newest })
  const { operations, timeline } = await support.call('dashboard.receipts.get', { receiptId: newest })
  // Both are requested within one millisecond of this clock, so their order is undefined.
  assert.deepEqual(operations.map(({ kind }) => kind).toSorted(), ['authorize', 'refund'])
  assert.equal(operations.find(({ kind }) => kind === 'authorize')?.state, 'approved')
  const mine = timeline.find(({ actor }) => actor === 'user')
  assert.match(mine?.what ?? '', /^receipt\.(returning|cancelled)$/)
  assert.ok(!JSON.stringify({ operations, timeline }).includes(token.slice(25)))
})

test('a hold is captured in part, not above its amount, and not twice', async () => {
  const support = await entrance.user('support')
  const shop = app.merchant('spec', support.merchantId)
  const token = await shop.createVerifiedToken(successPan, { save: true })
  const { receipt } = await shop.call('receipts.create', { amount: 100_000 })
  const receiptId = receipt._id
  assert.equal(await support.expectError('dashboard.receipts.confirm', { receiptId }), 'receipt_not_held')
  await shop.call('receipts.pay', { id: receiptId, token, hold: true })
  assert.equal(await support.expectError('dashboard.receipts.confirm', { receiptId, amountTiyin: 100_001 }), 'amount_above_hold')
  await support.call('dashboard.receipts.confirm', { receiptId, amountTiyin: 40_000 })
  const { receipt: after } = await support.call('dashboard.receipts.get', { receiptId })
  assert.deepEqual([after.state, after.takenTiyin], [4, 40_000])
  assert.equal(await support.expectError('dashboard.receipts.confirm', { receiptId }), 'receipt_not_held')
})

test('a declined payment is in the timeline of its card with its reason, and its receipt lists the attempted cards', async () => {
  const support = await entrance.user('support')
  const shop = app.merchant('spec', support.merchantId)
  const [blocked, good] = [
    await shop.createVerifiedToken(blockedPan, { save: true }),
    await shop.createVerifiedToken(successPan, { save: true }),
  ]
  const { receipt } = await shop.call('receipts.create', { amount: 100_000 })
  const receiptId = receipt._id
  assert.equal(await shop.expectError('receipts.pay', { id: receiptId, token: blocked }), 'card_blocked')

  const cardId = blocked.slice(0, 24)
  const unpaid = await support.call('dashboard.receipts.get', { receiptId })
  assert.deepEqual([unpaid.receipt.cardId, unpaid.receipt.reason], ['', 'card_blocked'])
  assert.deepEqual(
    unpaid.operations.map(({ reason, cardId: tried, number }) => [reason, tried, number]),
    [['card_blocked', cardId, '444444******9073']],
  )
  await shop.call('receipts.pay', { id: receiptId, token: good })
  const { timeline } = await support.call('dashboard.cards.get', { cardId })
  const refused = timeline.filter((step) => step.receiptId === receiptId)
  assert.deepEqual(
    refused.map(({ what, outcome, amountTiyin }) => [what, outcome, amountTiyin]),
    [['receipt.payment_failed', 'card_blocked', 100_000]],
  )
  const ofGood = (await support.call('dashboard.cards.get', { cardId: good.slice(0, 24) })).timeline
  assert.deepEqual(
    ofGood.filter((step) => step.receiptId === receiptId).map(({ what }) => what),
    ['receipt'],
  )
})

test('a refund stores why, and a receipt that would end in another way than the user was shown is left alone', async () => {
  const support = await entrance.user('support')
  const shop = app.merchant('spec', support.merchantId)
  const token = await shop.createVerifiedToken(successPan, { save: true })
  const { receipt } = await shop.call('receipts.create', { amount: 100_000 })
  const receiptId = receipt._id
  for (const expected of ['void', 'refund'] as const) {
    assert.equal(await support.expectError('dashboard.receipts.cancel', { receiptId, expected }), 'cannot_cancel')
  }
  await shop.call('receipts.pay', { id: receiptId, token })
  // The user had opened the dialog before it was paid.
  assert.equal(await support.expectError('dashboard.receipts.cancel', { receiptId, expected: 'cancel' }), 'cannot_cancel')
  assert.equal((await shop.call('receipts.get', { id: receiptId })).receipt.state, 4)

  const note = 'came back <b>damaged</b> \u0000'
  await support.call('dashboard.receipts.cancel', { receiptId, expected: 'refund', reason: 'not_delivered', note: ` ${note} ` })
  await (await entrance.user('owner', support.merchantId)).call('dashboard.users.rename', { userId: support.userId, name: 'Nodira' })
  const { timeline } = await support.call('dashboard.receipts.get', { receiptId })
  assert.deepEqual(
    timeline
      .filter(({ what }) => what === 'receipt.paid' || what === 'receipt.cancelled')
      .map(({ actor, name, phone }) => [actor, name, phone === null]),
    [
      ['user', 'Nodira', false],
      ['merchant', '', true],
    ],
    'the user is named as the dialog of the refund says; a call of the API and the service are not',
  )
  const said = timeline.filter(({ reason }) => reason !== null)
  assert.deepEqual(
    said.map(({ what, actor, reason, note: words }) => [what, actor, reason, words]),
    [['receipt.cancelled', 'user', 'not_delivered', note.trim()]],
  )
  const { entries } = await support.call('dashboard.audit.list', {})
  const entry = entries.find(({ changes }) => changes.some(({ to }) => to === 'not_delivered'))
  assert.deepEqual(
    entry?.changes.map(({ name, from }) => [name, from]),
    [
      ['reason', null],
      ['note', null],
    ],
  )
})
