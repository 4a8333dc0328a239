import assert from 'node:assert/strict'
import { test } from 'node:test'

import { eventTypes } from '@tessera/contract/event'
import { SettingProblem } from '@tessera/contract/setting-problems'
import { bucketOf } from '@tessera/vault/id'

import type { WithStore } from '../../store/suite/opened.fixture.ts'
import { sampleMerchantId } from '../../store/suite/samples.fixture.ts'

import { answerStatus, type Heard } from './receiver.fixture.ts'
import { cardOfItsLife, isSignedWith, parseEvent, withPost, type Post } from './webhooks.fixture.ts'
import { claimDeliveries } from '../../store/delivery-claims.ts'
import { listDeliveryAttempts, recordDeliveryAttempt } from '../../store/deliveries.ts'
import { listEndpoints } from '../../store/webhook-endpoints.ts'
import { replaceInStore, replaceWrite } from '../../testing/store.fixture.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'

/** What delivering has to hold on every store. */
export function deliverySuite(withStore: WithStore): void {
  const posting = (run: (post: Post) => Promise<void>): (() => Promise<void>) => withStore((opened) => withPost(opened, run))

  test(
    'a merchant hears once, signed, of a card that is verified and removed, and sees no token',
    posting(async ({ app, receiver, secret, deliverer, goOn }) => {
      const webhooks = deliverer()
      const token = await cardOfItsLife(app)
      await goOn(webhooks, 1000)
      assert.deepEqual(receiver.heard.map(parseEvent), [
        { type: 'card.verified', cardId: token.slice(0, 24) },
        { type: 'card.removed', cardId: token.slice(0, 24) },
      ])
      for (const heard of receiver.heard) {
        assert.ok(isSignedWith(secret, heard))
        assert.ok(!heard.body.includes(token.slice(25)))
        assert.deepEqual(Object.keys(JSON.parse(heard.body) as object), ['type', 'timestamp', 'data'])
      }
      await goOn(webhooks, 100_000)
      assert.equal(receiver.heard.length, 2)
    }),
  )

  test(
    'a receiver that is down for hours, or cuts off what it has taken, gets each event at least once, in order, under one id',
    posting(async ({ app, receiver, secret, deliverer, goOn, failures }) => {
      const webhooks = deliverer()
      const taken: Heard[] = []
      let deliveries = 0
      receiver.answer = (reply) => (deliveries++ % 2 === 0 ? reply.destroy() : answerStatus(503)(reply, receiver.heard[0]!))
      const tokens: string[] = []
      // Six hours: every half an hour the receiver is tried, and meanwhile more happens.
      for (let turn = 0; turn < 12; turn++) {
        if (turn < 6) tokens.push(await cardOfItsLife(app))
        await goOn(webhooks, 1_800_000)
      }
      assert.ok(receiver.heard.length >= 12, 'it was tried while it was down')
      assert.ok(
        receiver.heard.every((heard) => parseEvent(heard).type === 'card.verified'),
        'a second event does not pass the first',
      )

      // It is there again, but the first reply of each event is lost.
      const lost = new Set<string>()
      receiver.answer = (reply, heard) => {
        taken.push(heard)
        if (lost.has(heard.id)) answerStatus(200)(reply, heard)
        else reply.destroy()
        lost.add(heard.id)
      }
      for (let turn = 0; turn < 12; turn++) await goOn(webhooks, 7_200_000)

      const ids = new Map<string, Heard[]>()
      for (const heard of taken) ids.set(heard.id, [...(ids.get(heard.id) ?? []), heard])
      assert.equal(ids.size, 12)
      for (const same of ids.values()) {
        assert.equal(same.length, 2, 'once lost, once taken')
        assert.equal(new Set(same.map(({ body }) => body)).size, 1)
        assert.ok(same.every((heard) => isSignedWith(secret, heard)))
      }
      for (const token of tokens) {
        const types = taken.map(parseEvent).filter(({ cardId }) => token.startsWith(cardId))
        assert.deepEqual(
          types.map(({ type }) => type),
          ['card.verified', 'card.verified', 'card.removed', 'card.removed'],
        )
      }
      assert.deepEqual(failures, [])
    }),
  )

  test(
    'what was under way when a process died is delivered by the next one, when the lease is over and not before',
    withStore((opened) =>
      withPost(opened, async ({ app, receiver, deliverer, goOn }) => {
        const dying = deliverer()
        receiver.answer = () => undefined
        const token = await app.merchant('spec', sampleMerchantId).createVerifiedToken(pan)
        app.clock.advance(1000)
        assert.equal(await dying.runOnce(), 1)
        await dying.stop()

        const next = deliverer({}, await opened.reopen())
        const before = receiver.heard.length
        receiver.answer = answerStatus(200)
        await goOn(next, 44_000)
        assert.equal(receiver.heard.length, before)
        await goOn(next, 1000)
        assert.deepEqual(receiver.heard.slice(before).map(parseEvent), [{ type: 'card.verified', cardId: token.slice(0, 24) }])
      }),
    ),
  )

  test(
    'two processes deliver an event once',
    posting(async ({ app, receiver, deliverer }) => {
      const caller = app.merchant('spec', sampleMerchantId)
      for (let n = 0; n < 30; n++) await caller.createVerifiedToken(pan)
      const both = [deliverer({ endpointInFlightMax: 3 }), deliverer({ endpointInFlightMax: 3 })]
      app.clock.advance(1000)
      while (receiver.heard.length < 30) {
        await Promise.all(both.map((each) => each.runOnce()))
        await Promise.all(both.map((each) => each.idle()))
      }
      assert.equal(new Set(receiver.heard.map(({ id }) => id)).size, 30)
      assert.equal(receiver.heard.length, 30)
    }),
  )

  test(
    'no more is under way than there is room for, and a slow endpoint leaves room for another',
    posting(async ({ app, receiver, endpoints, deliverer }) => {
      const waiting: (() => void)[] = []
      receiver.answer = (reply, heard) => void waiting.push(() => answerStatus(200)(reply, heard))
      const caller = app.merchant('spec', sampleMerchantId)
      for (let n = 0; n < 20; n++) await caller.createVerifiedToken(pan)
      const webhooks = deliverer({ inFlightMax: 10, endpointInFlightMax: 4 })
      app.clock.advance(1000)
      await webhooks.runOnce()
      assert.equal(await webhooks.runOnce(), 0, 'the endpoint has enough to do')
      await until(() => waiting.length === 2)
      const quick = await endpoints.add(sampleMerchantId, `${receiver.url}/quick`, operatorActor)
      assert.ok(!(quick instanceof SettingProblem))
      await caller.createVerifiedToken(pan)
      app.clock.advance(1)
      await webhooks.runOnce()
      await until(() => waiting.length === 3)
      receiver.answer = answerStatus(200)
      for (const go of waiting) go()
      await webhooks.idle()
      assert.equal(new Set(receiver.heard.map(({ id }) => id)).size, 21)
    }),
  )

  test(
    'what a delivery makes room for while others are being claimed goes at once',
    posting(async ({ app, receiver, endpoints, deliverer }) => {
      assert.ok(!((await endpoints.add(sampleMerchantId, `${receiver.url}/other`, operatorActor)) instanceof SettingProblem))
      const waiting: (() => void)[] = []
      receiver.answer = (reply, heard) => void waiting.push(() => answerStatus(200)(reply, heard))
      const caller = app.merchant('spec', sampleMerchantId)
      for (let n = 0; n < 2; n++) await caller.createVerifiedToken(pan)
      const gate = Promise.withResolvers<void>()
      let [claims, settled] = [0, 0]
      const { store } = app
      const claim = replaceWrite(claimDeliveries, async (_claim, original) => {
        if (++claims === 2) await gate.promise
        return original()
      })
      const record = replaceWrite(recordDeliveryAttempt, (_result, original) => original().finally(() => settled++))
      const webhooks = deliverer({ inFlightMax: 10, endpointInFlightMax: 1 }, replaceInStore(store, claim, record))
      app.clock.advance(1000)
      const running = webhooks.runOnce()
      await until(() => waiting.length === 1 && claims === 2)
      receiver.answer = answerStatus(200)
      waiting[0]?.()
      await until(() => settled === 1)
      gate.resolve()
      await running
      await webhooks.idle()
      assert.equal(receiver.heard.length, 4)
    }),
  )

  test(
    'an event is dead after ten attempts, delays no other events, and is delivered after a replay',
    posting(async ({ app, receiver, endpoints, deliverer, goOn }) => {
      const webhooks = deliverer()
      const token = await cardOfItsLife(app)
      receiver.answer = (reply, heard) => answerStatus(parseEvent(heard).type === 'card.verified' ? 500 : 200)(reply, heard)
      for (let turn = 0; turn < 10; turn++) await goOn(webhooks, 24 * 1.2 * 3_600_000)
      await goOn(webhooks, 10_000)
      assert.deepEqual(
        receiver.heard.map((heard) => parseEvent(heard).type),
        [...Array.from({ length: 10 }, () => 'card.verified'), 'card.removed'],
      )
      const [dead, ...others] = await endpoints.dead(sampleMerchantId, 10)
      assert.deepEqual([dead?.objectId, dead?.attempts, others], [token.slice(0, 24), 10, []])
      const attempts = await app.store.read(listDeliveryAttempts({ bucket, eventId: dead!.eventId }))
      assert.deepEqual(
        attempts.map(({ number, outcome, status }) => [number, outcome, status]),
        Array.from({ length: 10 }, (_, n) => [n + 1, 'refused', 500]),
      )

      receiver.answer = answerStatus(200)
      assert.equal(await endpoints.replay(sampleMerchantId, dead!.eventId, null, operatorActor), 1)
      await goOn(webhooks, 1000)
      assert.equal(receiver.heard.at(-1)?.id, dead?.eventId)
      assert.deepEqual(await endpoints.dead(sampleMerchantId, 10), [])
    }),
  )

  test(
    'after a rotation both secrets sign for a day, and then the new one alone',
    posting(async ({ app, receiver, secret, endpoints, deliverer, goOn }) => {
      const webhooks = deliverer()
      const caller = app.merchant('spec', sampleMerchantId)
      const rotated = await endpoints.rotateSecret(sampleMerchantId, null, operatorActor)
      assert.ok(!(rotated instanceof SettingProblem))
      const signedBy = async (): Promise<boolean[]> => {
        await caller.createVerifiedToken(pan)
        await goOn(webhooks, 1000)
        return [rotated.secret, secret].map((each) => isSignedWith(each, receiver.heard.at(-1)!))
      }
      assert.deepEqual(await signedBy(), [true, true])
      app.clock.advance(24 * 3_600_000)
      assert.deepEqual(await signedBy(), [true, false])
    }),
  )

  test(
    'an endpoint whose row was turned to another URL gets nothing signed, and neither does the other; once it is repaired, the event is delivered',
    withStore((opened) =>
      withPost(opened, async ({ app, endpoints, receiver, deliverer, goOn, failures }) => {
        await app.merchant('spec', sampleMerchantId).createVerifiedToken(pan)
        const { endpointId = '' } = (await app.store.read(listEndpoints({ bucket, merchantId: sampleMerchantId })))[0] ?? {}
        await opened.raw(`update webhook_endpoints set url = '${receiver.url}/thief' where endpoint_id = '${endpointId}' returning url`)
        await goOn(deliverer(), 1000)
        assert.equal(receiver.heard.length, 0)
        assert.deepEqual([failures, app.alarms], [[], ['row_tampered']])
        assert.deepEqual(await endpoints.dead(sampleMerchantId, 10), [])
        const [event] = await endpoints.events(sampleMerchantId, 0, 10)
        assert.deepEqual(
          event?.deliveries.map(({ state, attempts }) => [state, attempts]),
          [['waiting', 1]],
        )

        await opened.raw(`update webhook_endpoints set url = '${receiver.url}' where endpoint_id = '${endpointId}' returning url`)
        await goOn(deliverer(), 60_000)
        assert.deepEqual(
          receiver.heard.map(({ id }) => id),
          [event.eventId],
        )
      }),
    ),
  )

  test(
    'an event whose row was changed is given up at once, and after the row is repaired it can be replayed',
    withStore((opened) =>
      withPost(opened, async ({ app, endpoints, receiver, deliverer, goOn }) => {
        await app.merchant('spec', sampleMerchantId).createVerifiedToken(pan)
        const [event] = await endpoints.events(sampleMerchantId, 0, 10)
        const { eventId = '', body = '' } = event ?? {}
        await opened.raw(`update outbox set body = '{}' where event_id = '${eventId}' returning event_id`)
        await goOn(deliverer(), 1000)
        assert.deepEqual(app.alarms, ['row_tampered'])
        const dead = await endpoints.dead(sampleMerchantId, 10)
        assert.deepEqual(
          dead.map((each) => [each.eventId, each.attempts]),
          [[eventId, 1]],
        )

        await opened.raw(`update outbox set body = '${body}' where event_id = '${eventId}' returning event_id`)
        await goOn(deliverer(), 3_600_000)
        assert.equal(receiver.heard.length, 0, 'not by itself')
        assert.equal(await endpoints.replay(sampleMerchantId, eventId, null, operatorActor), 1)
        await goOn(deliverer(), 1000)
        assert.deepEqual(
          receiver.heard.map(({ id }) => id),
          [eventId],
        )
      }),
    ),
  )

  test(
    'deliveries to a removed endpoint are given up, and expired events are deleted',
    posting(async ({ app, receiver, endpoints, deliverer, goOn }) => {
      const webhooks = deliverer()
      await app.merchant('spec', sampleMerchantId).createVerifiedToken(pan)
      assert.ok(!((await endpoints.remove(sampleMerchantId, null, operatorActor)) instanceof SettingProblem))
      await goOn(webhooks, 1000)
      assert.equal(receiver.heard.length, 0)
      assert.equal((await endpoints.dead(sampleMerchantId, 10)).length, 1)
      assert.equal(await webhooks.deleteOld(), 0)
      app.clock.advance(31 * 24 * 3_600_000)
      assert.equal(await webhooks.deleteOld(), 1)
      assert.deepEqual(await endpoints.events(sampleMerchantId, 0, 10), [])
    }),
  )

  test(
    'a paid and cancelled receipt sends its events in that order, with the types of the contract',
    posting(async ({ app, receiver, deliverer, goOn }) => {
      const webhooks = deliverer()
      const caller = app.merchant('spec', sampleMerchantId)
      const token = await caller.createVerifiedToken(pan)
      const { receipt } = await caller.call('receipts.create', { amount: 500_000, account: { order_id: '7' } })
      await caller.call('receipts.pay', { id: receipt._id, token })
      await caller.call('receipts.cancel', { id: receipt._id })
      await app.receiptWorker.runOnce()
      await goOn(webhooks, 1000)
      const types = receiver.heard.map(({ body }) => (JSON.parse(body) as { type: (typeof eventTypes)[number] }).type)
      assert.ok(types.every((type) => eventTypes.includes(type)))
      assert.deepEqual(
        types.filter((type) => type.startsWith('receipt.')),
        ['receipt.paid', 'receipt.cancelled'],
      )
    }),
  )
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

const bucket = bucketOf(sampleMerchantId)
/** A sandbox card whose operations all succeed. */
const pan = '8600069195406311'
