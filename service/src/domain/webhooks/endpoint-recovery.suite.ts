import assert from 'node:assert/strict'
import { test } from 'node:test'

import { SettingProblem } from '@tessera/contract/setting-problems'
import { bucketOf } from '@tessera/vault/id'

import { listDeliveries } from '../../store/deliveries.ts'
import { wakeEndpoint } from '../../store/delivery-claims.ts'
import { listAuditOfSubject } from '../../store/audit.ts'
import { listEvents } from '../../store/outbox.ts'
import type { WithStore } from '../../store/suite/opened.fixture.ts'
import { sampleMerchantId } from '../../store/suite/samples.fixture.ts'
import { operatorActor } from '../../testing/request-context.fixture.ts'
import { replaceInStore, replaceWrite } from '../../testing/store.fixture.ts'

import { answerStatus } from './receiver.fixture.ts'
import { cardOfItsLife, parseEvent, withPost, type Post } from './webhooks.fixture.ts'

/** What becomes of the deliveries to an endpoint that is down, on every store. */
export function endpointRecoverySuite(withStore: WithStore): void {
  const posting = (run: (post: Post) => Promise<void>): (() => Promise<void>) => withStore((opened) => withPost(opened, run))

  test(
    'an endpoint that does not answer is probed, its backlog stays due, and when it answers again all of it is sent, in order for each object',
    posting(async ({ app, receiver, told, deliverer, goOn }) => {
      receiver.answer = answerStatus(503)
      const tokens: string[] = []
      for (let n = 0; n < 30; n++) tokens.push(await cardOfItsLife(app))
      const webhooks = deliverer()
      for (let second = 0; second < 12; second++) await goOn(webhooks, 1000)
      assert.equal(webhooks.stats().endpointsDown, 1)
      const probes = receiver.heard.length
      assert.ok(probes >= 5 && probes <= 15, `${probes} attempts while it was down`)

      receiver.answer = answerStatus(200)
      await goOn(webhooks, 2000)
      await goOn(webhooks, 1)
      assert.equal(webhooks.stats().endpointsDown, 0)
      const delivered = receiver.heard.slice(probes).map(parseEvent)
      assert.deepEqual([...new Set(told)], [`${sampleMerchantId} refused`, `${sampleMerchantId} recovered`])
      assert.equal(delivered.length, 60, 'also those that were attempted and would have waited for five minutes')
      for (const token of tokens)
        assert.deepEqual(
          delivered.filter(({ cardId }) => token.startsWith(cardId)).map(({ type }) => type),
          ['card.verified', 'card.removed'],
        )
    }),
  )

  test(
    'an endpoint that fails again within a minute gets what failed then when the minute is over, also after the store failed',
    posting(async ({ app, receiver, deliverer, goOn, failures }) => {
      let isFailing = true
      const failOnce = replaceWrite(wakeEndpoint, (_page, original) => {
        if (!isFailing) return original()
        isFailing = false
        return Promise.reject(new Error('the store fails'))
      })
      const webhooks = deliverer({}, replaceInStore(app.store, failOnce))
      const failAndRecover = async (): Promise<void> => {
        receiver.answer = answerStatus(503)
        for (let n = 0; n < 8; n++) await app.merchant('spec', sampleMerchantId).createVerifiedToken(pan)
        // The first retries, after 5 s, fail too: from then on each of them would wait for five minutes.
        for (let second = 0; second < 10; second++) await goOn(webhooks, 1000)
        assert.equal(webhooks.stats().endpointsDown, 1)
        receiver.answer = answerStatus(200)
        await goOn(webhooks, 2000)
        await goOn(webhooks, 1)
        assert.equal(webhooks.stats().endpointsDown, 0)
      }
      const delivered = async () => {
        const events = await app.store.read(listEvents({ bucket, merchantId: sampleMerchantId, from: 0, count: 100 }))
        const deliveries = await Promise.all(events.map((event) => app.store.read(listDeliveries(event))))
        return deliveries.flat().filter(({ state }) => state === 'delivered').length
      }
      await failAndRecover()
      assert.deepEqual(failures.map(String), ['Error: the store fails'])
      assert.ok((await delivered()) < 8)
      await goOn(webhooks, 5000)
      await goOn(webhooks, 1)
      assert.equal(await delivered(), 8)

      await failAndRecover()
      const [before, wait] = [await delivered(), 61_000 - 13_000]
      assert.ok(before < 16, `${before} of 16: what failed waits for the minute`)
      await goOn(webhooks, wait)
      await goOn(webhooks, 1)
      assert.equal(await delivered(), 16)
    }),
  )

  test(
    'what an endpoint has not taken for as long as all attempts take is given up, whatever attempts are left',
    posting(async ({ app, receiver, endpoints, deliverer, goOn }) => {
      receiver.answer = answerStatus(503)
      for (let n = 0; n < 6; n++) await app.merchant('spec', sampleMerchantId).createVerifiedToken(pan)
      const webhooks = deliverer()
      for (let n = 0; n < 3; n++) await goOn(webhooks, 1000)
      await webhooks.deleteOld()
      assert.deepEqual(await endpoints.dead(sampleMerchantId, 10), [])
      app.clock.advance(76 * 3_600_000)
      await webhooks.deleteOld()
      const dead = await endpoints.dead(sampleMerchantId, 10)
      assert.equal(dead.length, 6)
      assert.ok(dead.every(({ attempts }) => attempts <= 1))
    }),
  )

  test(
    'failed events of one endpoint and time are sent again with all attempts, in pages, each once however often that is asked, and audited',
    posting(async ({ app, receiver, endpoints, deliverer, goOn }) => {
      receiver.answer = answerStatus(503)
      const other = await endpoints.add(sampleMerchantId, `${receiver.url}/other`, operatorActor)
      assert.ok(!(other instanceof SettingProblem))
      for (let n = 0; n < 3; n++) await app.merchant('spec', sampleMerchantId).createVerifiedToken(pan)
      const webhooks = deliverer()
      await goOn(webhooks, 1000)
      app.clock.advance(76 * 3_600_000)
      await goOn(webhooks, 1)
      await webhooks.deleteOld()
      const failed = await endpoints.dead(sampleMerchantId, 10)
      const ofOther = failed.filter(({ endpointId }) => endpointId === other.endpointId)
      assert.ok(ofOther.length > 0 && failed.length > ofOther.length, `${ofOther.length} of ${failed.length}`)

      const replay = async (range: { from?: number; to?: number }) => {
        const replayed = await endpoints.replayFailed(sampleMerchantId, { named: `${receiver.url}/other`, ...range }, operatorActor)
        assert.ok(!(replayed instanceof SettingProblem))
        return replayed
      }
      const failedAt = ofOther[0]?.finishedAt ?? 0
      app.clock.advance(1)
      assert.equal((await replay({ to: failedAt })).replayed, 0)
      assert.equal((await replay({ from: failedAt + 1 })).replayed, 0)
      const { url, to, ...page } = await replay({ from: failedAt })
      assert.deepEqual([url, to, page], [`${receiver.url}/other`, app.clock.now(), { replayed: ofOther.length, hasMore: false }])
      assert.equal((await replay({ to })).replayed, 0, 'what is sent again is not failed')
      assert.deepEqual(
        new Set((await endpoints.dead(sampleMerchantId, 10)).map(({ endpointId }) => endpointId === other.endpointId)),
        new Set([false]),
      )
      const [entry] = (await app.store.read(listAuditOfSubject(sampleMerchantId, other.endpointId, 10))).filter(
        ({ action }) => action === 'webhook.failed_replayed',
      )
      assert.equal(entry?.changes, JSON.stringify([['deliveries', null, String(ofOther.length)]]))
      assert.ok((await endpoints.replayFailed(sampleMerchantId, { named: 'unknown' }, operatorActor)) instanceof SettingProblem)

      receiver.answer = answerStatus(200)
      const before = receiver.heard.length
      await goOn(deliverer(), 1000)
      const again = receiver.heard.slice(before).map(({ id }) => id)
      for (const { eventId } of ofOther) assert.ok(again.includes(eventId))
    }),
  )
}

const bucket = bucketOf(sampleMerchantId)
/** A sandbox card whose operations all succeed. */
const pan = '8600069195406311'
