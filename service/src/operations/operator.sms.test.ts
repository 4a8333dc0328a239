import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import type { ErrorBody } from '@tessera/contract/errors'
import type { OperatorOperationName, Result } from '@tessera/contract/operations'

import type { SmsDeliveryReport, SmsMessage, SmsResult } from '../adapters/sms/sms.ts'
import { listAuditEntries, listAuditHeads } from '../store/audit.ts'
import { recordSmsResult } from '../store/sms-sends.ts'
import { StoreUnavailable, type Store } from '../store/store.ts'
import { withSqlite } from '../store/sqlite/with-store.fixture.ts'
import { request } from '../testing/pipeline.fixture.ts'
import { newReceipt } from '../testing/receipts.fixture.ts'
import { createTestApp, type TestApp, type TestAppOptions } from '../testing/test-app.fixture.ts'

const phone = '998901234566'
const day = 86_400_000

/** A gateway of the test: replies as it is told, and reports when the test does. */
async function open(t: TestContext, options: TestAppOptions = {}) {
  const sent: SmsMessage[] = []
  const gateway = { result: { outcome: 'accepted', gatewayMessageId: 'g-1' } as SmsResult }
  let report: (report: SmsDeliveryReport) => Promise<void> = () => assert.fail('nobody listens')
  const app = await createTestApp(t, {
    sms: () => ({
      send: async (message) => (sent.push(message), gateway.result),
      watchDeliveries: (listener) => void (report = listener),
    }),
    ...options,
  })
  const sendReceipt = async (): Promise<void> => {
    const merchant = app.merchant()
    await merchant.callRaw('receipts.send', { id: await newReceipt(merchant), phone })
    app.clock.advance(1)
  }
  return { app, sent, gateway, report: (of: SmsDeliveryReport) => report(of), sendReceipt }
}

async function call<N extends OperatorOperationName>({ app }: TestApp, name: N, params: object): Promise<Result<N>> {
  const { text } = await app.handleOperator(request({ jsonrpc: '2.0', id: 1, method: name, params }, { xAuth: null }))
  const { result, error } = JSON.parse(text) as { result?: Result<N>; error?: ErrorBody }
  return result ?? assert.fail(JSON.stringify(error))
}

async function find(app: TestApp) {
  return (await call(app, 'operator.sms.find', { phone, count: 20 })).messages
}

test('each message is found by its phone with what the gateway replied and reported, and shows the phone masked', async (t) => {
  const { app, sent, gateway, report, sendReceipt } = await open(t)
  await sendReceipt()
  gateway.result = { outcome: 'rejected', error: 'http 422' }
  await sendReceipt()
  const acceptedAt = app.clock.now() - 2
  app.clock.advance(5000)
  await report({ gatewayMessageId: 'g-1', outcome: 'delivered' })
  const [rejected, delivered] = await find(app)
  assert.deepEqual(
    [delivered?.outcome, delivered?.gatewayMessageId, delivered?.deliveredAt, delivered?.messageId],
    ['accepted', 'g-1', new Date(app.clock.now()).toISOString(), sent[0]?.messageId],
  )
  assert.equal(delivered?.acceptedAt, new Date(acceptedAt).toISOString())
  assert.deepEqual([rejected?.outcome, rejected?.error, rejected?.deliveredAt], ['rejected', 'http 422', null])
  assert.deepEqual([rejected?.phone, rejected?.purpose, rejected?.gateway, rejected?.parts], ['99890*****66', 'receipt', 'sandbox', 1])
  assert.ok(!JSON.stringify([rejected, delivered]).includes(phone))
  const { gateways } = await call(app, 'operator.sms.status', { hours: 24 })
  assert.deepEqual(gateways, [
    {
      gateway: 'sandbox',
      isConfigured: true,
      breaker: 'closed',
      sent: 2,
      accepted: 1,
      rejected: 1,
      unknown: 0,
      delivered: 1,
      failed: 0,
      parts: 1,
      medianDeliverySeconds: (app.clock.now() - acceptedAt) / 1000,
    },
  ])
  assert.deepEqual((await call(app, 'operator.sms.find', { phone: '998901234567', count: 20 })).messages, [])
})

