import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeliveryRow, Store } from '../store.ts'
import { bucket, bytesOf, merchantId, T0 } from './samples.fixture.ts'
import type { WithStore } from './opened.fixture.ts'
import { endpointNote, keepEndpoint, makeDeliveriesClaim, makeEndpoint, settle, tell } from './webhooks.fixture.ts'

export function webhooksSuite(withStore: WithStore): void {
  test(
    'endpoints are kept, listed, rotated and removed, each URL of a merchant once and no more than it may have',
    withStore(async ({ store }) => {
      const one = await keepEndpoint(store, 'one')
      assert.equal(await store.insertEndpoint(makeEndpoint('again', { url: one.url }), 5, endpointNote), false)
      assert.equal(await store.insertEndpoint(makeEndpoint('beyond'), 1, endpointNote), false)
      assert.deepEqual(await store.listEndpoints(one), [one])

      const next = { ...one, secret: bytesOf('next', 78), secretBefore: one.secret, beforeEndsAt: T0 + 5 }
      const changed = await Promise.all([1, 2, 3].map(() => store.changeSecrets(next, one.secret, endpointNote)))
      assert.equal(changed.filter(Boolean).length, 1)
      assert.deepEqual(await store.listEndpoints(one), [next])
      assert.equal(await store.removeEndpoint({ ...one, merchantId: 'b'.repeat(24) }, endpointNote), false)
      assert.equal(await store.removeEndpoint(one, endpointNote), true)
      assert.equal(await store.removeEndpoint(one, endpointNote), false)
      assert.deepEqual(await store.listEndpoints(one), [])
    }),
  )

  test(
    'an event goes to every endpoint that the merchant has when it happens, and to none of another',
    withStore(async ({ store }) => {
      await tell(store, 1, 'before', 1)
      await keepEndpoint(store, 'one')
      await keepEndpoint(store, 'two')
      await store.insertEndpoint(makeEndpoint('foreign', { merchantId: 'b'.repeat(24) }), 5, endpointNote)
      const [eventId = ''] = await tell(store, 2, 'object', 1)
      const claimed = await store.claimDeliveries(makeDeliveriesClaim('c', T0))
      assert.deepEqual(claimed.map(({ endpointId, eventId: of }) => [endpointId, of]).sort(), [
        ['one', eventId],
        ['two', eventId],
      ])
      const found = await store.findDelivery(claimed[0]!)
      assert.deepEqual([found?.event.eventId, found?.endpoint?.endpointId], [eventId, claimed[0]?.endpointId])
    }),
  )

  test(
    'of many that claim at once each delivery is had by one, until the lease is over',
    withStore(async ({ store }) => {
      await keepEndpoint(store, 'one')
      for (let n = 0; n < 40; n++) await tell(store, n, `object ${n}`, 1)
      const claims = await Promise.all(
        Array.from({ length: 10 }, (_, n) => store.claimDeliveries(makeDeliveriesClaim(`c${n}`, T0, { count: 7 }))),
      )
      const ids = claims.flat().map(({ eventId }) => eventId)
      assert.equal(new Set(ids).size, ids.length)
      const rest = await store.claimDeliveries(makeDeliveriesClaim('rest', T0))
      assert.equal(ids.length + rest.length, 40)
      assert.deepEqual(await store.claimDeliveries(makeDeliveriesClaim('early', T0 + 29_999)), [])
      const again = await store.claimDeliveries(makeDeliveriesClaim('late', T0 + 30_000))
      assert.equal(again.length, 40)
      assert.ok(again.every(({ attempts }) => attempts === 2))
      assert.equal(await settle(store, claims.flat()[0]!, 'c0', T0 + 30_001, 'delivered'), false, 'the lease was over')
      assert.equal(await settle(store, again[0]!, 'late', T0 + 30_001, 'delivered'), true)
      assert.equal(await settle(store, again[0]!, 'late', T0 + 30_001, 'delivered'), false)
    }),
  )

  test(
    'of the events of one object only the oldest that waits is given out, and what it waits for its followers wait for',
    withStore(async ({ store, raw }) => {
      await keepEndpoint(store, 'one')
      const ids = await tell(store, 1, 'object', 3)
      const at = async (now: number): Promise<DeliveryRow[]> => store.claimDeliveries(makeDeliveriesClaim(`at ${now}`, now))
      const [first, ...others] = await at(T0)
      assert.deepEqual([first?.eventId, others], [ids[0], []])
      assert.equal(await settle(store, first!, `at ${T0}`, T0 + 1, T0 + 5000), true)
      assert.deepEqual(await at(T0 + 4999), [])
      const dues = await raw('select due_at from deliveries')
      assert.deepEqual(
        dues.map((row) => Number(row['due_at'])),
        [T0 + 5000, T0 + 5000, T0 + 5000],
      )
      const [again] = await at(T0 + 5000)
      assert.deepEqual([again?.eventId, again?.tries], [ids[0], 2])
      await settle(store, again!, `at ${T0 + 5000}`, T0 + 5001, 'delivered')
      const [second] = await at(T0 + 5001)
      assert.equal(second?.eventId, ids[1])
      await settle(store, second!, `at ${T0 + 5001}`, T0 + 5002, 'dead')
      const [third] = await at(T0 + 5002)
      assert.equal(third?.eventId, ids[2], 'a dead one holds nobody up')
    }),
  )

  test(
    'what one endpoint waits for does not hold up another, nor does an endpoint that is busy',
    withStore(async ({ store }) => {
      await keepEndpoint(store, 'one')
      await keepEndpoint(store, 'two')
      const ids = await tell(store, 1, 'object', 2)
      const claimed = await store.claimDeliveries(makeDeliveriesClaim('c', T0))
      for (const each of claimed) await settle(store, each, 'c', T0, each.endpointId === 'one' ? T0 + 9000 : 'delivered')
      assert.deepEqual(await store.claimDeliveries(makeDeliveriesClaim('d', T0 + 1, { busy: ['two'] })), [])
      const next = await store.claimDeliveries(makeDeliveriesClaim('d', T0 + 1))
      assert.deepEqual(
        next.map(({ endpointId, eventId }) => [endpointId, eventId]),
        [['two', ids[1]]],
      )
    }),
  )

  test(
    'an event is delivered anew when it is replayed, with every try before it and its attempts kept',
    withStore(async ({ store }) => {
      await keepEndpoint(store, 'one')
      const [eventId = ''] = await tell(store, 1, 'object', 1)
      const [claimed] = await store.claimDeliveries(makeDeliveriesClaim('c', T0))
      const replay = { bucket, merchantId, eventId, endpointId: null, now: T0 + 7 }
      assert.equal(await store.replayEvent(replay, endpointNote), 0, 'it is under way')
      await settle(store, claimed!, 'c', T0 + 1, 'dead')
      const dead = await store.listDeadDeliveries({ bucket, merchantId, count: 9 })
      assert.deepEqual(
        dead.map(({ state, settledAt }) => [state, settledAt]),
        [['dead', T0 + 1]],
      )
      assert.equal(await store.replayEvent({ ...replay, merchantId: 'b'.repeat(24) }, endpointNote), 0)
      assert.equal(await store.replayEvent(replay, endpointNote), 1)
      assert.deepEqual(await store.listDeadDeliveries({ bucket, merchantId, count: 9 }), [])
      const [again] = await store.claimDeliveries(makeDeliveriesClaim('d', T0 + 7))
      assert.deepEqual([again?.tries, again?.attempts], [1, 2])
      await settle(store, again!, 'd', T0 + 8, 'delivered')
      assert.deepEqual(
        (await store.listAttempts({ bucket, eventId })).map(({ number }) => number),
        [1, 2],
      )
      await keepEndpoint(store, 'later')
      assert.equal(await store.replayEvent(replay, endpointNote), 2, 'endpoints that came later hear of it too')
    }),
  )

  test(
    'a replay at one endpoint leaves the others alone, and what is under way',
    withStore(async ({ store }) => {
      await keepEndpoint(store, 'one')
      await keepEndpoint(store, 'two')
      const [eventId = ''] = await tell(store, 1, 'object', 1)
      const replay = { bucket, merchantId, eventId, endpointId: 'two', now: T0 + 7 }
      const claimed = await store.claimDeliveries(makeDeliveriesClaim('c', T0))
      assert.equal(await store.replayEvent(replay, endpointNote), 0)
      for (const each of claimed) await settle(store, each, 'c', T0 + 1, 'dead')
      assert.equal(await store.replayEvent({ ...replay, endpointId: 'foreign' }, endpointNote), 0)
      assert.equal(await store.replayEvent(replay, endpointNote), 1)
      const again = await store.claimDeliveries(makeDeliveriesClaim('d', T0 + 7))
      assert.deepEqual(
        again.map(({ endpointId }) => endpointId),
        ['two'],
      )
    }),
  )

  test(
    'deliveries are listed page by page, the newest event first, those in one state or all, with their types and none of another merchant',
    withStore(async ({ store }) => {
      await keepEndpoint(store, 'one')
      await keepEndpoint(store, 'two')
      for (let n = 0; n < 4; n++) await tell(store, n, `object ${n}`, 1)
      for (const each of await store.claimDeliveries(makeDeliveriesClaim('c', T0)))
        await settle(store, each, 'c', T0 + 1, each.endpointId === 'one' ? 'delivered' : 'dead')
      const all = await store.listDeliveryPage({ bucket, merchantId, after: null, state: null, count: 50 })
      const placeOf = ({ eventId, endpointId }: DeliveryRow): string => `${eventId} ${endpointId}`
      assert.equal(all.length, 8)
      assert.deepEqual(all.map(placeOf), all.map(placeOf).sort().reverse())
      const events = await store.listEvents({ bucket, merchantId, from: 0, count: 9 })
      for (const { eventId, type } of all) assert.equal(type, events.find((each) => each.eventId === eventId)?.type)
      const first = await store.listDeliveryPage({ bucket, merchantId, after: null, state: null, count: 3 })
      const rest = await store.listDeliveryPage({ bucket, merchantId, after: first[2]!, state: null, count: 50 })
      assert.deepEqual([...first, ...rest], all)
      const dead = await store.listDeliveryPage({ bucket, merchantId, after: null, state: 'dead', count: 3 })
      const others = await store.listDeliveryPage({ bucket, merchantId, after: dead[2]!, state: 'dead', count: 50 })
      assert.deepEqual(
        [...dead, ...others],
        all.filter(({ state }) => state === 'dead'),
      )
      assert.deepEqual(await store.listDeliveryPage({ bucket, merchantId: 'b'.repeat(24), after: null, state: null, count: 5 }), [])
    }),
  )

  test(
    'events are listed newest first, and dropped when their time is over and nobody waits for them',
    withStore(async ({ store, raw }) => {
      await keepEndpoint(store, 'one')
      const [gone = ''] = await tell(store, 1, 'object', 1)
      const [kept = ''] = await tell(store, 2, 'waiting', 1)
      const listed = await store.listEvents({ bucket, merchantId, from: T0, count: 10 })
      assert.deepEqual(listed.map(({ eventId }) => eventId).sort(), [gone, kept].sort())
      assert.deepEqual(await store.listEvents({ bucket, merchantId, from: T0 + 1, count: 10 }), [])
      for (const each of await store.claimDeliveries(makeDeliveriesClaim('c', T0))) {
        await settle(store, each, 'c', T0, each.eventId === gone ? 'delivered' : T0 + 5)
      }
      assert.equal(await store.dropEvents(T0), 0)
      assert.equal(await store.dropEvents(T0 + 1), 1)
      assert.deepEqual(await countRows(raw), { outbox: 1, deliveries: 1, delivery_attempts: 1 })
      assert.equal((await store.listDeliveries({ bucket, eventId: kept }))[0]?.state, 'waiting')
    }),
  )

  test(
    'an endpoint that was removed is found no more, and what waits for it is given up by whoever claims it',
    withStore(async ({ store }: { store: Store }) => {
      const endpoint = await keepEndpoint(store, 'one')
      await tell(store, 1, 'object', 1)
      await store.removeEndpoint(endpoint, endpointNote)
      const [claimed] = await store.claimDeliveries(makeDeliveriesClaim('c', T0))
      assert.equal((await store.findDelivery(claimed!))?.endpoint, null)
      assert.equal(await settle(store, claimed!, 'c', T0, 'dead'), true)
    }),
  )
}

async function countRows(raw: (text: string) => Promise<readonly unknown[]>): Promise<Record<string, number>> {
  const tables = ['outbox', 'deliveries', 'delivery_attempts']
  const counts = await Promise.all(tables.map(async (table) => [table, (await raw(`select 1 as one from ${table}`)).length] as const))
  return Object.fromEntries(counts)
}
