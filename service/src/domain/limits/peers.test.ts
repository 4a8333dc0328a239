import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import type { ErrorBody } from '@tessera/contract/errors'
import type { OperationName, Params } from '@tessera/contract/operations'

import type { MerchantApi, MerchantApiReply } from '../../adapters/merchant-api/merchant-api.ts'
import type { Network } from '../../adapters/network/network.ts'
import type { Sms } from '../../adapters/sms/sms.ts'
import { callGraceMs } from '../../clock.ts'
import type { Config } from '../../ops/config/config.ts'
import { ledgerOf, newReceipt, rowOf, successPan, takenBy } from '../../testing/receipts.fixture.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.fixture.ts'
import type { TestMerchant } from '../../testing/test-merchant.fixture.ts'

/** A card for which the service sends the code. */
const serviceSentPan = '8600495473316478'
const { slowMs, pauseMs } = { slowMs: 3000, pauseMs: 5000 }
/** So many calls are judged before a breaker opens. */
const judgedMin = 10

/** The outside of an application, whose systems a test stops and starts. */
interface Outside {
  readonly app: TestApp
  /** Whether calls of the network get a reply. */
  hangs: { network: boolean; sms: boolean; endpoint: boolean; check: boolean }
  /** Methods of the merchant's endpoint whose next call gets no reply. */
  readonly failsOnce: Set<string>
  /** The methods of the merchant's endpoint that were called. */
  readonly endpointCalls: string[]
  readonly networkCalls: string[]
}

test('while the network does not respond, its breaker refuses payments, captures and codes at once, nothing is stored for them, and it closes by itself', async (t) => {
  const outside = await openOutside(t)
  const { app, hangs } = outside
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan)
  const [id, held] = [await newReceipt(merchant), await newReceipt(merchant)]
  await merchant.call('receipts.pay', { id: held, token, hold: true })
  hangs.network = true
  const waiting = await requestCodes(app, merchant, { count: judgedMin })
  app.clock.advance(slowMs)

  const calls = outside.networkCalls.length
  for (const [method, params] of [
    ['receipts.pay', { id, token }],
    ['receipts.confirm_hold', { id: held }],
    ['cards.get_verify_code', { token: await merchant.createToken(successPan) }],
  ] as const) {
    assert.deepEqual(await refusalOf(merchant, method, params), [-31002, 'network_unavailable', pauseMs], method)
  }
  assert.equal(outside.networkCalls.length, calls)
  assert.deepEqual([(await rowOf(app, merchant, id)).state, (await rowOf(app, merchant, held)).state], [0, 5])
  assert.equal((await merchant.call('cards.check', { token })).card.verify, true)
  assert.equal(app.peers.network('sandbox').breakerState, 'open')

  hangs.network = false
  app.clock.advance(pauseMs)
  assert.equal((await merchant.call('receipts.pay', { id, token })).receipt.state, 4)
  assert.equal((await merchant.call('receipts.confirm_hold', { id: held })).receipt.state, 4)
  assert.equal(app.peers.network('sandbox').breakerState, 'closed')
  app.clock.advance(12_000)
  await waiting.replies
})

test('a refused code does not use up the wait for another one, and a network that checks codes costs no attempt', async (t) => {
  const { app, hangs } = await openOutside(t)
  const merchant = app.merchant()
  const [fresh, requested] = [await merchant.createToken(successPan), await merchant.createToken(successPan)]
  await merchant.call('cards.get_verify_code', { token: requested })
  hangs.network = true
  const waiting = await requestCodes(app, merchant, { count: judgedMin })
  app.clock.advance(slowMs)
  assert.equal(await merchant.expectError('cards.get_verify_code', { token: fresh }), 'network_unavailable')
  for (let attempt = 0; attempt < 20; attempt++) {
    assert.equal(await merchant.expectError('cards.verify', { token: requested, code: '111111' }), 'network_unavailable')
  }
  hangs.network = false
  app.clock.advance(pauseMs)
  await merchant.call('cards.get_verify_code', { token: fresh })
  assert.equal((await merchant.call('cards.verify', { token: requested, code: '666666' })).card.verify, true)
  app.clock.advance(12_000)
  await waiting.replies
})

