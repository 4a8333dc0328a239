import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHandClock } from '../../../testing/clock.fixture.ts'
import { queuedMaxMs, type NetworkAdapterDependencies } from '../network.ts'
import { describeNetwork } from '../network.suite.ts'
import { callingMerchantId, followUpOf, makeNetworkHttp, networkCardOf, payByCard, queuePassedMs } from '../network-calls.fixture.ts'
import { assertSameShape, readRecordedCalls } from '../recorded-shapes.fixture.ts'
import { parseRoutes } from '../routes.ts'

import { humoNetwork } from './humo.ts'
import { makePaymentServer } from './payment-server.ts'
import { listElements, startHumo, type HumoFault } from './payment-server.fixture.ts'

const [goodPan, poorPan] = ['9860000000000018', '9860000000000026']
const never = new AbortController().signal

async function setUp(given: object = {}) {
  const humo = await startHumo({ goodPan })
  const clock = makeHandClock()
  const line = { isCut: false }
  const settings = {
    cardUrl: humo.cardUrl,
    tokenFile: 'a token',
    paymentUrl: humo.paymentUrl,
    username: 'user',
    passwordFile: 'a password',
    originator: 'A & B',
    routes: parseRoutes('9860'),
    merchantId: '011860302360014',
    terminalId: '1000CNC8',
    pointCode: '100010104110',
    centreId: 'Bank',
    notFoundError: '-1',
    phoneOwner: 'unknown',
    ...given,
  }
  const deps = { settings, ...makeNetworkHttp(clock, line), clock }
  const network = humoNetwork.create(deps as unknown as NetworkAdapterDependencies & { settings: never })
  return { ...humo, line, network, clock, goodPan }
}

describeNetwork('humo', async () => {
  const { network, debitedTiyin, clock, close } = await setUp()
  return {
    network,
    approvedCard: () => networkCardOf(goodPan),
    declinedCard: () => networkCardOf(poorPan),
    debitedTiyin: async () => debitedTiyin(),
    passQueueTime: () => clock.advance(queuePassedMs),
    hasInquiry: false,
    close,
  }
})

test('every request to Humo has its recorded shape, and every recorded method is used', async () => {
  const setup = await setUp()
  const { network, received } = setup
  const verified = await network.startVerification({ ...networkCardOf(goodPan), requestId: 'v1', isHolderRequired: false }, never)
  assert.deepEqual(verified, { kind: 'sentByService', phone: '998901234567' })
  const debit = await payByCard(setup)
  await network.refund(await followUpOf(setup, { ofTrace: debit.trace, networkRef: debit.networkRef }), never)
  const held = await payByCard(setup, { hold: true, requestId: 'r3' })
  await network.cancelHold(
    await followUpOf(setup, { ofTrace: held.trace, networkRef: held.networkRef, ofRequestId: 'r3', ofHold: true }),
    never,
  )
  await network.reverse(await followUpOf(setup, { ofTrace: debit.trace }), never)
  const calls = readRecordedCalls('humo').filter(({ method }) => method !== 'fault')
  for (const { method, body } of received) {
    const recorded = calls.find((call) => call.method === method)?.params
    if (method.startsWith('/')) assertSameShape(JSON.parse(body), recorded, method)
    else assert.deepEqual(listElements(body), recorded, method)
  }
  assert.deepEqual(new Set(received.map(({ method }) => method)), new Set(calls.map(({ method }) => method)))
  const basic = `Basic ${Buffer.from('user:a password').toString('base64')}`
  assert.deepEqual([...setup.host.authorizations], ['Bearer a token', basic])
  assert.ok(received.filter(({ method }) => !method.startsWith('/')).every(({ body }) => body.includes('<paymentOriginator>A &amp; B<')))
  await setup.close()
})

