import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import type { Result } from '@tessera/contract/operations'
import { SettingProblem } from '@tessera/contract/setting-problems'

import { isTamperedEndpoint } from '../domain/webhooks/endpoints.ts'
import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'
import { withPostgres } from '../store/postgres/with-store.fixture.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'
import type { StoreUnderTest } from '../store/suite/opened.fixture.ts'

import { operatorActor } from '../testing/request-context.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

const pan = '8600495473316478'

for (const [name, withStore] of [
  ['the embedded store', withSqlite],
  ['PostgreSQL', withPostgres],
] as const) {
  test(
    `lists show tampered cards and receipts as such, without their content, and continue after them, on ${name}`,
    withStore(async ({ store, raw }: StoreUnderTest) => {
      const app = await createTestApp({ after }, { store })
      const user = await createDashboardClient(app).user('read')
      const shop = app.merchant('spec', user.merchantId)
      const made: { cardId: string; receiptId: string }[] = []
      for (let turn = 0; turn < 6; turn++) {
        const cardId = (await shop.createToken(pan)).slice(0, 24)
        const { receipt } = await shop.call('receipts.create', { amount: 500_000, account: { order: String(turn) } })
        made.unshift({ cardId, receiptId: receipt._id })
        app.clock.advance(1000)
      }
      // The last row of the first page has a wrong MAC, that of the second a value that is never written.
      await raw(`update cards set verified = 1, customer = '"a stranger"' where card_id = '${made[1]?.cardId}'`)
      await raw(`update cards set verified = 2 where card_id = '${made[3]?.cardId}'`)
      await raw(`update receipts set state = 4, amount_tiyin = 1 where receipt_id = '${made[1]?.receiptId}'`)
      await raw(`update receipts set flagged = 2 where receipt_id = '${made[3]?.receiptId}'`)

      const states: string[] = []
      const replies: string[] = []
      let [cardsAfter, receiptsAfter]: (string | null)[] = [null, null]
      for (let page = 0; page < 3; page++) {
        const cards: Result<'dashboard.cards.list'> = await user.call('dashboard.cards.list', { count: 2, after: cardsAfter ?? null })
        const receipts: Result<'dashboard.receipts.list'> = await user.call('dashboard.receipts.list', {
          count: 2,
          after: receiptsAfter ?? null,
        })
        states.push(...cards.cards.map(({ state }) => state), ...receipts.receipts.map(({ state }) => String(state)))
        replies.push(JSON.stringify(cards.cards), JSON.stringify(receipts.receipts))
        cardsAfter = cards.next
        receiptsAfter = receipts.next
      }
      assert.deepEqual([cardsAfter, receiptsAfter], [null, null])
      assert.deepEqual(states, ['live', 'tampered', '0', '-1', 'live', 'tampered', '0', '-1', 'live', 'live', '0', '0'])
      assert.ok(!replies.join().includes('a stranger') && !replies.join().includes('"amountTiyin":1,'))

      const [, bad] = made
      assert.ok(bad !== undefined)
      const { card, timeline } = await user.call('dashboard.cards.get', { cardId: bad.cardId })
      assert.deepEqual([card.state, card.number, card.verified, card.customer], ['tampered', '', false, null])
      assert.ok(timeline.some(({ what }) => what === 'card.created'))
      assert.equal((await user.call('dashboard.cards.list', { search: bad.cardId })).cards[0]?.state, 'tampered')
      assert.equal((await user.call('dashboard.receipts.get', { receiptId: bad.receiptId })).receipt.state, -1)
      // A value that cannot be read is reported like a wrong MAC.
      const broken = made[3]
      assert.ok(broken !== undefined)
      assert.equal((await user.call('dashboard.cards.get', { cardId: broken.cardId })).card.state, 'tampered')
      assert.equal((await user.call('dashboard.cards.list', { search: broken.cardId })).cards[0]?.state, 'tampered')
      assert.equal((await user.call('dashboard.receipts.get', { receiptId: broken.receiptId })).receipt.state, -1)
      const alarmed = new Set(app.alarms)
      for (const id of [bad.cardId, bad.receiptId, broken.cardId, broken.receiptId])
        assert.ok(alarmed.has(`row_tampered ${id}`), [...alarmed].join())
      await app.close()
    }),
  )

  test(
    `a tampered webhook endpoint is listed as such and removed by its id, and tampered events are not shown, on ${name}`,
    withStore(async ({ store, raw }: StoreUnderTest) => {
      const app = await createTestApp({ after }, { store })
      const user = await createDashboardClient(app).user('developer')
      const { endpointId } = await user.call('dashboard.webhooks.add', { url: 'https://shop.example/one' })
      app.clock.advance(1000)
      const { endpointId: good } = await user.call('dashboard.webhooks.add', { url: 'https://shop.example/two' })
      const { receipt } = await app.merchant('spec', user.merchantId).call('receipts.create', { amount: 500_000 })
      await app.merchant('spec', user.merchantId).call('receipts.cancel', { id: receipt._id })
      const deliveries = async () => (await user.call('dashboard.webhooks.deliveries', {})).deliveries
      const shown = async () => (await deliveries()).map(({ url, type, isEndpointTampered }) => [url, type, isEndpointTampered])
      assert.deepEqual(
        (await shown()).toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
        [
          ['https://shop.example/one', 'receipt.cancelled', false],
          ['https://shop.example/two', 'receipt.cancelled', false],
        ],
      )
      const { eventId = '' } = (await deliveries())[0] ?? {}
      assert.equal(app.alarms.length, 0, 'the control')

      await raw(`update webhook_endpoints set url = 'https://thief.example/' where endpoint_id = '${endpointId}'`)
      assert.deepEqual(
        (await user.call('dashboard.webhooks.list', {})).endpoints.map(({ endpointId: id, state, url }) => [id, state, url]),
        [
          [endpointId, 'tampered', ''],
          [good, 'active', 'https://shop.example/two'],
        ],
      )
      assert.ok(app.alarms.some((alarm) => alarm.startsWith('row_tampered')))
      assert.deepEqual(
        (await app.endpoints.list(user.merchantId)).map((each) => isTamperedEndpoint(each)),
        [true, false],
      )
      assert.deepEqual(
        (await shown()).toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
        [
          ['https://shop.example/two', 'receipt.cancelled', false],
          [null, 'receipt.cancelled', true],
        ],
      )

      app.alarms.length = 0
      await raw(`update outbox set type = 'receipt.paid', body = '{"of":"a stranger"}' where event_id = '${eventId}'`)
      assert.deepEqual(
        (await deliveries()).map(({ type }) => type),
        [null, null],
      )
      const details = await user.call('dashboard.webhooks.delivery', { eventId, endpointId: good })
      assert.deepEqual([details.delivery.type, details.body], [null, ''])
      assert.ok(app.alarms.length > 0)

      // A type and a state that are never written, and a deleted event.
      app.alarms.length = 0
      app.clock.advance(61_000)
      await raw(`update outbox set type = 'receipt.stolen' where event_id = '${eventId}'`)
      await raw(`update deliveries set state = 'stolen' where event_id = '${eventId}' and endpoint_id = '${good}'`)
      assert.deepEqual(
        (await deliveries()).map(({ type }) => type),
        [null, null],
      )
      assert.deepEqual(await app.endpoints.events(user.merchantId, 0, 9), [])
      assert.ok(app.alarms.some((alarm) => alarm.startsWith('row_tampered')))
      await raw(`delete from outbox where event_id = '${eventId}'`)
      assert.deepEqual(
        (await deliveries()).map(({ type }) => type),
        [null, null],
      )

      for (const method of ['dashboard.webhooks.rotate', 'dashboard.webhooks.sendTest'] as const)
        assert.equal(await user.expectError(method, { endpointId }), 'setting_refused')
      const byUrl = await app.endpoints.remove(user.merchantId, 'https://thief.example/', operatorActor)
      assert.ok(byUrl instanceof SettingProblem && byUrl.code === 'webhook_unknown')
      await user.call('dashboard.webhooks.remove', { endpointId })
      assert.deepEqual(
        (await user.call('dashboard.webhooks.list', {})).endpoints.map((each) => each.endpointId),
        [good],
      )
      const { entries } = await user.call('dashboard.audit.list', { subject: endpointId })
      assert.ok(entries.some(({ action }) => action === 'webhook.removed'))
      await app.close()
    }),
  )
}