test('while the gateway does not respond, codes that the service sends get sms_not_sent, and those that the network sends are sent', async (t) => {
  const { app, hangs } = await openOutside(t)
  const merchant = app.merchant()
  hangs.sms = true
  const waiting = await requestCodes(app, merchant, { count: judgedMin, pan: serviceSentPan, peer: 'sms' })
  await passSmsTimeout(app)
  await waiting.replies
  const token = await merchant.createToken(serviceSentPan)
  const [code, reason, retryAfter = 0] = await refusalOf(merchant, 'cards.get_verify_code', { token })
  assert.deepEqual([code, reason], [-31110, 'sms_not_sent'])
  assert.ok(retryAfter >= pauseMs)
  const receiptSms = { id: await newReceipt(merchant), phone: '998901234567' }
  assert.deepEqual(await refusalOf(merchant, 'receipts.send', receiptSms), [-31110, 'sms_not_sent', pauseMs])
  await merchant.createVerifiedToken(successPan)
  assert.deepEqual([app.peers.sms('sandbox').breakerState, app.peers.network('sandbox').breakerState], ['open', 'closed'])

  hangs.sms = false
  app.clock.advance(60_000)
  await merchant.call('cards.get_verify_code', { token })
  assert.equal(app.peers.sms('sandbox').breakerState, 'closed')
})

test('while the gateway does not respond, another code is refused before anything is stored, and the previous one stays valid', async (t) => {
  const { app, hangs } = await openOutside(t)
  const merchant = app.merchant()
  const token = await merchant.createToken(serviceSentPan)
  await merchant.call('cards.get_verify_code', { token })
  app.clock.advance(60_000)
  hangs.sms = true
  const waiting = await requestCodes(app, merchant, { count: judgedMin, pan: serviceSentPan, peer: 'sms' })
  await passSmsTimeout(app)
  await waiting.replies
  assert.deepEqual(await refusalOf(merchant, 'cards.get_verify_code', { token }), [-31110, 'sms_not_sent', pauseMs])
  assert.equal((await merchant.call('cards.verify', { token, code: '666666' })).card.verify, true)
})

test("a merchant's endpoint that does not respond: nothing is taken, and payments at other merchants go on", async (t) => {
  const outside = await openOutside(t)
  const { app, hangs } = outside
  const [merchant, other] = [app.merchant(), app.merchant()]
  const [token, otherToken] = [await merchant.createVerifiedToken(successPan), await other.createVerifiedToken(successPan)]
  hangs.endpoint = true
  for (let n = 0; n < judgedMin; n++) {
    assert.equal(await merchant.expectError('receipts.pay', { id: await newReceipt(merchant), token }), 'merchant_no_answer')
  }
  const calls = outside.endpointCalls.length
  const id = await newReceipt(merchant)
  assert.deepEqual(await refusalOf(merchant, 'receipts.pay', { id, token }), [-31002, 'merchant_no_answer', pauseMs])
  const row = await rowOf(app, merchant, id)
  assert.deepEqual([outside.endpointCalls.length, row.state, row.version], [calls, 0, 1])
  assert.deepEqual(takenBy(await ledgerOf(app, row)), { takenTiyin: 0, heldTiyin: 0 })
  hangs.endpoint = false
  assert.equal((await other.call('receipts.pay', { id: await newReceipt(other), token: otherToken })).receipt.state, 4)
  assert.equal(await merchant.expectError('receipts.pay', { id, token }), 'merchant_no_answer')
  app.clock.advance(pauseMs)
  assert.equal((await merchant.call('receipts.pay', { id, token })).receipt.state, 4)
})

