import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHandClock } from '../../../testing/clock.fixture.ts'
import type { NetworkAdapterDependencies } from '../network.ts'
import { NetworkNotReached } from '../network-not-reached.ts'
import { describeNetwork } from '../network.suite.ts'
import { callingMerchantId, followUpOf, makeNetworkHttp, networkCardOf, payByCard, queuePassedMs } from '../network-calls.fixture.ts'
import { assertSameShape, readRecordedCalls } from '../recorded-shapes.fixture.ts'
import { parseRoutes } from '../routes.ts'

import { svgateError, startSvgate, svgateCode, type SvgateFault } from './svgate.fixture.ts'
import { uzcardNetwork } from './uzcard.ts'

const [goodPan, poorPan] = ['8600069195406311', '8600495473316478']
const never = new AbortController().signal

async function setUp(given: object = {}) {
  const svgate = await startSvgate({ goodPan, poorPan })
  const clock = makeHandClock()
  const logged: unknown[] = []
  let next = 0
  const line = { isCut: false }
  // prettier-ignore
  const settings = {
    url: svgate.url, username: 'user', passwordFile: 'a password', routes: parseRoutes('8600'), merchantId: '90050017182', terminalId: '91419475',
    port: '16050', receiverId: '2305197202', holdMinutes: 10_080, reverseBy: 'refNum', phoneOwner: 'unknown', ...given,
  }
  const network = uzcardNetwork.create({
    settings,
    ...makeNetworkHttp(clock, line),
    clock,
    log: (...line: unknown[]) => logged.push(line),
    takeTraceNumbers: async (_network: string, count: number) => (next += count) - count,
  } as unknown as NetworkAdapterDependencies & { settings: never })
  return { ...svgate, line, network, clock, logged, goodPan }
}

type Setup = Awaited<ReturnType<typeof setUp>>

describeNetwork('uzcard', async () => {
  const { network, debitedTiyin, clock, close } = await setUp()
  return {
    network,
    approvedCard: () => networkCardOf(goodPan),
    declinedCard: () => networkCardOf(poorPan),
    debitedTiyin: async () => debitedTiyin(),
    passQueueTime: () => clock.advance(queuePassedMs),
    code: { correct: svgateCode, wrong: '654321' },
    close,
  }
})

function statusOf({ network }: Setup, kind: 'authorise' | 'hold' | 'refund' = 'authorise') {
  return network.status(
    { requestId: 'r1', merchantId: callingMerchantId, kind, amountTiyin: 500, trace: '', ofRequestId: 'r1', networkRef: '' },
    never,
  )
}

test('every request to Uzcard has its recorded shape, and every recorded method is used', async () => {
  const setup = await setUp()
  const { network, received } = setup
  const started = await network.startVerification({ ...networkCardOf(goodPan), requestId: 'v1', isHolderRequired: false }, never)
  assert.ok(started.kind === 'sentByNetwork' && started.phoneMask === '********1234' && started.holder === undefined)
  await network.checkCode({ ...networkCardOf(goodPan), requestId: 'v1', networkRef: started.networkRef, code: svgateCode }, never)
  const debit = await payByCard(setup)
  await network.refund(await followUpOf(setup, { ofTrace: debit.trace, networkRef: debit.networkRef }), never)
  const held = await payByCard(setup, { hold: true, requestId: 'r3' })
  const ofHeld = { ofTrace: held.trace, networkRef: held.networkRef, ofRequestId: 'r3', ofHold: true }
  await network.capture(await followUpOf(setup, { ...ofHeld, amountTiyin: 200 }), never)
  await network.cancelHold(await followUpOf(setup, ofHeld), never)
  const calls = readRecordedCalls('uzcard')
  for (const { method, params } of received) assertSameShape(params, calls.find((call) => call.method === method)?.params, method)
  assert.deepEqual(new Set(received.map(({ method }) => method)), new Set(calls.map(({ method }) => method)))
  assert.deepEqual([...setup.host.authorizations], [`Basic ${Buffer.from('user:a password').toString('base64')}`])
  await setup.close()
})

test('a debit whose reply is lost is unknown, is found by its request id, and is reversed once', async () => {
  const setup = await setUp()
  setup.host.faults.set('trans.pay.purpose', 'lost')
  const { outcome, trace } = await payByCard(setup)
  assert.equal(outcome.kind, 'unknown')
  assert.equal((await statusOf(setup)).kind, 'approved')
  setup.host.faults.set('trans.reverse', 'lost')
  const request = await followUpOf(setup, { ofTrace: trace })
  assert.equal((await setup.network.reverse(request, never)).kind, 'unknown')
  setup.clock.advance(queuePassedMs)
  assert.equal((await setup.network.reverse({ ...request, isRepeat: true }, never)).kind, 'approved')
  assert.equal(setup.debitedTiyin(), 0)
  assert.equal(setup.received.filter(({ method }) => method === 'trans.reverse').length, 1)
  await setup.close()
})

