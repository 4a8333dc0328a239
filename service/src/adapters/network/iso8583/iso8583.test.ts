import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { makeHandClock } from '../../../testing/clock.fixture.ts'
import { findTransportFaults } from '../../../ops/config/private-transports.ts'
import { AdapterConfigError, createAdapters, listAdapterSettings, type ConfiguredAdapters } from '../../adapter.ts'
import { makeAuthority } from '../../http/certificate.fixture.ts'
import { networkAdapters } from '../network-adapters.ts'
import { queuedMaxMs, type NetworkAdapterDependencies } from '../network.ts'
import { NetworkNotReached } from '../network-not-reached.ts'
import { callingMerchantId, followUpOf, networkCardOf, payByCard, queuePassedMs } from '../network-calls.fixture.ts'
import { describeNetwork } from '../network.suite.ts'
import { readRecordedCalls, type RecordedCall } from '../recorded-shapes.fixture.ts'

import { decodeMessage, encodeMessage, IsoFormatError, type IsoMessage } from './codec.ts'
import { encodeFrame } from './connection.ts'
import { defaultDialect, parseDialect, type IsoDialect } from './dialect.ts'
import { startIsoHost } from './host.fixture.ts'

const [goodPan, poorPan] = ['8600069195406311', '8600495473316478']
const never = new AbortController().signal
const authority = makeAuthority('an ISO host authority')

const recordedMessages = readRecordedCalls('iso8583') as readonly RecordedMessage[]

interface RecordedMessage extends RecordedCall {
  readonly params: IsoMessage
  readonly result: IsoMessage
  /** The request, with its length, in hexadecimal. */
  readonly bytes: string
}

/** A BCD dialect with a bitmap in hexadecimal and a length of four ASCII digits that counts itself. */
const bcdDialect: IsoDialect = parseDialect({
  frame: { bytes: 4, encoding: 'ascii', countsItself: true },
  bitmap: 'hex',
  fields: Object.fromEntries(
    Object.entries(defaultDialect.fields).map(([number, field]) => [number, field.type === 'n' ? { ...field, encoding: 'bcd' } : field]),
  ),
})

async function setUp({
  dialect = defaultDialect,
  isTls = false,
  values = {},
}: { dialect?: IsoDialect; isTls?: boolean; values?: object } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-iso-'))
  writeFileSync(join(folder, 'table.json'), JSON.stringify(dialect))
  writeFileSync(join(folder, 'ca.pem'), authority.cert)
  const host = await startIsoHost(dialect, { declines: poorPan, ...(isTls ? { certified: authority.certify('localhost') } : {}) })
  const logged: unknown[] = []
  let next = 999_990
  const takeTraceNumbers = async (_network: string, count: number) => (next += count) - count
  const config: ConfiguredAdapters = {
    environment: 'production',
    values: {
      network: ['iso8583'],
      networkIso8583Host: isTls ? 'localhost' : '127.0.0.1',
      networkIso8583Port: host.port,
      networkIso8583Transport: isTls ? 'tls' : 'private',
      networkIso8583PrivateReason: isTls ? null : 'a loopback of a test',
      networkIso8583CaFile: join(folder, 'ca.pem'),
      networkIso8583FieldTable: join(folder, 'table.json'),
      networkIso8583Routes: '8600',
      networkIso8583TerminalId: 'TERM0001',
      networkIso8583AcceptorId: 'MERCHANT0001',
      networkIso8583EchoSeconds: 60,
      ...values,
    },
  }
  const clock = makeHandClock()
  const deps = {
    takeTraceNumbers,
    clock,
    log: (...line: unknown[]) => logged.push(line),
    dataFolder: folder,
  } as unknown as NetworkAdapterDependencies
  try {
    const [created] = createAdapters(networkAdapters, config, deps)
    assert.ok(created !== undefined)
    const passQueueTime = (): void => clock.advance(queuePassedMs)
    return { ...host, network: created.port, goodPan, logged, clock, passQueueTime, close }
  } catch (err) {
    await close()
    throw err
  }

  async function close(): Promise<void> {
    await host.close()
    rmSync(folder, { recursive: true })
  }
}

for (const [name, options] of [
  ['iso8583 in ASCII', {}],
  ['iso8583 in BCD', { dialect: bcdDialect }],
  ['iso8583 over TLS', { isTls: true }],
] as const) {
  describeNetwork(name, async () => {
    const { network, debitedTiyin, passQueueTime, close } = await setUp(options)
    return {
      network,
      approvedCard: () => networkCardOf(goodPan),
      declinedCard: () => networkCardOf(poorPan),
      debitedTiyin: async () => debitedTiyin(),
      hasInquiry: false,
      passQueueTime,
      close,
    }
  })
}

