import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient, type DashboardUser } from '../testing/dashboard-user.fixture.ts'
import { makeAddressGuard, resolveBySystem } from '../adapters/http/address-guard.ts'
import { webhookSettings } from '../domain/webhooks/settings.ts'
import { makeWebhookPost } from '../domain/webhooks/webhook-post.ts'
import { answerStatus, startReceiver, type Heard } from '../domain/webhooks/receiver.fixture.ts'
import { isSignedWith } from '../domain/webhooks/webhooks.fixture.ts'
import { makeWebhookDeliverer } from '../domain/webhooks/webhooks.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { listAuditOfSubject } from '../store/audit.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)
const { store, keyring, environment, clock } = app
const guard = makeAddressGuard({ resolve: resolveBySystem, allowLoopback: true })
const deliverer = makeWebhookDeliverer({
  store,
  keyring,
  environment,
  clock,
  alarm: (event) => app.alarms.push(event),
  guard,
  settings: webhookSettings,
  random: () => 0.5,
  post: makeWebhookPost({ guard, clock, timeoutMs: 5000 }),
  failed: (err) => app.alarms.push(String(err)),
})
const receiver = await startReceiver()
after(async () => {
  await deliverer.stop()
  await receiver.close()
  await app.close()
})

async function deliverAll(): Promise<void> {
  await deliverer.runOnce()
  await deliverer.idle()
}

async function cancelOne(of: DashboardUser): Promise<string> {
  const shop = app.merchant('spec', of.merchantId)
  const { receipt } = await shop.call('receipts.create', { amount: 100_000 })
  await shop.call('receipts.cancel', { id: receipt._id })
  return receipt._id
}

test('an endpoint is added, tested, rotated and removed, each with the user in the audit', async () => {
  const developer = await entrance.user('developer')
  const added = await developer.call('dashboard.webhooks.add', { url: ` ${receiver.url} ` })
  assert.match(added.secret, /^whsec_/)
  const { endpointId } = added
  receiver.answer = answerStatus(503)
  const answer = await developer.call('dashboard.webhooks.sendTest', { endpointId })
  const heard = receiver.heard.at(-1) as Heard
  assert.deepEqual([answer.outcome, answer.status, answer.eventId, answer.body], ['refused', 503, heard.id, heard.body])
  assert.ok(isSignedWith(added.secret, heard))
  const { type, data } = JSON.parse(heard.body) as { type: string; data: { test: boolean } }
  assert.deepEqual([type, data.test], ['tessera.test', true])
  assert.deepEqual((await developer.call('dashboard.webhooks.deliveries', {})).deliveries, [], 'a test is not a delivery')

  const rotated = await developer.call('dashboard.webhooks.rotate', { endpointId })
  receiver.answer = answerStatus(204)
  assert.equal((await developer.call('dashboard.webhooks.sendTest', { endpointId })).outcome, 'delivered')
  const both = receiver.heard.at(-1) as Heard
  assert.deepEqual([isSignedWith(added.secret, both), isSignedWith(rotated.secret, both)], [true, true])
  const { endpoints } = await developer.call('dashboard.webhooks.list', {})
  assert.deepEqual(endpoints, [
    {
      endpointId,
      state: 'active',
      url: receiver.url,
      createdAt: endpoints[0]?.createdAt,
      bothSecretsUntil: rotated.bothUntil,
      types: [],
      disabledAt: null,
      health: { attempted: 0, delivered: 0, lastFailedAt: null, oldestWaitingAt: null },
    },
  ])
  clock.advance(webhookSettings.rotationMs)
  assert.equal((await developer.signIn()) ?? null, null)
  assert.equal((await developer.call('dashboard.webhooks.list', {})).endpoints[0]?.bothSecretsUntil, null)

  await developer.call('dashboard.webhooks.remove', { endpointId })
  assert.equal(await developer.expectError('dashboard.webhooks.remove', { endpointId }), 'setting_refused')
  const entries = await store.read(listAuditOfSubject(developer.merchantId, endpointId, 10))
  assert.deepEqual(entries.map(({ action, outcome }) => `${action} ${outcome}`).toSorted(), [
    'webhook.added done',
    'webhook.removed done',
    'webhook.secret_rotated done',
    'webhook.tested delivered',
    'webhook.tested refused',
  ])
  assert.ok(entries.every(({ actor }) => actor === `user:${developer.userId}`))
})

