import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertAuditEntry, listCodeEvents, listCodeEventsOfCards } from '../audit.ts'
import { insertCard } from '../cards.ts'
import { addCounters, type CounterRow, deleteOldCounters, listAllTimeCounters, listCounterPositions, listCounters } from '../counters.ts'
import { insertInboxSms, listMerchantInbox } from '../sandbox.ts'
import { deleteInPages } from '../store.ts'
import { type CardCodeEvent, findFunnel, withMaskedPans } from '../verification-reports.ts'
import type { WithStore } from './opened.fixture.ts'
import { bucket, makeCard, makeAuditEntry, makeSms, sampleMerchantId, T0 } from './samples.fixture.ts'

export function countersSuite(withStore: WithStore): void {
  const counter = (hour: number, name: string, count: number): CounterRow => ({ bucket, merchantId: sampleMerchantId, hour, name, count })

  test(
    'counters add up by the hour and by days that begin at midnight in Tashkent, for one merchant alone',
    withStore(async ({ store }) => {
      const midnight = 24 * 20_000 - 5
      await store.write(addCounters, {
        counters: [counter(0, 'created', 3), counter(midnight - 1, 'created', 1), counter(midnight, 'created', 2)],
        position: null,
      })
      await store.write(addCounters, {
        counters: [counter(0, 'created', 1), counter(midnight, 'created', 5), counter(midnight, 'paid', 1)],
        position: null,
      })
      const query = { bucket, merchantId: sampleMerchantId, fromHour: midnight - 1, toHour: midnight, stepHours: 24 } as const
      assert.deepEqual(await store.read(listCounters(query)), [
        { step: 19_999, name: 'created', count: 1 },
        { step: 20_000, name: 'created', count: 7 },
        { step: 20_000, name: 'paid', count: 1 },
      ])
      assert.deepEqual(await store.read(listCounters({ ...query, stepHours: 1, toHour: midnight - 1 })), [
        { step: midnight + 4, name: 'created', count: 1 },
      ])
      assert.deepEqual(await store.read(listAllTimeCounters({ bucket, merchantId: sampleMerchantId })), [{ name: 'created', count: 4 }])
      assert.deepEqual(await store.read(listCounters({ ...query, merchantId: 'f'.repeat(24) })), [])
      assert.equal(await deleteInPages(store, deleteOldCounters, midnight), 1)
      assert.equal((await store.read(listCounters(query))).length, 2)
      assert.equal((await store.read(listAllTimeCounters({ bucket, merchantId: sampleMerchantId }))).length, 1)
    }),
  )

  test(
    'the entries after a position in an audit chain are counted once: of many concurrent writers one adds',
    withStore(async ({ store }) => {
      const move = { chain: 'c', from: 0, to: 7 }
      const added = await Promise.all(
        Array.from({ length: 8 }, () => store.write(addCounters, { counters: [counter(9, 'created', 1)], position: move })),
      )
      assert.equal(added.filter(Boolean).length, 1)
      assert.equal(await store.write(addCounters, { counters: [counter(9, 'created', 1)], position: { chain: 'c', from: 7, to: 9 } }), true)
      assert.equal(await store.write(addCounters, { counters: [counter(9, 'created', 1)], position: move }), false)
      const query = { bucket, merchantId: sampleMerchantId, fromHour: 9, toHour: 9, stepHours: 1 } as const
      assert.deepEqual(await store.read(listCounters(query)), [{ step: 14, name: 'created', count: 2 }])
      assert.deepEqual(await store.read(listCounterPositions()), [{ chain: 'c', seq: 9 }])
    }),
  )

  test(
    'code events are listed by keyset, each once, with the card’s mask, and counted in a funnel of the newest cards',
    withStore(async ({ store }) => {
      const requestId = 'd'.repeat(24)
      const [one, two] = [makeCard(1, { createdAt: T0 }), makeCard(2, { createdAt: T0 + 1, verified: true, verifiedAt: T0 + 9 })]
      for (const card of [one, two])
        await store.write(insertCard, { card, audit: { ...makeAuditEntry(card, 'card.created'), merchantId: sampleMerchantId } })
      const events = [
        [one, 'code.dispatched', 'smsNotConnected', T0 + 2],
        [two, 'code.dispatched', 'sent', T0 + 3],
        [two, 'code.attempted', 'wrong_code', T0 + 3],
        [two, 'card.verified', 'correct_code', T0 + 4],
        [two, 'code.requested', 'requested', T0 + 5],
      ] as const
      for (const [card, action, outcome, at] of events) {
        await store.write(insertAuditEntry, {
          audit: { ...makeAuditEntry(card, action), merchantId: sampleMerchantId, outcome, at, requestId },
        })
      }
      const of = { bucket, merchantId: sampleMerchantId }
      const anyTime = { from: 0, to: Number.MAX_SAFE_INTEGER }
      const seen: CardCodeEvent[] = []
      for (let page = 0; page < 9; page++) {
        const events = await store.read(listCodeEvents({ merchantId: sampleMerchantId, ...anyTime, after: seen.at(-1) ?? null, count: 2 }))
        if (events.length === 0) break
        seen.push(...(await withMaskedPans(store, of, events)))
      }
      assert.deepEqual(
        seen.map(({ action, outcome, cardId, maskedPan }) => [action, outcome, cardId, maskedPan]),
        [events[3], events[2], events[1], events[0]].map(([card, action, outcome]) => [action, outcome, card.cardId, card.maskedPan]),
      )
      const ofCards = async (query: Parameters<typeof listCodeEvents>[0], cardIds: readonly string[]): Promise<CardCodeEvent[]> =>
        withMaskedPans(store, of, await store.read(listCodeEventsOfCards(query, cardIds)))
      assert.deepEqual(await store.read(listCodeEvents({ merchantId: 'f'.repeat(24), ...anyTime, after: null, count: 9 })), [])
      const all = { merchantId: sampleMerchantId, ...anyTime, after: null, count: 9 }
      const ofTime = await store.read(listCodeEvents({ ...all, from: T0 + 3, to: T0 + 4 }))
      assert.deepEqual(await withMaskedPans(store, of, ofTime), seen.slice(1, 3))
      assert.deepEqual(await ofCards(all, [two.cardId]), seen.slice(0, 3))
      assert.deepEqual(await ofCards(all, [one.cardId, two.cardId]), seen)
      assert.deepEqual(await ofCards({ ...all, after: seen[1] ?? null, count: 1 }, [two.cardId]), seen.slice(2, 3))
      assert.deepEqual(await ofCards({ ...all, merchantId: 'f'.repeat(24) }, [one.cardId]), [])
      const query = { bucket, merchantId: sampleMerchantId, from: T0, to: T0 + 99, cardsMax: 9 }
      assert.deepEqual(await findFunnel(store, query), { created: 2, sent: 1, verified: 1, paid: 0 })
      assert.deepEqual(await findFunnel(store, { ...query, cardsMax: 1 }), { created: 1, sent: 1, verified: 1, paid: 0 })
      assert.deepEqual(await findFunnel(store, { ...query, from: T0 + 2 }), { created: 0, sent: 0, verified: 0, paid: 0 })
      assert.equal((await findFunnel(store, { ...query, merchantId: 'f'.repeat(24) })).created, 0)
    }),
  )

  test(
    'the inbox of one merchant is listed by keyset, newest first',
    withStore(async ({ store }) => {
      for (const at of [1, 2, 3]) await store.write(insertInboxSms, makeSms(at, { merchantId: sampleMerchantId, at: T0 + at }))
      await store.write(insertInboxSms, makeSms(4, { merchantId: 'f'.repeat(24), at: T0 + 4 }))
      const [first, second] = await store.read(listMerchantInbox({ merchantId: sampleMerchantId, after: null, count: 2 }))
      assert.deepEqual([first?.at, second?.at], [T0 + 3, T0 + 2])
      assert.deepEqual(
        (await store.read(listMerchantInbox({ merchantId: sampleMerchantId, after: second ?? null, count: 2 }))).map(({ at }) => at),
        [T0 + 1],
      )
    }),
  )
}