test('each message that is sent, and each reply of the double, has the fields that conformance/networks/iso8583.json has for its type', async (t) => {
  const setup = await setUp({ values: { networkIso8583AcceptorId: 'MERCHANT0000001' } })
  const { network, received } = setup
  t.after(async () => {
    await network.close?.()
    await setup.close()
  })
  const replies: IsoMessage[] = []
  setup.host.behave = (_request, reply) => (replies.push(reply), [reply])
  const debit = await payByCard(setup)
  const ofDebit = await followUpOf(setup, { ofTrace: debit.trace, networkRef: debit.networkRef })
  await network.refund(ofDebit, never)
  await network.reverse({ ...ofDebit, isRepeat: true }, never)
  const hold = await payByCard(setup, { hold: true })
  const ofHold = await followUpOf(setup, { ofTrace: hold.trace, networkRef: hold.networkRef, ofHold: true })
  for (const isRepeat of [false, true]) await network.capture({ ...ofHold, isRepeat }, never)
  await network.cancelHold(ofHold, never)

  assert.deepEqual(new Set(received.map(({ mti }) => mti)), new Set(recordedMessages.map(({ params }) => params.mti)))
  for (const [i, sent] of received.entries()) {
    const { params, result } = recordedMessages.find((each) => each.params.mti === sent.mti) ?? assert.fail(sent.mti)
    assert.deepEqual(lengthsOf(sent), lengthsOf(params), `the fields of ${sent.mti}`)
    const reply = replies[i] ?? assert.fail()
    assert.deepEqual([reply.mti, lengthsOf(reply)], [result.mti, lengthsOf(result)], `the fields of the reply to ${sent.mti}`)
  }
})

test('the recorded bytes, which another codec wrote, are read as the recorded messages, and written alike where both have a second bitmap', () => {
  for (const { method, params, bytes } of recordedMessages) {
    const { 2: pan, ...others } = params.fields
    const message = { mti: params.mti, fields: pan === undefined ? others : { 2: Buffer.from(String(pan)), ...others } }
    const { fields } = decodeMessage(Buffer.from(bytes, 'hex').subarray(defaultDialect.frame.bytes), defaultDialect)
    assert.deepEqual(textsOf(fields), params.fields, method)
    if (Math.max(...Object.keys(fields).map(Number)) > 64)
      assert.equal(Buffer.from(encodeFrame(encodeMessage(message, defaultDialect), defaultDialect)).toString('hex'), bytes, method)
  }
})

test('after the authorization no message has the card number, and the same reversal is repeated as 0401 with fields 11, 37, 38 and 90', async () => {
  const setup = await setUp()
  const { network, received, close } = setup
  const { trace: ofTrace, outcome } = await payByCard(setup)
  assert.ok(outcome.kind === 'approved')
  const trace = (await network.issueTrace?.('reverse')) ?? ''
  const of = { ofRequestId: 'r1', ofTrace, ofAmountTiyin: 500, ofHold: false, networkRef: outcome.networkRef }
  for (const isRepeat of [false, true]) {
    await network.reverse(
      { ...of, requestId: 'r2', merchantId: callingMerchantId, amountTiyin: 500, trace, isRepeat },
      new AbortController().signal,
    )
  }
  const [first, second] = received.slice(-2)
  assert.deepEqual([first?.mti, second?.mti], ['0400', '0401'])
  assert.deepEqual(first?.fields, second?.fields)
  const [stan, time, reference] = ofTrace.split(' ')
  assert.equal(first?.fields[2], undefined)
  assert.deepEqual([first?.fields[37], first?.fields[38], first?.fields[90]], [reference, 'A1B2C3', `0200${stan}${time}`.padEnd(42, '0')])
  await network.close?.()
  await close()
})

test('a reversal of what the host does not know, or not yet, is an answer, and decides only when the request cannot be in a queue any more', async () => {
  const setup = await setUp()
  const { network, close, passQueueTime } = setup
  const ofTrace = (await network.issueTrace?.('authorise')) ?? ''
  const trace = (await network.issueTrace?.('reverse')) ?? ''
  const of = { ofRequestId: 'r1', ofTrace, ofAmountTiyin: 500, ofHold: false, networkRef: '' }
  const request = { ...of, requestId: 'r2', merchantId: callingMerchantId, amountTiyin: 500, trace, isRepeat: false }
  // Field 7 has whole seconds.
  const decidesAt = Math.floor(setup.clock.now() / 1000) * 1000 + queuedMaxMs
  assert.deepEqual(await network.reverse(request, new AbortController().signal), { kind: 'unknown', isAnswered: true, decidesAt })
  passQueueTime()
  assert.deepEqual(await network.reverse({ ...request, isRepeat: true }, new AbortController().signal), {
    kind: 'approved',
    networkRef: '',
  })
  await network.close?.()
  await close()
})