test('a report that comes before the reply to its message is stored when the reply is, and one to no message is forgotten after three minutes', async (t) => {
  const { app, report, gateway, sendReceipt } = await open(t)
  await report({ gatewayMessageId: 'g-1', outcome: 'failed', error: 'UNDELIV' })
  assert.equal(app.smsReports.held(), 1)
  await sendReceipt()
  assert.deepEqual([(await find(app))[0]?.error, app.smsReports.held()], ['UNDELIV', 0])
  assert.notEqual((await find(app))[0]?.failedAt, null)

  await report({ gatewayMessageId: 'g-2', outcome: 'delivered' })
  await app.smsReports.runOnce()
  assert.equal(app.smsReports.held(), 1)
  gateway.result = { outcome: 'accepted', gatewayMessageId: 'g-2' }
  await sendReceipt()
  assert.equal(app.smsReports.held(), 0)
  await report({ gatewayMessageId: 'g-3', outcome: 'delivered' })
  for (const [seconds, held] of [
    [5, 1],
    [25, 1],
    [149, 1],
    [1, 0],
  ] as const) {
    app.clock.advance(seconds * 1000)
    await app.smsReports.runOnce()
    assert.equal(app.smsReports.held(), held, `after another ${String(seconds)} s`)
  }
})

test('who looked up a phone or sent a test is in the audit, with the masked phone', async (t) => {
  const { app, sent } = await open(t)
  const { messages } = await call(app, 'operator.sms.test', { phone })
  assert.deepEqual([messages.length, messages[0]?.outcome, messages[0]?.purpose, sent.length], [1, 'accepted', 'test', 1])
  await find(app)
  const [head] = await listAuditHeads(app.store)
  const entries = await app.store.read(listAuditEntries(head?.chain ?? '', 0, 100))
  const found = entries.filter(({ action }) => action.startsWith('sms.')).map(({ action, actor, subject }) => [action, actor, subject])
  assert.deepEqual(found, [
    ['sms.tested', 'operator', '99890*****66'],
    ['sms.looked_up', 'operator', '99890*****66'],
  ])
  assert.ok(!JSON.stringify(entries).includes(phone))
})

test('a message is given to the gateway only when it is stored, and its reply counts also when that cannot be stored', async (t) => {
  await withSqlite(async ({ store }) => {
    let refuses: string | null = 'insertSmsSend'
    const write = (transaction: { readonly name: string }, input: unknown): Promise<unknown> =>
      transaction.name === refuses
        ? Promise.reject(new StoreUnavailable('the store is away'))
        : store.write(transaction as never, input as never)
    const { app, sent, sendReceipt } = await open(t, { store: { ...store, write: write as Store['write'] } })
    await assert.rejects(sendReceipt(), StoreUnavailable)
    assert.equal(sent.length, 0)
    refuses = recordSmsResult.name
    await sendReceipt()
    assert.equal(sent.length, 1)
    assert.deepEqual(app.alarms, ['failed Error: the store is away'])
    refuses = null
    assert.equal((await find(app))[0]?.outcome, 'requested')
    await app.close()
  })()
})

test('messages are deleted after so many days, and then the key under which their phones were hashed', async (t) => {
  const { app, sendReceipt } = await open(t, { config: { smsSendsDays: 40 } })
  await sendReceipt()
  const keys = () => app.keyring.list().filter(({ purpose }) => purpose === 'phone')
  const [first] = keys()
  assert.equal(first?.state, 'active')
  app.clock.advance(35 * day)
  await sendReceipt()
  assert.equal((await find(app)).length, 2)
  assert.equal(await app.smsSends.deleteOld(), 0)
  app.clock.advance(6 * day)
  assert.equal(await app.smsSends.deleteOld(), 1)
  assert.deepEqual(
    keys().map(({ state }) => state),
    ['decrypt_only', 'active'],
  )
  app.clock.advance(34 * day + 3_600_000)
  await app.smsSends.deleteOld()
  assert.deepEqual(keys().map(({ state }) => state)[0], 'destroyed')
  assert.deepEqual(await find(app), [])
})

test('what became of a message is requested from a gateway that does not report it, and support and statistics then show it', async (t) => {
  const requested: string[] = []
  const { app, sendReceipt } = await open(t, {
    sms: () => ({
      send: async () => ({ outcome: 'accepted', gatewayMessageId: 'g-9' }),
      findDelivery: async (id) => (requested.push(id), { outcome: 'delivered' }),
    }),
  })
  await sendReceipt()
  await app.smsChecks.runOnce(new AbortController().signal)
  assert.deepEqual(requested, [])
  app.clock.advance(10_000)
  await app.smsChecks.runOnce(new AbortController().signal)
  assert.deepEqual([requested, (await find(app))[0]?.deliveredAt], [['g-9'], new Date(app.clock.now()).toISOString()])
  const { gateways } = await call(app, 'operator.sms.status', { hours: 24 })
  assert.deepEqual([gateways[0]?.delivered, gateways[0]?.medianDeliverySeconds], [1, 10.001])
})
