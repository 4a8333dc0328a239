import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)
const pan = '8600495473316478'

test('cards are listed newest first in pages, each once, with id and mask and never a token', async () => {
  const user = await entrance.user('read')
  const shop = app.merchant('spec', user.merchantId)
  const tokens: string[] = []
  for (let turn = 0; turn < 7; turn++) tokens.unshift(await shop.createToken(pan))
  const seen: string[] = []
  for (let after: string | null = null, page = 0; page < 4; page++) {
    const { cards, next }: { cards: { cardId: string }[]; next: string | null } = await user.call('dashboard.cards.list', {
      after,
      count: 3,
    })
    seen.push(...cards.map(({ cardId }) => cardId))
    after = next
    if (next === null) break
  }
  assert.deepEqual(seen.toSorted(), tokens.map((token) => token.slice(0, 24)).toSorted())
  const text = JSON.stringify(await user.call('dashboard.cards.list', {}))
  assert.ok(text.includes('860049******6478') && tokens.every((token) => !text.includes(token.slice(24))))
})

test('a card is found by its last four digits, mask, id and the merchant’s customer id', async () => {
  const user = await entrance.user('read')
  const shop = app.merchant('spec', user.merchantId)
  await shop.createToken('8600069195406311')
  const { card } = await shop.call('cards.create', { card: { number: '', expire: '0399' }, customer: 'payer "7"' }, pan)
  const cardId = card.token.slice(0, 24)
  for (const search of ['6478', '860049******6478', ' 8600 6478 ', cardId, 'payer "7"']) {
    const { cards } = await user.call('dashboard.cards.list', { search })
    assert.deepEqual(
      cards.map((found) => found.cardId),
      [cardId],
      search,
    )
  }
  for (const search of ['0000', '860006 6478', '0'.repeat(24), 'payer']) {
    assert.deepEqual((await user.call('dashboard.cards.list', { search })).cards, [], search)
  }
})

test('a removed card still has its timeline, with the user that removed it', async () => {
  const user = await entrance.user('support')
  const cardId = (await app.merchant('spec', user.merchantId).createVerifiedToken(pan)).slice(0, 24)
  await user.call('dashboard.cards.remove', { cardId })
  assert.equal(await user.expectError('dashboard.cards.remove', { cardId }), 'card_deleted')
  const { card, timeline } = await user.call('dashboard.cards.get', { cardId })
  assert.equal(card.state, 'removed')
  const history = timeline.map(({ what, actor }) => `${what} ${actor}`)
  assert.match(timeline.find(({ what }) => what === 'card.removed')?.phone ?? '', /^998.*\*/)
  assert.ok(history.includes('card.removed user') && history.includes('card.created merchant'), history.join())
})

test('a receipt in the history of a card has the status of the list of receipts', async () => {
  const support = await entrance.user('support')
  const shop = app.merchant('spec', support.merchantId)
  const token = await shop.createVerifiedToken('8600069195406311', { save: true })
  const payWith = async (hold: boolean): Promise<string> => {
    const { receipt } = await shop.call('receipts.create', { amount: 100_000 })
    await shop.call('receipts.pay', { id: receipt._id, token, hold })
    return receipt._id
  }
  const [paid, refunded, voided] = [await payWith(false), await payWith(false), await payWith(true)]
  for (const receiptId of [refunded, voided]) await support.call('dashboard.receipts.cancel', { receiptId })
  await app.receiptWorker.runOnce()
  const { timeline } = await support.call('dashboard.cards.get', { cardId: token.slice(0, 24) })
  const statuses = new Map(timeline.filter(({ what }) => what === 'receipt').map(({ receiptId, status }) => [receiptId, status]))
  assert.deepEqual(
    [paid, refunded, voided].map((id) => statuses.get(id)),
    ['paid', 'refunded', 'voided'],
  )
  assert.ok(timeline.every(({ what, status }) => what === 'receipt' || status === null))
})