test('a debit whose reply comes too late is unknown, and its reply belongs to no other call', async () => {
  const setup = await setUp()
  const giving = new AbortController()
  setup.host.faults.set('trans.pay.purpose', 'late')
  const paying = payByCard(setup, { signal: giving.signal })
  await Promise.race([paying, setup.withheld])
  giving.abort(new Error('the caller has gone'))
  assert.equal((await paying).outcome.kind, 'unknown')
  setup.release()
  const next = await payByCard(setup, { requestId: 'r9' })
  assert.equal(next.outcome.kind, 'approved')
  assert.equal((await statusOf(setup)).kind, 'approved')
  await setup.close()
})

test('a debit that never arrived stays unknown while it may be in a queue, and is reversed as never seen afterwards', async () => {
  const setup = await setUp()
  const request = await followUpOf(setup, { ofTrace: (await setup.network.issueTrace?.('authorise')) ?? '' })
  assert.equal((await statusOf(setup)).kind, 'neverSeen')
  const early = await setup.network.reverse(request, never)
  assert.ok(early.kind === 'unknown' && early.isAnswered === true && (early.decidesAt ?? 0) > setup.clock.now())
  setup.clock.advance(queuePassedMs)
  assert.ok((early.decidesAt ?? Infinity) < setup.clock.now())
  setup.host.faults.set('trans.ext', 'lost')
  assert.deepEqual(await setup.network.reverse(request, never), { kind: 'unknown' }, 'a lost reply is no answer')
  assert.equal((await setup.network.reverse(request, never)).kind, 'approved')
  await setup.close()
})

const change = (members: object) => (result: unknown) => ({ ...(result as object), ...members })
const unsure: readonly (readonly [string, SvgateFault])[] = [
  ['an approval of another amount', change({ amount: 1 })],
  ['an approval of another payment', change({ ext: 'another' })],
  ['an approval without a reference', change({ refNum: '000000000000' })],
  ['a response code that nobody knows', change({ status: 'ERR', resp: 4711 })],
  ['status OK with a response code', change({ resp: 51 })],
  ['a result that is no transaction', () => ({ ok: true })],
  ['bytes that are no JSON', { status: 200, body: '<html>' }],
  ['a reply to another call', { status: 200, body: '{"jsonrpc":"2.0","id":"another","result":{}}' }],
  ['a failure of the server', { status: 502, body: '' }],
  ['a reply that is too long', { status: 200, body: ' '.repeat(70_000) }],
  ...[-101, -211, -281, -300, -301, -307, -311, -350, -380, -399, -404, -604, -9999].map(
    (code) => [`the error ${code}`, () => svgateError(code)] as const,
  ),
]
for (const [what, fault] of unsure) {
  test(`the outcome of a debit is unknown after ${what}`, async () => {
    const setup = await setUp()
    setup.host.faults.set('trans.pay.purpose', fault)
    assert.equal((await payByCard(setup)).outcome.kind, 'unknown')
    await setup.close()
  })
}

const refused: readonly (readonly [SvgateFault, string])[] = [
  [() => svgateError(-240), 'insufficientFunds'],
  [() => svgateError(-201), 'cardExpired'],
  [() => svgateError(-205), 'cardBlocked'],
  [() => svgateError(-262), 'cardLimit'],
  [() => svgateError(-247), 'systemError'],
  [change({ status: 'ERR', resp: 51 }), 'insufficientFunds'],
  [{ status: 401, body: '' }, 'systemError'],
]
for (const [at, [fault, reason]] of refused.entries()) {
  test(`a refusal is a decline for its reason: ${reason} (${at + 1})`, async () => {
    const setup = await setUp()
    setup.host.faults.set('trans.pay.purpose', fault)
    const { outcome } = await payByCard(setup)
    assert.equal(outcome.kind === 'declined' && outcome.reason, reason)
    await setup.close()
  })
}

test('a payment whose card was not looked up is declined, since nothing was taken', async () => {
  for (const fault of ['lost', () => svgateError(-300), () => ({})] as const) {
    const setup = await setUp()
    setup.host.faults.set('p2p.info', fault)
    assert.equal((await payByCard(setup)).outcome.kind, 'declined')
    assert.deepEqual(
      setup.received.map(({ method }) => method),
      ['p2p.info'],
    )
    await setup.close()
  }
})

