import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createApiPipeline, type RequestHandler } from '../server/pipeline.ts'
import type { CallSummary, CallFailure } from '../server/call-observer.ts'
import { noCoarseLimits } from '../server/rate-limits/coarse-limits.ts'
import { noPasswordThrottle } from '../server/auth/password-throttle.ts'
import type { HttpRequest } from '../server/http/request.ts'
import { demoMerchant } from '../adapters/sandbox/sandbox.ts'
import { makeSandboxNetwork } from '../adapters/sandbox/network.ts'

import { operationRegistry } from './registry.ts'
import { createTestApp, type TestApp } from '../testing/test-app.fixture.ts'
import { randomHex } from '../testing/random.fixture.ts'
import { listInbox } from '../store/sandbox.ts'

const app = await createTestApp({ after })
const called: CallSummary[] = []
const failed: CallFailure[] = []
const answer = await openDoor(app)
const browser = demoMerchant.id
const server = `${demoMerchant.id}:${demoMerchant.password}`

test('end to end in the spec profile: a card number becomes a verified token, and is shown masked', async () => {
  const params = { card: { number: '8600069195406311', expire: '0399' }, save: true }
  const created = await post('cards.create', params, browser)
  const { token } = created.result.card
  assert.deepEqual(created, {
    jsonrpc: '2.0',
    id: 'q1',
    result: { card: { number: '8600***6311', expire: '0399', token, recurrent: true, verify: false, type: '22618' } },
  })
  const sent = await post('cards.get_verify_code', { token }, browser)
  assert.deepEqual(sent.result, { sent: true, phone: '99890*****66', wait: 60_000 })
  assert.equal((await post('cards.verify', { token, code: '666666' }, browser)).result.card.verify, true)
  const refused = await post('cards.check', { token }, browser)
  assert.deepEqual([refused.error.code, refused.error.reason], [-32504, 'server_only'])
  assert.equal((await post('cards.check', { token }, server)).result.card.verify, true)
  assert.deepEqual((await post('cards.remove', { token }, server)).result, { success: true })
  const gone = await post('cards.check', { token }, server)
  assert.deepEqual([gone.error.code, gone.error.data, gone.error.origin], [-31400, 'deleted', 'cards.check'])
})

test('the same in the subscribe profile, with the merchant id alone, and messages in Russian', async () => {
  const params = { card: { number: ' 8600495473316478 ', expire: '0399' }, amount: 350_000.0, account: null, unknown: [] }
  const { token, ...rest } = (await post('cards.create', params, browser, null)).result.card
  assert.deepEqual(rest, { number: '860049******6478', expire: '03/99', recurrent: false, verify: false, type: '22618' })
  await post('cards.get_verify_code', { token }, browser, null)
  assert.match((await app.store.read(listInbox(1)))[0]?.text ?? '', /код 666666/)
  const wrong = await post('cards.verify', { token, code: '123456' }, browser, null)
  assert.deepEqual([wrong.error.code, wrong.error.message], [-31103, 'Неверный код.'])
  assert.equal((await post('cards.verify', { token, code: 666666 }, browser, null)).result.card.expire, '03/99')
  assert.equal((await post('cards.check', { token }, browser, null)).result.card.verify, true)
  assert.deepEqual((await post('cards.remove', { token }, browser, null)).result, { success: true })
})

test('a missing card number, or one that is no string, is reported by its path; an invalid one by the profile’s error', async () => {
  const cases: [card: object, code: number, subscribe: number, reason: string, member: string][] = [
    [{ expire: '0399' }, -32602, -32602, 'member_missing', 'card.number'],
    [{ number: 1, expire: '0399' }, -32602, -32602, 'member_invalid', 'card.number'],
    [{ number: null, expire: '0399' }, -32602, -32602, 'member_invalid', 'card.number'],
    [{ number: '', expire: '0399' }, -31050, -32602, 'card_number_format', 'card.number'],
    [{ number: '8600069195406312', expire: '0399' }, -31050, -31300, 'card_number_check_digit', 'card.number'],
    [{ number: '8600069195406311' }, -32602, -32602, 'member_missing', 'card.expire'],
    [{ number: '8600069195406311', expire: 399 }, -32602, -32602, 'member_invalid', 'card.expire'],
    [{ number: '8600069195406311', expire: '0099' }, -31300, -31300, 'expire_month', 'card.expire'],
  ]
  for (const [card, spec, subscribe, reason, member] of cases) {
    const replies = [await post('cards.create', { card }, browser), await post('cards.create', { card }, browser, null)]
    assert.deepEqual(
      replies.map(({ error }) => [error.code, error.reason, error.data]),
      [spec, subscribe].map((code) => [code, reason, member]),
      JSON.stringify(card),
    )
  }
})

test('an exception of the network is logged with the request id of the reply', async () => {
  const { token } = (await post('cards.create', { card: { number: '8600143417770323', expire: '0399' } }, browser)).result.card
  const { error } = await post('cards.get_verify_code', { token }, browser)
  assert.deepEqual([error.code, error.reason, error.message], [-32400, 'system_error', 'Системная ошибка.'])
  const failure = failed.at(-1)
  assert.deepEqual([failure?.requestId, failure?.error, failure?.method], [error.data, 'systemError', 'cards.get_verify_code'])
})

test('the pipeline reports no card number, token, code or password to the log', () => {
  assert.ok(called.length > 20)
  const logged = JSON.stringify(called)
  for (const secret of ['8600', '666666', demoMerchant.password]) assert.ok(!logged.includes(secret), secret)
  assert.ok(!/[0-9a-f]{24}_/.test(logged))
})

/** Makes the demo merchant and opens the client as `main.ts` does for the test environment. */
async function openDoor({ app, store, clock, merchants, idempotency }: TestApp): Promise<RequestHandler> {
  await merchants.ensureMerchant(demoMerchant)
  return createApiPipeline({
    operations: operationRegistry,
    services: app.services,
    credentials: merchants,
    origins: { isAnyAllowed: true, formOrigin: null },
    limits: noCoarseLimits,
    passwords: noPasswordThrottle,
    idempotency,
    cardRoutes: makeSandboxNetwork({ store, clock }).routes,
    observer: { completed: (entry) => called.push(entry), failed: (failure) => failed.push(failure) },
    translateError: () => null,
    issueRequestId: () => randomHex(24),
    now: () => 0,
    sleep: clock.sleep,
    stopping: new AbortController().signal,
    signal: new AbortController().signal,
  })
}

/** What is read of a reply; wrong shapes fail the comparison that follows. */
interface Reply {
  readonly result: { readonly card: { readonly token: string; readonly verify: boolean; readonly expire: string } }
  readonly error: {
    readonly code: number
    readonly message: string
    readonly reason: string
    readonly data?: string
    readonly origin?: string
  }
}

async function post(method: string, params: object, xAuth: string, segment: string | null = method): Promise<Reply> {
  const request: HttpRequest = {
    refusal: null,
    segment,
    hasQuery: false,
    xAuth,
    origin: null,
    isFromBrowser: false,
    idempotencyKey: null,
    body: Buffer.from(JSON.stringify({ id: 'q1', method, params })),
    acceptLanguage: 'ru-RU, en;q=0.5',
    address: '127.0.0.1',
  }
  const { status, text } = await answer(request)
  assert.equal(status, 200)
  return JSON.parse(text) as Reply
}
