import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  claimDeliveries,
  type DeliveryRow,
  findDueDelivery,
  listDeadDeliveries,
  listDeliveries,
  listDeliveryAttempts,
  listDeliveryPage,
  replayEvent,
} from '../deliveries.ts'
import { deleteOldEvents, listEvents } from '../outbox.ts'
import { deleteInPages, type Store } from '../store.ts'
import { deleteEndpoint, insertEndpoint, listEndpoints, updateEndpointSecrets } from '../webhook-endpoints.ts'
import { bucket, bytesOf, sampleMerchantId, T0 } from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'
import {
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
      const claimed = await store.write(claimDeliveries, makeDeliveriesClaim('c', T0))
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
        Array.from({ length: 10 }, (_, n) => store.write(claimDeliveries, makeDeliveriesClaim(`c${n}`, T0, { count: 7 }))),
      )
      const ids = claims.flat().map(({ eventId }) => eventId)
      assert.equal(new Set(ids).size, ids.length)
      const rest = await store.write(claimDeliveries, makeDeliveriesClaim('rest', T0))
      assert.equal(ids.length + rest.length, 40)
      assert.deepEqual(await store.write(claimDeliveries, makeDeliveriesClaim('early', T0 + 29_999)), [])
      const again = await store.write(claimDeliveries, makeDeliveriesClaim('late', T0 + 30_000))
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
      const at = async (now: number): Promise<DeliveryRow[]> => store.write(claimDeliveries, makeDeliveriesClaim(`at ${now}`, now))
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
    'neither a waiting nor a busy endpoint delays the deliveries of another',
    withStore(async ({ store }) => {
      await insertSampleEndpoint(store, 'one')
      await insertSampleEndpoint(store, 'two')
      const ids = await insertSampleEvents(store, 1, 'object', 2)
      const claimed = await store.write(claimDeliveries, makeDeliveriesClaim('c', T0))
      for (const each of claimed) await recordAttempt(store, each, 'c', T0, each.endpointId === 'one' ? T0 + 9000 : 'delivered')
      assert.deepEqual(await store.write(claimDeliveries, makeDeliveriesClaim('d', T0 + 1, { busy: ['two'] })), [])
      const next = await store.write(claimDeliveries, makeDeliveriesClaim('d', T0 + 1))
      assert.deepEqual(
        next.map(({ endpointId, eventId }) => [endpointId, eventId]),
        [['two', ids[1]]],
      )
    }),
  )

  test(
    'a replayed event is delivered again with all attempts allowed, and its earlier attempts stay recorded',
    withStore(async ({ store }) => {
      await insertSampleEndpoint(store, 'one')
      const [eventId = ''] = await insertSampleEvents(store, 1, 'object', 1)
      const [claimed] = await store.write(claimDeliveries, makeDeliveriesClaim('c', T0))
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
      const [again] = await store.write(claimDeliveries, makeDeliveriesClaim('d', T0 + 7))
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
      const claimed = await store.write(claimDeliveries, makeDeliveriesClaim('c', T0))
      assert.equal(await store.write(replayEvent, { ...replay, audit: endpointAuditEntry }), 0)
      for (const each of claimed) await recordAttempt(store, each, 'c', T0 + 1, 'dead')
      assert.equal(await store.write(replayEvent, { ...replay, endpointId: 'foreign', audit: endpointAuditEntry }), 0)
      assert.equal(await store.write(replayEvent, { ...replay, audit: endpointAuditEntry }), 1)
      const again = await store.write(claimDeliveries, makeDeliveriesClaim('d', T0 + 7))
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
      for (const each of await store.write(claimDeliveries, makeDeliveriesClaim('c', T0)))
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
      for (const each of await store.write(claimDeliveries, makeDeliveriesClaim('c', T0))) {
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
      const [claimed] = await store.write(claimDeliveries, makeDeliveriesClaim('c', T0))
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