test('trace numbers are unique, also where the six digits begin anew', async () => {
  const { network, close } = await setUp()
  const traces = await Promise.all(Array.from({ length: 250 }, async () => network.issueTrace?.('authorise')))
  const stans = traces.map((trace) => trace?.split(' ')[0])
  assert.equal(new Set(stans).size, 250)
  assert.deepEqual([stans[9], stans[10]], ['999999', '000000'])
  await close()
})

test('replies in another order reach their own calls', async () => {
  const setup = await setUp()
  const withheld: IsoMessage[] = []
  setup.host.behave = ({ mti }, reply) => {
    if (mti === '0800') return [reply]
    withheld.push(reply)
    return withheld.length < 3 ? [] : [...withheld].reverse()
  }
  const paid = await Promise.all([payByCard(setup), payByCard(setup), payByCard(setup)])
  for (const { trace, outcome } of paid) assert.ok(outcome.kind === 'approved' && outcome.networkRef.startsWith(trace.split(' ')[2] ?? '?'))
  await setup.network.close?.()
  await setup.close()
})

const hostile: readonly (readonly [string, (frame: Uint8Array, reply: IsoMessage) => readonly (Uint8Array | IsoMessage)[]])[] = [
  ['a length that no message has', () => [Uint8Array.of(0xff, 0xff, 1, 2)]],
  ['a length of zero', () => [Uint8Array.of(0, 0)]],
  ['bytes that are no message', () => [Uint8Array.from([0, 12, ...Buffer.from('????????????')])]],
  ['a field that is not in the table', () => [Uint8Array.from([0, 13, ...Buffer.from('0210'), 0x08, 0, 0, 0, 0, 0, 0, 0, 0x31])]],
  ['a cut message', (frame) => [frame.subarray(0, frame.length - 4)]],
  ['an approval of another amount', (_frame, reply) => [{ ...reply, fields: { ...reply.fields, 4: '000000000001' } }]],
  [
    'a reply without a code',
    (_frame, reply) => [{ ...reply, fields: Object.fromEntries(Object.entries(reply.fields).filter(([number]) => number !== '39')) }],
  ],
  ...['06', '08', '09', '11', '16', '32', '91', '96', '  '].map(
    (code) => [`code "${code}"`, (_frame: Uint8Array, reply: IsoMessage) => [{ ...reply, fields: { ...reply.fields, 39: code } }]] as const,
  ),
  ['a reply to another call', (_frame, reply) => [{ ...reply, fields: { ...reply.fields, 11: '424242' } }]],
]
for (const [what, answer] of hostile) {
  test(`the outcome is unknown after ${what}, and the next payment is paid`, async () => {
    const setup = await setUp()
    const giving = new AbortController()
    setup.host.behave = ({ mti }, reply, socket) => {
      if (mti === '0800') return [reply]
      const message = encodeMessage(reply, defaultDialect)
      setImmediate(() => (what.startsWith('a cut') ? socket.destroy() : giving.abort()))
      return answer(Uint8Array.from([message.length >> 8, message.length & 255, ...message]), reply)
    }
    assert.equal((await payByCard(setup, { signal: giving.signal })).outcome.kind, 'unknown')
    setup.host.behave = (_request, reply) => [reply]
    let again = await payByCard(setup)
    // The lost connection may be noticed only now.
    for (let i = 0; i < 5 && again.outcome.kind !== 'approved'; i++) again = await payByCard(setup)
    assert.equal(again.outcome.kind, 'approved')
    assert.ok(!JSON.stringify(setup.logged).includes(goodPan))
    await setup.network.close?.()
    await setup.close()
  })
}

test('late and double replies are dropped, and belong to no other call', async () => {
  const setup = await setUp()
  const giving = new AbortController()
  const late: IsoMessage[] = []
  setup.host.behave = ({ mti }, reply) => {
    if (mti === '0800') return [reply]
    late.push(reply)
    giving.abort()
    return []
  }
  assert.equal((await payByCard(setup, { signal: giving.signal })).outcome.kind, 'unknown')
  setup.host.behave = (_request, reply) => [...late, ...late, reply, reply]
  const { trace, outcome } = await payByCard(setup)
  assert.ok(outcome.kind === 'approved' && outcome.networkRef.startsWith(trace.split(' ')[2] ?? '?'))
  await setup.network.close?.()
  await setup.close()
})