test('an endpoint gets the types that it names, and nothing while it is disabled', async () => {
  const developer = await entrance.user('developer')
  const { endpointId } = await developer.call('dashboard.webhooks.add', { url: receiver.url })
  receiver.answer = answerStatus(204)
  const list = async () => (await developer.call('dashboard.webhooks.deliveries', {})).deliveries.map(({ type, state }) => [type, state])
  const view = async () => (await developer.call('dashboard.webhooks.list', {})).endpoints[0]
  await developer.call('dashboard.webhooks.change', { endpointId, types: ['receipt.paid', 'card.verified'] })
  await cancelOne(developer)
  assert.deepEqual(await list(), [])
  await developer.call('dashboard.webhooks.change', { endpointId, types: ['receipt.cancelled', 'card.verified'] })
  await cancelOne(developer)
  // What waits when it is disabled is not sent either.
  await developer.call('dashboard.webhooks.change', { endpointId, enabled: false })
  assert.deepEqual((await view())?.types, ['card.verified', 'receipt.cancelled'])
  assert.equal((await view())?.disabledAt, clock.now())
  await cancelOne(developer)
  const before = receiver.heard.length
  await deliverAll()
  assert.deepEqual(await list(), [['receipt.cancelled', 'dead']])
  assert.equal(receiver.heard.length, before)
  assert.equal(await developer.expectError('dashboard.webhooks.replayFailed', { endpointId }), 'setting_refused')
  clock.advance(1000)
  await developer.call('dashboard.webhooks.change', { endpointId, enabled: true, types: [] })
  const { replayed } = await developer.call('dashboard.webhooks.replayFailed', { endpointId })
  await deliverAll()
  assert.deepEqual([replayed, await list(), receiver.heard.length], [1, [['receipt.cancelled', 'delivered']], before + 1])
  const entries = await store.read(listAuditOfSubject(developer.merchantId, endpointId, 10))
  assert.deepEqual(
    entries.filter(({ action }) => action === 'webhook.changed').map(({ changes }) => JSON.parse(changes) as unknown),
    [
      [
        ['event_types', 'card.verified receipt.cancelled', null],
        ['webhook_state', 'off', 'on'],
      ],
      [['webhook_state', 'on', 'off']],
      [['event_types', 'card.verified receipt.paid', 'card.verified receipt.cancelled']],
      [['event_types', null, 'card.verified receipt.paid']],
    ],
  )
})

test('the health of an endpoint says how many deliveries arrived, what waits and when one was given up, for each endpoint its own', async () => {
  const developer = await entrance.user('developer')
  const good = await developer.call('dashboard.webhooks.add', { url: receiver.url })
  await cancelOne(developer)
  receiver.answer = answerStatus(204)
  await deliverAll()
  const bad = await developer.call('dashboard.webhooks.add', { url: `${receiver.url}?bad` })
  await cancelOne(developer)
  receiver.answer = answerStatus(500)
  const happenedAt = clock.now()
  await deliverAll()
  const health = async (id: string) =>
    (await developer.call('dashboard.webhooks.list', {})).endpoints.find(({ endpointId }) => endpointId === id)?.health
  assert.deepEqual(await health(good.endpointId), { attempted: 2, delivered: 1, lastFailedAt: null, oldestWaitingAt: happenedAt })
  assert.deepEqual(await health(bad.endpointId), { attempted: 1, delivered: 0, lastFailedAt: null, oldestWaitingAt: happenedAt })
  await developer.call('dashboard.webhooks.change', { endpointId: bad.endpointId, enabled: false })
  clock.advance(3_600_000)
  await deliverAll()
  assert.equal(await developer.signIn(), null)
  const given = await health(bad.endpointId)
  assert.deepEqual([given?.attempted, given?.delivered, given?.oldestWaitingAt], [1, 0, null])
  assert.equal(given?.lastFailedAt, clock.now())
})

test('an address that is not public and a sixth endpoint are refused with an explanation', async () => {
  const developer = await entrance.user('developer')
  for (const url of [
    'https://10.0.0.1/',
    'http://shop.example/',
    'https://a:b@shop.example/',
    'https://169.254.169.254/latest',
    'no url',
  ]) {
    const { error } = await developer.callRaw('dashboard.webhooks.add', { url })
    assert.equal(error?.reason, 'setting_refused', url)
    assert.match(typeof error.data === 'string' ? error.data : '', /\.$/)
  }
  for (let n = 0; n < 5; n++) await developer.call('dashboard.webhooks.add', { url: `https://shop.example/${n}` })
  assert.equal(await developer.expectError('dashboard.webhooks.add', { url: 'https://shop.example/5' }), 'setting_refused')
})