for (const method of ['payment.create', 'payment.confirm'] as const) {
  test(`a debit whose reply of ${method} is lost is unknown, and its reversal gives the money back once, also when that is repeated`, async () => {
    const setup = await setUp()
    setup.host.faults.set(method, 'lost')
    const { outcome, trace } = await payByCard(setup)
    assert.equal(outcome.kind, 'unknown')
    assert.equal(setup.debitedTiyin(), 500)
    const request = await followUpOf(setup, { ofTrace: trace })
    const reversal = method === 'payment.create' ? 'payment.cancel' : 'payment.return'
    setup.host.faults.set(reversal, 'lost')
    assert.equal((await setup.network.reverse(request, never)).kind, 'unknown')
    assert.equal((await setup.network.reverse({ ...request, isRepeat: true }, never)).kind, 'approved')
    assert.equal(setup.debitedTiyin(), 0)
    if (reversal === 'payment.return') assert.equal(setup.received.filter((call) => call.method === reversal).length, 1)
    await setup.close()
  })
}

test('a payment whose reply comes too late is unknown, and its reply belongs to no other payment', async () => {
  const setup = await setUp()
  const giving = new AbortController()
  setup.host.faults.set('payment.create', 'late')
  const paying = payByCard(setup, { signal: giving.signal })
  await Promise.race([paying, setup.withheld])
  giving.abort(new Error('the caller has gone'))
  assert.equal((await paying).outcome.kind, 'unknown')
  setup.release()
  assert.equal((await payByCard(setup, { requestId: 'r9' })).outcome.kind, 'approved')
  await setup.close()
})

test('a payment that never arrived stays unknown while it may be in a queue, and is reversed as never seen afterwards', async () => {
  const setup = await setUp()
  const request = await followUpOf(setup, { ofTrace: (await setup.network.issueTrace?.('authorise')) ?? '' })
  assert.deepEqual(await setup.network.reverse(request, never), {
    kind: 'unknown',
    isAnswered: true,
    decidesAt: setup.clock.now() + queuedMaxMs,
  })
  setup.clock.advance(queuePassedMs)
  setup.host.faults.set('payment.status', (body) => body.replace('<error>-1<', '<error>-7<'))
  assert.deepEqual(await setup.network.reverse(request, never), { kind: 'unknown' })
  assert.equal((await setup.network.reverse(request, never)).kind, 'approved')
  await setup.close()
})

test('a refund whose reply is lost is found by the amount that was returned', async () => {
  const setup = await setUp()
  const debit = await payByCard(setup)
  setup.host.faults.set('payment.return', 'lost')
  const request = await followUpOf(setup, { ofTrace: debit.trace, networkRef: debit.networkRef })
  const status = () =>
    setup.network.status(
      {
        requestId: 'r2',
        merchantId: callingMerchantId,
        kind: 'refund',
        amountTiyin: 500,
        trace: '',
        ofRequestId: 'r1',
        networkRef: debit.networkRef,
      },
      never,
    )
  assert.deepEqual(await status(), { kind: 'neverSeen' })
  assert.equal((await setup.network.refund(request, never)).kind, 'unknown')
  assert.equal((await status()).kind, 'approved')
  assert.equal(setup.debitedTiyin(), 0)
  await setup.close()
})

const unsure: readonly (readonly [string, HumoFault])[] = [
  ['an approval of another amount', (body) => body.replace('<value>500<', '<value>1<')],
  ['an approval of another payment', (body) => body.replace('<paymentRef>r1<', '<paymentRef>r7<')],
  ['an approval without an id', (body) => body.replace(/<paymentID>\d+</, '<paymentID><')],
  ['an action that nobody knows', (body) => body.replace('<action>4<', '<action>7<')],
  ['an approval with a code of refusal', (body) => body.replace('<value>000<', '<value>116<')],
  ['bytes that are no reply', { status: 200, body: '<html>' }],
  ['a failure of the server', { status: 502, body: '' }],
  ['a fault without an error', { status: 500, body: '<x:Fault><faultcode/></x:Fault>' }],
  ...['-1', '500', '904', '915', '00116'].map(
    (error) => [`the fault ${error}`, { status: 500, body: `<x:Fault><detail><error>${error}</error></detail></x:Fault>` }] as const,
  ),
]
for (const [what, fault] of unsure) {
  test(`the outcome of a payment is unknown after ${what}`, async () => {
    const setup = await setUp()
    setup.host.faults.set('payment.create', fault)
    assert.equal((await payByCard(setup)).outcome.kind, 'unknown')
    await setup.close()
  })
}

