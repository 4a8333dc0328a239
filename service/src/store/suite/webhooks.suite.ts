import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  claimDeliveries,
  claimPageSize,
  findEndpointPageEnd,
  findNextWaiting,
  giveUpOverdue,
  listDueEndpoints,
  listRecentlyDue,
  wakeEndpoint,
} from '../delivery-claims.ts'
import {
  type DeliveryRow,
  findDueDelivery,
  listDeadDeliveries,
  listDeliveries,
  listDeliveryAttempts,
  listDeliveryPage,
  recordDeliveryAttempt,
  replayEvent,
} from '../deliveries.ts'
import { deleteOldEvents, listEvents } from '../outbox.ts'
import { insertReceipt } from '../receipts.ts'
import { deleteInPages, type Store } from '../store.ts'
import { deleteEndpoint, insertEndpoint, listEndpoints, updateEndpointSecrets } from '../webhook-endpoints.ts'
import { makeEvent, makeReceipt, makeReceiptExtras } from './money.fixture.ts'
import { bucket, bytesOf, sampleMerchantId, T0 } from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'
import {
  claimAll,
  endpointAuditEntry,
  insertSampleEndpoint,
  makeDeliveriesClaim,
  makeEndpoint,
  recordAttempt,
  insertSampleEvents,
} from './webhooks.fixture.ts'