test('a host that is away after the lookup of the card gets no debit, and one that is away when a debit exists leaves it unknown', async () => {
  const setup = await setUp()
  setup.host.faults.set('p2p.info', cutAfter(setup))
  await assert.rejects(payByCard(setup), NetworkNotReached)
  assert.equal(setup.debitedTiyin(), 0)
  setup.line.isCut = false
  setup.host.faults.set('trans.pay.purpose', () => {
    setup.line.isCut = true
    return svgateError(-207)
  })
  assert.deepEqual((await payByCard(setup)).outcome, { kind: 'unknown' })
  await setup.close()
})

/** A fault that changes nothing of the reply, after which the host cannot be reached. */
function cutAfter({ line }: Setup): SvgateFault {
  return (result) => {
    line.isCut = true
    return result
  }
}

test('a hold whose reply is lost has no inquiry, and stays unknown until the host has released it', async () => {
  const setup = await setUp({ holdMinutes: 60 })
  setup.host.faults.set('hold.create', 'lost')
  const { outcome, trace } = await payByCard(setup, { hold: true })
  assert.equal(outcome.kind, 'unknown')
  assert.equal((await statusOf(setup, 'hold')).kind, 'noInquiry')
  const request = await followUpOf(setup, { ofTrace: trace, ofHold: true })
  setup.clock.advance(60 * 60_000)
  assert.equal((await setup.network.reverse(request, never)).kind, 'unknown')
  setup.clock.advance(queuePassedMs)
  assert.equal((await setup.network.reverse(request, never)).kind, 'approved')
  await setup.close()
})

test('a refund whose reply is lost is approved when it is repeated, and one of another amount is not sent', async () => {
  const setup = await setUp()
  const debit = await payByCard(setup)
  const request = await followUpOf(setup, { ofTrace: debit.trace, networkRef: debit.networkRef })
  assert.equal((await setup.network.refund({ ...request, amountTiyin: 100 }, never)).kind, 'unknown')
  assert.equal(setup.debitedTiyin(), 500)
  setup.host.faults.set('trans.reverse', 'lost')
  assert.equal((await setup.network.refund(request, never)).kind, 'unknown')
  assert.equal((await setup.network.refund({ ...request, isRepeat: true }, never)).kind, 'approved')
  assert.equal(setup.debitedTiyin(), 0)
  await setup.close()
})

test('a reversal that failed is unknown', async () => {
  const setup = await setUp()
  const debit = await payByCard(setup)
  setup.host.faults.set('trans.reverse', () => [{ status: 'RER', resp: 0 }])
  assert.equal(
    (await setup.network.refund(await followUpOf(setup, { ofTrace: debit.trace, networkRef: debit.networkRef }), never)).kind,
    'unknown',
  )
  await setup.close()
})

test('codes are judged by the host, and a phone that nobody confirms gets none where the holder is required', async () => {
  const setup = await setUp()
  const check = async (fault: SvgateFault) => {
    setup.host.faults.set('cards.new.verify', fault)
    return setup.network.checkCode({ ...networkCardOf(goodPan), requestId: 'v1', networkRef: '1', code: svgateCode }, never)
  }
  assert.deepEqual(await check(() => svgateError(-269)), { kind: 'incorrect' })
  assert.deepEqual(await check(() => svgateError(-270)), { kind: 'expired' })
  assert.deepEqual(await check(() => svgateError(-314)), { kind: 'unknown' })
  assert.deepEqual(await check(() => svgateError(-261)), { kind: 'refused', reason: 'cardBlocked' })
  assert.deepEqual(await check('lost'), { kind: 'refused', reason: 'timeout' })
  const request = { ...networkCardOf(goodPan), requestId: 'v2', isHolderRequired: true }
  assert.deepEqual(await setup.network.startVerification(request, never), { kind: 'refused', reason: 'holderMismatch' })
  assert.ok(!setup.received.some(({ method }) => method === 'cards.new.otp'))
  await setup.close()
  const confirmed = await setUp({ phoneOwner: 'cardholder' })
  const started = await confirmed.network.startVerification({ ...networkCardOf(goodPan), requestId: 'v2', isHolderRequired: true }, never)
  assert.ok(started.kind === 'sentByNetwork' && started.holder === 'match')
  assert.ok(!JSON.stringify([started, confirmed.logged]).includes(goodPan))
  await confirmed.close()
})