test('after the debit an open breaker is never taken for a refusal: the receipt stays in 3 until the endpoint was called', async (t) => {
  const outside = await openOutside(t)
  const { app, hangs, endpointCalls } = outside
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan)
  const id = await newReceipt(merchant)
  outside.failsOnce.add('perform')
  assert.equal(await merchant.expectError('receipts.pay', { id, token }), 'merchant_closing')
  assert.equal((await rowOf(app, merchant, id)).state, 3)
  hangs.endpoint = true
  for (let n = 0; n < judgedMin; n++) await merchant.callRaw('receipts.pay', { id: await newReceipt(merchant), token })

  // It is due again within its twelve hours, and the endpoint is not called: nothing is decided. (Past them it is called: endpoint.suite.ts.)
  app.clock.advance(pauseMs - 1)
  app.clock.jump(3_600_000)
  const calls = endpointCalls.length
  await app.receiptWorker.runOnce()
  assert.deepEqual([(await rowOf(app, merchant, id)).state, endpointCalls.length], [3, calls])

  hangs.endpoint = false
  for (let round = 0; round < 20 && (await rowOf(app, merchant, id)).state === 3; round++) {
    app.clock.advance(600_000)
    await app.receiptWorker.runOnce()
  }
  const row = await rowOf(app, merchant, id)
  assert.equal(row.state, 4)
  assert.deepEqual(takenBy(await ledgerOf(app, row)), { takenTiyin: 500_000, heldTiyin: 0 })
})

test('checks of new payments take at most half of the places of an endpoint, so that perform finds one', async (t) => {
  const outside = await openOutside(t, { endpointInFlightMax: 4 })
  const { app, hangs } = outside
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan)
  const [id, ...others] = await Promise.all(Array.from({ length: 7 }, () => newReceipt(merchant)))
  outside.failsOnce.add('perform')
  assert.equal(await merchant.expectError('receipts.pay', { id: id ?? '', token }), 'merchant_closing')
  hangs.check = true
  const reasons: string[] = []
  const replies = others.map(async (other) => reasons.push(await merchant.expectError('receipts.pay', { id: other, token })))
  while (reasons.length + endpointsInFlight(app) < others.length) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual([endpointsInFlight(app), reasons], [2, Array.from({ length: 4 }, () => 'merchant_no_answer')])

  app.clock.jump(10_000)
  await app.receiptWorker.runOnce()
  assert.equal((await rowOf(app, merchant, id ?? '')).state, 4)
  app.clock.advance(60_000)
  await Promise.all(replies)
})

test('one merchant whose calls the network does not answer leaves places for the others', async (t) => {
  const { app, hangs } = await openOutside(t, { inFlightMax: 100, peerSlowMs: 60_000 })
  const [busy, other] = [app.merchant(), app.merchant()]
  const token = await other.createToken(successPan)
  hangs.network = true
  const waiting = await requestCodes(app, busy, { count: 40, waitingCount: 20 })
  const [usage] = app.peers.listPeers()
  assert.deepEqual([usage?.inFlight, usage?.max], [20, 30])
  hangs.network = false
  await other.call('cards.get_verify_code', { token })
  app.clock.advance(12_000)
  const reasons = (await waiting.replies).map((reply) => ('error' in reply ? (reply.error as ErrorBody).reason : ''))
  assert.equal(reasons.filter((reason) => reason === 'network_unavailable').length, 20)
})

test('the scenarios of the sandbox never open a breaker', async (t) => {
  const app = await createTestApp(t)
  const merchant = app.merchant()
  const systemErrorPan = '8600143417770323'
  for (let n = 0; n < 3 * judgedMin; n++) {
    const reply = await merchant.callRaw('cards.create', { card: { number: '', expire: '0399' } }, systemErrorPan)
    if ('card' in reply) await merchant.callRaw('cards.get_verify_code', { token: reply.card.token })
  }
  assert.equal(app.peers.network('sandbox').breakerState, 'closed')
  await merchant.createVerifiedToken(successPan)
})