export function webhooksSuite(withStore: WithStore): void {
  test(
    'endpoints are inserted, listed, rotated and deleted, each URL of a merchant once and up to the limit',
    withStore(async ({ store }) => {
      const one = await insertSampleEndpoint(store, 'one')
      assert.equal(
        await store.write(insertEndpoint, {
          endpoint: makeEndpoint('again', { url: one.url }),
          maxEndpoints: 5,
          audit: endpointAuditEntry,
        }),
        false,
      )
      assert.equal(
        await store.write(insertEndpoint, { endpoint: makeEndpoint('beyond'), maxEndpoints: 1, audit: endpointAuditEntry }),
        false,
      )
      assert.deepEqual(await store.read(listEndpoints(one)), [one])

      const next = {
        ...one,
        secret: bytesOf('next', 78),
        previousSecret: one.secret,
        previousSecretEndsAt: T0 + 5,
        version: 2,
        mac: bytesOf('next mac', 48),
      }
      const changed = await Promise.all(
        [1, 2, 3].map(() => store.write(updateEndpointSecrets, { endpoint: next, previousMac: one.mac, audit: endpointAuditEntry })),
      )
      assert.equal(changed.filter(Boolean).length, 1)
      assert.deepEqual(await store.read(listEndpoints(one)), [next])
      assert.equal(await store.write(deleteEndpoint, { key: { ...one, merchantId: 'b'.repeat(24) }, audit: endpointAuditEntry }), false)
      assert.equal(await store.write(deleteEndpoint, { key: one, audit: endpointAuditEntry }), true)
      assert.equal(await store.write(deleteEndpoint, { key: one, audit: endpointAuditEntry }), false)
      assert.deepEqual(await store.read(listEndpoints(one)), [])
    }),
  )

  test(
    'an event goes to every endpoint that the merchant has when it happens, and to none of another merchant',
    withStore(async ({ store }) => {
      await insertSampleEvents(store, 1, 'before', 1)
      await insertSampleEndpoint(store, 'one')
      await insertSampleEndpoint(store, 'two')
      await store.write(insertEndpoint, {
        endpoint: makeEndpoint('foreign', { merchantId: 'b'.repeat(24) }),
        maxEndpoints: 5,
        audit: endpointAuditEntry,
      })
      const [eventId = ''] = await insertSampleEvents(store, 2, 'object', 1)
      const claimed = await claimAll(store, 'c', T0)
      assert.deepEqual(claimed.map(({ endpointId, eventId: of }) => [endpointId, of]).sort(), [
        ['one', eventId],
        ['two', eventId],
      ])
      const found = await store.read(findDueDelivery(claimed[0]!))
      assert.deepEqual([found?.event.eventId, found?.endpoint?.endpointId], [eventId, claimed[0]?.endpointId])
    }),
  )

  test(
    'of many concurrent claims each delivery is in one, until its lease is over',
    withStore(async ({ store }) => {
      await insertSampleEndpoint(store, 'one')
      for (let n = 0; n < 40; n++) await insertSampleEvents(store, n, `object ${n}`, 1)
      const claims = await Promise.all(
        Array.from({ length: 10 }, async (_, n) => {
          return (await store.write(claimDeliveries, makeDeliveriesClaim(`c${n}`, T0, { count: 7 }))).claimed
        }),
      )
      const ids = claims.flat().map(({ eventId }) => eventId)
      assert.equal(new Set(ids).size, ids.length)
      const rest = await claimAll(store, 'rest', T0)
      assert.equal(ids.length + rest.length, 40)
      assert.deepEqual(await claimAll(store, 'early', T0 + 29_999), [])
      const again = await claimAll(store, 'late', T0 + 30_000)
      assert.equal(again.length, 40)
      assert.ok(again.every(({ totalAttempts }) => totalAttempts === 2))
      assert.equal(await recordAttempt(store, claims.flat()[0]!, 'c0', T0 + 30_001, 'delivered'), false, 'the lease was over')
      assert.equal(await recordAttempt(store, again[0]!, 'late', T0 + 30_001, 'delivered'), true)
      assert.equal(await recordAttempt(store, again[0]!, 'late', T0 + 30_001, 'delivered'), false)
    }),
  )

  test(
    'of the events of one object only the oldest waiting one is claimed, and those behind it wait until it is due',
    withStore(async ({ store, raw }) => {
      await insertSampleEndpoint(store, 'one')
      const ids = await insertSampleEvents(store, 1, 'object', 3)
      const at = (now: number): Promise<DeliveryRow[]> => claimAll(store, `at ${now}`, now)
      const [first, ...others] = await at(T0)
      assert.deepEqual([first?.eventId, others], [ids[0], []])
      assert.equal(await recordAttempt(store, first!, `at ${T0}`, T0 + 1, T0 + 5000), true)
      assert.deepEqual(await at(T0 + 4999), [])
      const dues = await raw('select due_at from deliveries')
      assert.deepEqual(
        dues.map((row) => Number(row['due_at'])),
        [T0 + 5000, T0 + 5000, T0 + 5000],
      )
      const [again] = await at(T0 + 5000)
      assert.deepEqual([again?.eventId, again?.attempts], [ids[0], 2])
      await recordAttempt(store, again!, `at ${T0 + 5000}`, T0 + 5001, 'delivered')
      const [second] = await at(T0 + 5001)
      assert.equal(second?.eventId, ids[1])
      await recordAttempt(store, second!, `at ${T0 + 5001}`, T0 + 5002, 'dead')
      const [third] = await at(T0 + 5002)
      assert.equal(third?.eventId, ids[2], 'a dead delivery does not block those behind it')
    }),
  )

  test(
    'an endpoint whose deliveries wait does not delay those of another',
    withStore(async ({ store }) => {
      await insertSampleEndpoint(store, 'one')
      await insertSampleEndpoint(store, 'two')
      const ids = await insertSampleEvents(store, 1, 'object', 2)
      const claimed = await claimAll(store, 'c', T0)
      for (const each of claimed) await recordAttempt(store, each, 'c', T0, each.endpointId === 'one' ? T0 + 9000 : 'delivered')
      assert.deepEqual(await claimAll(store, 'd', T0 + 1, ['one']), [])
      const next = await claimAll(store, 'd', T0 + 1)
      assert.deepEqual(
        next.map(({ endpointId, eventId }) => [endpointId, eventId]),
        [['two', ids[1]]],
      )
    }),
  )

  test(
    'endpoints with due deliveries are found, in pages of existing ones, by what became due lately, and one by one when they were removed',
    withStore(async ({ store }) => {
      const one = await insertSampleEndpoint(store, 'one')
      await insertSampleEndpoint(store, 'two')
      await insertSampleEvents(store, 1, 'object', 2)
      const find = (after: string, upTo: string, now = T0) =>
        store.read(listDueEndpoints({ after: { bucket, endpointId: after }, upTo: { bucket, endpointId: upTo }, now }))
      const findEnd = (after: string, count: number) => store.read(findEndpointPageEnd({ after: { bucket, endpointId: after }, count }))
      assert.deepEqual(await find('', 'two', T0 - 1), [])
      assert.deepEqual(await find('', 'two'), [
        { bucket, endpointId: 'one' },
        { bucket, endpointId: 'two' },
      ])
      assert.deepEqual(await find('', 'one'), [{ bucket, endpointId: 'one' }])
      assert.deepEqual(await find('one', 'two'), [{ bucket, endpointId: 'two' }])
      assert.deepEqual(await find('two', 'zzz'), [])
      assert.deepEqual(
        [await findEnd('', 1), await findEnd('', 2)],
        [
          { bucket, endpointId: 'one' },
          { bucket, endpointId: 'two' },
        ],
      )
      assert.deepEqual([await findEnd('', 3), await findEnd('one', 2)], [null, null])
      const recent = await store.read(listRecentlyDue({ from: T0 - 1, to: T0 }))
      assert.deepEqual(recent.map(({ endpointId }) => endpointId).sort(), ['one', 'one', 'two', 'two'])
      assert.deepEqual(await store.read(listRecentlyDue({ from: T0, to: T0 + 1 })), [])
      await store.write(deleteEndpoint, { key: one, audit: endpointAuditEntry })
      assert.deepEqual(await find('', 'two'), [{ bucket, endpointId: 'two' }])
      assert.deepEqual(await store.read(findNextWaiting({ bucket: -1, endpointId: '' })), { bucket, endpointId: 'one' })
      assert.equal(await store.read(findNextWaiting({ bucket, endpointId: 'two' })), null)
    }),
  )

  test(
    'waking an endpoint makes what waits for another attempt due, but nothing in progress and nothing of another endpoint',
    withStore(async ({ store, raw }) => {
      await insertSampleEndpoint(store, 'one')
      await insertSampleEndpoint(store, 'two')
      for (let n = 0; n < 3; n++) await insertSampleEvents(store, n, `object ${n}`, 2)
      const [inProgress, ...others] = await claimAll(store, 'c', T0)
      for (const each of others) await recordAttempt(store, each, 'c', T0, T0 + 300_000)
      const endpoint = { bucket, endpointId: 'one' }
      assert.equal(await store.write(wakeEndpoint, { endpoint, now: T0 + 1 }), 4)
      assert.equal(await store.write(wakeEndpoint, { endpoint, now: T0 + 1 }), 0)
      const due = await raw(`select endpoint_id from deliveries where due_at <= ${T0 + 1}`)
      // Besides the four, the one behind the delivery in progress was never postponed.
      assert.deepEqual(
        due.map((row) => row['endpoint_id']),
        ['one', 'one', 'one', 'one', 'one'],
      )
      assert.equal(await recordAttempt(store, inProgress!, 'c', T0 + 2, 'delivered'), true)
    }),
  )

  test(
    'what has been due for longer than all attempts take is given up, and nothing that was attempted meanwhile',
    withStore(async ({ store }) => {
      await insertSampleEndpoint(store, 'one')
      for (let n = 0; n < 3; n++) await insertSampleEvents(store, n, `object ${n}`, 1)
      const [attempted] = (await store.write(claimDeliveries, makeDeliveriesClaim('c', T0, { count: 1 }))).claimed
      await recordAttempt(store, attempted!, 'c', T0, T0 + 9000)
      const page = { endpoint: { bucket, endpointId: 'one' }, now: T0 + 5000 }
      assert.equal(await store.write(giveUpOverdue, { ...page, dueBefore: T0 }), 0)
      assert.equal(await store.write(giveUpOverdue, { ...page, dueBefore: T0 + 1 }), 2)
      const dead = await store.read(listDeadDeliveries({ bucket, merchantId: sampleMerchantId, count: 9 }))
      assert.deepEqual(
        dead.map(({ finishedAt, attempts }) => [finishedAt, attempts]),
        [
          [T0 + 5000, 0],
          [T0 + 5000, 0],
        ],
      )
    }),
  )

  test(
    'events that wait behind older ones fill no page for ever: the older ones are claimed from behind it when they are due again',
    withStore(async ({ store }) => {
      await insertSampleEndpoint(store, 'one')
      const objects = Array.from({ length: claimPageSize + 6 }, (_, n) => `object ${n}`)
      for (const [n, object] of objects.entries()) await insertSampleEvents(store, n, object, 1)
      for (const delivery of await claimAll(store, 'c', T0, ['one'])) await recordAttempt(store, delivery, 'c', T0, T0 + 9000)
      for (const [n, object] of objects.entries()) {
        const receipt = makeReceipt(n + 100)
        await store.write(insertReceipt, { receipt, ...makeReceiptExtras(receipt, { events: [makeEvent(object, '2')] }) })
      }
      const claimed: string[] = []
      for (let n = 0; n < 20; n++) {
        const claim = makeDeliveriesClaim(`d${n}`, T0 + 9001)
        claimed.push(...(await store.write(claimDeliveries, claim)).claimed.map(({ objectId }) => objectId))
      }
      assert.deepEqual(claimed.sort(), objects.sort())
    }),
  )

  test(
    'what is postponed behind a delivery in progress is due again when that one ends',
    withStore(async ({ store, raw }) => {
      await insertSampleEndpoint(store, 'one')
      const ids = await insertSampleEvents(store, 1, 'object', 2)
      const [first] = await claimAll(store, 'c', T0)
      assert.deepEqual(await claimAll(store, 'd', T0 + 1), [])
      assert.deepEqual(await raw(`select event_id from deliveries where due_at <= ${T0 + 1}`), [], 'the second one is postponed')
      const { bucket: of, endpointId, eventId, totalAttempts: number } = first!
      const reply = { outcome: 'delivered', status: 200, replyHeaders: '', replyBody: '' }
      const attempt = { bucket: of, endpointId, eventId, number, at: T0, tookMs: 1, ...reply }
      const recorded = await store.write(recordDeliveryAttempt, { claimId: 'c', attempt, now: T0 + 2, state: 'delivered', dueAt: null })
      assert.deepEqual(recorded, { hasNext: true })
      assert.equal((await claimAll(store, 'e', T0 + 2))[0]?.eventId, ids[1])
    }),
  )

  test(
    'a replayed event is delivered again with all attempts allowed, and its earlier attempts stay recorded',
    withStore(async ({ store }) => {
      await insertSampleEndpoint(store, 'one')
      const [eventId = ''] = await insertSampleEvents(store, 1, 'object', 1)
      const [claimed] = await claimAll(store, 'c', T0)
      const replay = { bucket, merchantId: sampleMerchantId, eventId, endpointId: null, now: T0 + 7 }
      assert.equal(await store.write(replayEvent, { ...replay, audit: endpointAuditEntry }), 0, 'it is in progress')
      await recordAttempt(store, claimed!, 'c', T0 + 1, 'dead')
      const dead = await store.read(listDeadDeliveries({ bucket, merchantId: sampleMerchantId, count: 9 }))
      assert.deepEqual(
        dead.map(({ state, finishedAt }) => [state, finishedAt]),
        [['dead', T0 + 1]],
      )
      assert.equal(await store.write(replayEvent, { ...replay, merchantId: 'b'.repeat(24), audit: endpointAuditEntry }), 0)
      assert.equal(await store.write(replayEvent, { ...replay, audit: endpointAuditEntry }), 1)
      assert.deepEqual(await store.read(listDeadDeliveries({ bucket, merchantId: sampleMerchantId, count: 9 })), [])
      const [again] = await claimAll(store, 'd', T0 + 7)
      assert.deepEqual([again?.attempts, again?.totalAttempts], [1, 2])
      await recordAttempt(store, again!, 'd', T0 + 8, 'delivered')
      assert.deepEqual(
        (await store.read(listDeliveryAttempts({ bucket, eventId }))).map(({ number }) => number),
        [1, 2],
      )
      await insertSampleEndpoint(store, 'later')
      assert.equal(
        await store.write(replayEvent, { ...replay, audit: endpointAuditEntry }),
        2,
        'endpoints that were added later get it too',
      )
    }),
  )

  test(
    'a replay at one endpoint does not affect the others, nor a delivery in progress',
    withStore(async ({ store }) => {
      await insertSampleEndpoint(store, 'one')
      await insertSampleEndpoint(store, 'two')
      const [eventId = ''] = await insertSampleEvents(store, 1, 'object', 1)
      const replay = { bucket, merchantId: sampleMerchantId, eventId, endpointId: 'two', now: T0 + 7 }
      const claimed = await claimAll(store, 'c', T0)
      assert.equal(await store.write(replayEvent, { ...replay, audit: endpointAuditEntry }), 0)
      for (const each of claimed) await recordAttempt(store, each, 'c', T0 + 1, 'dead')
      assert.equal(await store.write(replayEvent, { ...replay, endpointId: 'foreign', audit: endpointAuditEntry }), 0)
      assert.equal(await store.write(replayEvent, { ...replay, audit: endpointAuditEntry }), 1)
      const again = await claimAll(store, 'd', T0 + 7)
      assert.deepEqual(
        again.map(({ endpointId }) => endpointId),
        ['two'],
      )
    }),
  )

  test(
    'deliveries are listed page by page, newest event first, in one state or all, with their event types, for one merchant alone',
    withStore(async ({ store }) => {
      await insertSampleEndpoint(store, 'one')
      await insertSampleEndpoint(store, 'two')
      for (let n = 0; n < 4; n++) await insertSampleEvents(store, n, `object ${n}`, 1)
      for (const each of await claimAll(store, 'c', T0))
        await recordAttempt(store, each, 'c', T0 + 1, each.endpointId === 'one' ? 'delivered' : 'dead')
      const all = await store.read(listDeliveryPage({ bucket, merchantId: sampleMerchantId, after: null, state: null, count: 50 }))
      const keyOf = ({ eventId, endpointId }: DeliveryRow): string => `${eventId} ${endpointId}`
      assert.equal(all.length, 8)
      assert.deepEqual(all.map(keyOf), all.map(keyOf).sort().reverse())
      const events = await store.read(listEvents({ bucket, merchantId: sampleMerchantId, from: 0, count: 9 }))
      for (const { eventId, type } of all) assert.equal(type, events.find((each) => each.eventId === eventId)?.type)
      const first = await store.read(listDeliveryPage({ bucket, merchantId: sampleMerchantId, after: null, state: null, count: 3 }))
      const rest = await store.read(listDeliveryPage({ bucket, merchantId: sampleMerchantId, after: first[2]!, state: null, count: 50 }))
      assert.deepEqual([...first, ...rest], all)
      const dead = await store.read(listDeliveryPage({ bucket, merchantId: sampleMerchantId, after: null, state: 'dead', count: 3 }))
      const others = await store.read(listDeliveryPage({ bucket, merchantId: sampleMerchantId, after: dead[2]!, state: 'dead', count: 50 }))
      assert.deepEqual(
        [...dead, ...others],
        all.filter(({ state }) => state === 'dead'),
      )
      assert.deepEqual(await store.read(listDeliveryPage({ bucket, merchantId: 'b'.repeat(24), after: null, state: null, count: 5 })), [])
    }),
  )

  test(
    'events are listed newest first, and deleted when they are old and no delivery of them waits',
    withStore(async ({ store, raw }) => {
      await insertSampleEndpoint(store, 'one')
      const [gone = ''] = await insertSampleEvents(store, 1, 'object', 1)
      const [waiting = ''] = await insertSampleEvents(store, 2, 'waiting', 1)
      const listed = await store.read(listEvents({ bucket, merchantId: sampleMerchantId, from: T0, count: 10 }))
      assert.deepEqual(listed.map(({ eventId }) => eventId).sort(), [gone, waiting].sort())
      assert.deepEqual(await store.read(listEvents({ bucket, merchantId: sampleMerchantId, from: T0 + 1, count: 10 })), [])
      for (const each of await claimAll(store, 'c', T0)) {
        await recordAttempt(store, each, 'c', T0, each.eventId === gone ? 'delivered' : T0 + 5)
      }
      assert.equal(await deleteInPages(store, deleteOldEvents, T0), 0)
      assert.equal(await deleteInPages(store, deleteOldEvents, T0 + 1), 1)
      assert.deepEqual(await countRows(raw), { outbox: 1, deliveries: 1, delivery_attempts: 1 })
      assert.equal((await store.read(listDeliveries({ bucket, eventId: waiting })))[0]?.state, 'waiting')
    }),
  )

  test(
    'a deleted endpoint is not found, and a claim of its delivery finds none',
    withStore(async ({ store }: { store: Store }) => {
      const endpoint = await insertSampleEndpoint(store, 'one')
      await insertSampleEvents(store, 1, 'object', 1)
      await store.write(deleteEndpoint, { key: endpoint, audit: endpointAuditEntry })
      const [claimed] = await claimAll(store, 'c', T0)
      assert.equal((await store.read(findDueDelivery(claimed!)))?.endpoint, null)
      assert.equal(await recordAttempt(store, claimed!, 'c', T0, 'dead'), true)
    }),
  )
}

async function countRows(raw: (text: string) => Promise<readonly unknown[]>): Promise<Record<string, number>> {
  const tables = ['outbox', 'deliveries', 'delivery_attempts']
  const counts = await Promise.all(tables.map(async (table) => [table, (await raw(`select 1 as one from ${table}`)).length] as const))
  return Object.fromEntries(counts)
}