test('a host that refuses the sign-on, or is not there, gets no payment', async () => {
  const setup = await setUp()
  setup.host.behave = (_request, reply) => [{ ...reply, fields: { ...reply.fields, 39: '91' } }]
  await assert.rejects(payByCard(setup), NetworkNotReached)
  assert.ok(setup.received.length > 0 && setup.received.every(({ mti }) => mti === '0800'))
  await setup.close()
  await assert.rejects(payByCard(setup), NetworkNotReached)
})

test('a phone is not inquired at a host that is not there', async () => {
  const dialect = parseDialect({ phoneInquiry: { processingCode: '310000', field: 48 } })
  const setup = await setUp({ dialect })
  const inquire = () => setup.network.startVerification({ ...networkCardOf(goodPan), requestId: 'v1', isHolderRequired: false }, never)
  assert.deepEqual(await inquire(), { kind: 'refused', reason: 'smsNotConnected' }, 'control: the double names no phone')
  await setup.network.close?.()
  await setup.close()
  const away = await setUp({ dialect })
  await away.close()
  await assert.rejects(
    away.network.startVerification({ ...networkCardOf(goodPan), requestId: 'v1', isHolderRequired: false }, never),
    NetworkNotReached,
  )
})

test('a payment that the field table cannot express is not sent, and its outcome is no question', async () => {
  const setup = await setUp({ values: { networkIso8583TerminalId: 'TERM00001' } })
  const { outcome } = await payByCard(setup)
  assert.deepEqual(outcome, { kind: 'declined', reason: 'systemError', rawCode: 'not_sent' })
  assert.ok(!setup.received.some(({ mti }) => mti === '0200'))
  await setup.network.close?.()
  await setup.close()
})

test('a host whose certificate is of another authority gets nothing', async () => {
  const setup = await setUp({ isTls: true, values: { networkIso8583CaFile: null } })
  await assert.rejects(payByCard(setup), NetworkNotReached)
  assert.equal(setup.received.length, 0)
  await setup.close()
})

test('a line without TLS needs a reason', () => {
  const values = { networkIso8583Transport: 'private', networkIso8583PrivateReason: null }
  assert.deepEqual(findTransportFaults(listAdapterSettings(networkAdapters), values), [
    'missing: TESSERA_NETWORK_ISO8583_PRIVATE_REASON is not set; say why the line of TESSERA_NETWORK_ISO8583_TRANSPORT=private needs no TLS.',
  ])
})

test('a message survives encoding, and one that ends anywhere before its end is refused', () => {
  for (const dialect of [defaultDialect, bcdDialect]) {
    const message = {
      mti: '0100',
      fields: { 2: Buffer.from(goodPan), 3: '000000', 4: '000000000500', 11: '000001', 41: 'TERM0001', 70: '001' },
    }
    const bytes = encodeMessage(message, dialect)
    assert.deepEqual(decodeMessage(bytes, dialect), { ...message, fields: { ...message.fields, 2: Uint8Array.from(message.fields[2]) } })
    for (let end = 0; end < bytes.length; end++) assert.throws(() => decodeMessage(bytes.subarray(0, end), dialect), IsoFormatError)
    assert.throws(() => decodeMessage(Uint8Array.from([...bytes, 0x30]), dialect), IsoFormatError)
  }
  assert.throws(() => encodeMessage({ mti: '0100', fields: { 4: '1'.repeat(13) } }, defaultDialect), IsoFormatError)
  assert.throws(() => encodeMessage({ mti: '0100', fields: { 5: '1' } }, defaultDialect), IsoFormatError)
})

for (const given of [
  { bitmap: 'octal' },
  { frame: { bytes: 3, encoding: 'binary', countsItself: false } },
  { fields: {} },
  { constants: { 99: '1' } },
]) {
  test(`the field table ${JSON.stringify(given)} is refused`, () => assert.throws(() => parseDialect(given), AdapterConfigError))
}

/** How long each field is, by its number. */
function lengthsOf({ fields }: IsoMessage): Record<string, number> {
  return Object.fromEntries(Object.entries(fields).map(([number, value]) => [number, value.length]))
}

function textsOf(fields: IsoMessage['fields']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).map(([number, value]) => [number, typeof value === 'string' ? value : Buffer.from(value).toString('latin1')]),
  )
}