async function openOutside(t: TestContext, config: Partial<Config> = {}): Promise<Outside> {
  const hangs = { network: false, sms: false, endpoint: false, check: false }
  const failsOnce = new Set<string>()
  const endpointCalls: string[] = []
  const networkCalls: string[] = []
  const never = <T>(): Promise<T> => new Promise(() => undefined)
  const network = (sandbox: Network): Network => ({
    ...sandbox,
    isSimulated: false,
    startVerification(request, signal) {
      networkCalls.push('startVerification')
      return hangs.network ? never() : sandbox.startVerification(request, signal)
    },
    checkCode: (request, signal) => (networkCalls.push('checkCode'), hangs.network ? never() : sandbox.checkCode(request, signal)),
    authorize: (request, signal) => (networkCalls.push('authorize'), hangs.network ? never() : sandbox.authorize(request, signal)),
    capture: (request, signal) => (networkCalls.push('capture'), hangs.network ? never() : sandbox.capture(request, signal)),
  })
  const sms = (sandbox: Sms): Sms => ({
    isSimulated: false,
    send: (message, signal) => (hangs.sms ? never() : sandbox.send(message, signal)),
  })
  const reply = async (method: string): Promise<MerchantApiReply> => {
    endpointCalls.push(method)
    return hangs.endpoint || failsOnce.delete(method) ? { kind: 'silent', reason: 'late' } : { kind: 'agreed' }
  }
  const endpoint = (): MerchantApi => ({
    hasEndpoint: () => Promise.resolve(true),
    check: () => (hangs.check ? never() : reply('check')),
    perform: () => reply('perform'),
    cancel: () => reply('cancel'),
  })
  const app = await createTestApp(t, { network, sms, endpoint, config })
  return { app, hangs, failsOnce, endpointCalls, networkCalls }
}

function endpointsInFlight(app: TestApp): number {
  return app.peers.listPeers().find(({ kind }) => kind === 'merchant_endpoint')?.inFlight ?? 0
}

interface CodeRequests {
  readonly count: number
  readonly pan?: string
  /** What they wait for. */
  readonly peer?: 'network' | 'sms'
  /** How many of them wait there; the others are refused. */
  readonly waitingCount?: number
}

/** Requests codes for new cards, and returns when they wait for the outside. */
async function requestCodes(
  app: TestApp,
  merchant: TestMerchant,
  { count, pan = successPan, peer = 'network', waitingCount = count }: CodeRequests,
): Promise<{ readonly replies: Promise<readonly object[]> }> {
  const tokens = await Promise.all(Array.from({ length: count }, () => merchant.createToken(pan)))
  const replies = Promise.all(tokens.map((token) => merchant.callRaw('cards.get_verify_code', { token })))
  const inFlight = (): number => app.peers.listPeers().find(({ kind }) => kind === peer)?.inFlight ?? 0
  while (inFlight() < waitingCount) await new Promise((resolve) => setImmediate(resolve))
  return { replies }
}

/** A gateway is aborted shortly before its time is over, and what it returns then counts. */
async function passSmsTimeout(app: TestApp): Promise<void> {
  app.clock.advance(slowMs - callGraceMs)
  await new Promise((resolve) => setImmediate(resolve))
  app.clock.advance(callGraceMs)
}

async function refusalOf<M extends OperationName>(
  merchant: TestMerchant,
  method: M,
  params: Params<M>,
): Promise<[code: number, reason: string, retryAfter: number | undefined]> {
  const reply: object = await merchant.callRaw(method, params)
  if (!('error' in reply)) throw new Error(`${method} was not refused`)
  const { code, reason, retry_after: retryAfter } = reply.error as ErrorBody
  return [code, reason, retryAfter]
}