test('a confirmation of another amount, or one that is refused, is unknown', async () => {
  for (const fault of [
    (body: string) => body.replace('<value>500<', '<value>1<'),
    { status: 500, body: '<x:Fault><error>116</error></x:Fault>' },
  ]) {
    const setup = await setUp()
    setup.host.faults.set('payment.confirm', fault)
    assert.equal((await payByCard(setup)).outcome.kind, 'unknown')
    await setup.close()
  }
})

for (const [error, reason] of [
  ['101', 'cardExpired'],
  ['116', 'insufficientFunds'],
  ['121', 'cardLimit'],
  ['208', 'cardBlocked'],
  ['109', 'declined'],
]) {
  test(`the fault ${error} is a decline: ${reason}`, async () => {
    const setup = await setUp()
    setup.host.faults.set('payment.create', { status: 500, body: `<x:Fault><detail><error>${error}</error></detail></x:Fault>` })
    assert.deepEqual((await payByCard(setup)).outcome, { kind: 'declined', reason, rawCode: error })
    await setup.close()
  })
}

test('a card that is blocked, or has no phone, or is not known is refused, and a host that does not reply is no refusal of the card', async () => {
  const setup = await setUp({ phoneOwner: 'cardholder' })
  const start = async (fault: HumoFault, pan = goodPan) => {
    setup.host.faults.set('/v3/iiacs/card', fault)
    return setup.network.startVerification({ ...networkCardOf(pan), requestId: 'v1', isHolderRequired: true }, never)
  }
  assert.deepEqual(await start('none'), { kind: 'sentByService', phone: '998901234567', holder: 'match' })
  assert.deepEqual(await start((body) => body.replace('"actionCode":"000"', '"actionCode":"208"')), {
    kind: 'refused',
    reason: 'cardBlocked',
  })
  assert.deepEqual(await start((body) => body.replace('"state":"on"', '"state":"off"')), { kind: 'refused', reason: 'smsNotConnected' })
  assert.deepEqual(await start('none', poorPan), { kind: 'refused', reason: 'systemError' })
  for (const body of ['null', '{"result":null}', '{"result":{"card":null}}']) {
    assert.deepEqual(await start({ status: 200, body }), { kind: 'refused', reason: 'systemError' }, body)
  }
  const withoutPhone = '{"result":{"card":{"statuses":{"item":[null]}},"mb":null}}'
  assert.deepEqual(await start({ status: 200, body: withoutPhone }), { kind: 'refused', reason: 'smsNotConnected' })
  assert.deepEqual(await start('lost'), { kind: 'refused', reason: 'timeout' })
  await setup.close()
})

test('a host that refuses the credentials declines the payment, and one that is away before the confirmation leaves it unknown', async () => {
  const setup = await setUp()
  setup.host.faults.set('payment.create', { status: 401, body: '' })
  assert.deepEqual((await payByCard(setup)).outcome, { kind: 'declined', reason: 'systemError', rawCode: 'not_processed' })
  setup.host.faults.set('payment.create', (body) => {
    setup.line.isCut = true
    return body
  })
  assert.deepEqual((await payByCard(setup)).outcome, { kind: 'unknown' })
  assert.equal(setup.debitedTiyin(), 500, 'the hold')
  await setup.close()
})

test('a reply of the SOAP service has no card number when it is text', async () => {
  const setup = await setUp()
  await payByCard(setup)
  const { paymentUrl: url, clock } = setup
  const { request } = makeNetworkHttp(clock)
  const call = makePaymentServer({ url, username: 'user', password: 'a password', originator: 'user', request })
  const reply = await call({ element: 'GetPayment', content: '<paymentRef>r1</paymentRef>' }, never)
  assert.ok(reply.kind === 'response' && reply.xml.includes('<name>pan</name>') && !reply.xml.includes(goodPan))
  await setup.close()
})