test('deliveries are found by state, type and endpoint, in pages, with body and attempts, and a replay delivers again', async () => {
  const developer = await entrance.user('developer')
  const { endpointId } = await developer.call('dashboard.webhooks.add', { url: receiver.url })
  const { endpointId: another } = await developer.call('dashboard.webhooks.add', { url: `${receiver.url}?another` })
  receiver.answer = (reply, { body }) => void reply.writeHead(body.includes('a hold') ? 500 : 200).end()
  const objectId = await cancelOne(developer)
  clock.advance(1000)
  await deliverAll()
  receiver.answer = answerStatus(500)
  await cancelOne(developer)
  await deliverAll()
  const list = (query: object) => developer.call('dashboard.webhooks.deliveries', query)
  const all = (await list({})).deliveries
  assert.deepEqual(
    all.map(({ state, type, attemptCount }) => [state, type, attemptCount]),
    [
      ['waiting', 'receipt.cancelled', 1],
      ['waiting', 'receipt.cancelled', 1],
      ['delivered', 'receipt.cancelled', 1],
      ['delivered', 'receipt.cancelled', 1],
    ],
  )
  const first = await list({ count: 3 })
  assert.deepEqual([...first.deliveries, ...(await list({ count: 3, after: first.next })).deliveries], all)
  assert.equal((await list({ state: 'delivered' })).deliveries.length, 2)
  assert.deepEqual((await list({ type: 'card.verified' })).deliveries, [])
  const ofOne = await list({ endpointId: another, state: 'delivered' })
  assert.deepEqual(
    ofOne.deliveries.map((each) => [each.endpointId, each.objectId, each.url]),
    [[another, objectId, `${receiver.url}?another`]],
  )
  const paged = await list({ endpointId: another, count: 1 })
  assert.deepEqual((await list({ endpointId: another, count: 1, after: paged.next })).deliveries, ofOne.deliveries)

  const eventId = all[0]?.eventId ?? ''
  const waiting = await developer.call('dashboard.webhooks.delivery', { eventId, endpointId })
  assert.deepEqual(
    waiting.attempts.map(({ number, outcome, status }) => [number, outcome, status]),
    [[1, 'refused', 500]],
  )
  assert.equal(waiting.delivery.dueAt, clock.now() + 5000)
  assert.equal((JSON.parse(waiting.body) as { type: string }).type, 'receipt.cancelled')
  receiver.answer = answerStatus(200)
  await developer.call('dashboard.webhooks.replay', { eventId, endpointId })
  await deliverAll()
  const done = await developer.call('dashboard.webhooks.delivery', { eventId, endpointId })
  assert.deepEqual([done.delivery.state, done.attempts.map(({ outcome }) => outcome)], ['delivered', ['delivered', 'refused']])
  const other = await developer.call('dashboard.webhooks.delivery', { eventId, endpointId: another })
  assert.deepEqual([other.delivery.state, other.attempts.length], ['waiting', 1], 'the other endpoint is left alone')
  await developer.call('dashboard.webhooks.remove', { endpointId })
  assert.equal(await developer.expectError('dashboard.webhooks.replay', { eventId, endpointId }), 'setting_refused')
  assert.equal((await developer.call('dashboard.webhooks.delivery', { eventId, endpointId })).delivery.url, null)
  assert.equal(await developer.expectError('dashboard.webhooks.delivery', { eventId: objectId, endpointId }), 'delivery_not_found')
})

test('the deliveries of one receipt are listed alone, newest event first, and to nobody else', async () => {
  const developer = await entrance.user('developer')
  await developer.call('dashboard.webhooks.add', { url: receiver.url })
  const [receiptId] = [await cancelOne(developer), await cancelOne(developer)]
  const list = async (of: DashboardUser, more: object = {}) =>
    (await of.call('dashboard.webhooks.deliveries', { objectId: receiptId, ...more })).deliveries.map(({ objectId, type }) => [
      objectId,
      type,
    ])
  const found = await list(developer)
  assert.ok(found.length >= 1)
  assert.ok(found.every(([objectId]) => objectId === receiptId))
  assert.equal(found[0]?.[1], 'receipt.cancelled')
  assert.deepEqual(await list(developer, { type: 'card.verified' }), [])
  assert.deepEqual(await list(await entrance.user('developer')), [])
})
