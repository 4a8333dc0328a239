import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeAuthority } from '../../http/certificate.fixture.ts'
import { makeSystemClock } from '../../../system-clock.ts'
import { makeHandClock } from '../../../testing/clock.fixture.ts'
import { until } from '../../../testing/child.fixture.ts'

import { startSmppServer, textOf, type ServerPdu, type SmppServer } from './smpp-server.fixture.ts'
import { connectSmpp, describeSmpp, openSmppWithServer, smppMessage } from './smpp-sms.fixture.ts'

// The message centre is the server half of npm's `smpp`.

const [throttled, queueFull, invalidAddress, systemError] = [0x58, 0x14, 0x0b, 0x08]

describeSmpp('smpp')

test('a message is bound, addressed and encoded as the specification says, and an independent decoder reads it', async (t) => {
  const { server, send } = await openSmppWithServer(t)
  assert.deepEqual(await send('Tessera: code 123456 {x} é €\n\n@pay.example #123456'), { outcome: 'accepted', gatewayMessageId: 'm2' })
  const [bind, submit] = server.received
  assert.deepEqual([bind?.['system_id'], bind?.['password'], bind?.['interface_version']], ['shop', 'secret', 0x34])
  const { source_addr_ton, source_addr, dest_addr_ton, dest_addr_npi, destination_addr, registered_delivery, data_coding } = submit!
  assert.deepEqual(
    [source_addr_ton, source_addr, dest_addr_ton, dest_addr_npi, destination_addr, registered_delivery, data_coding],
    [3, '4546', 1, 1, '998901234566', 1, 0],
  )
  assert.equal(textOf(submit!), 'Tessera: code 123456 {x} é €\n\n@pay.example #123456')
})

test('a text outside of the default alphabet is sent in UCS-2, and a long one in segments that a phone puts together, of which the last has a receipt', async (t) => {
  const { server, send } = await openSmppWithServer(t)
  const text = 'Код 123456 для карты *6478. '.repeat(4)
  assert.equal((await send(text)).outcome, 'accepted')
  const parts = server.received.filter(({ command }) => command === 'submit_sm')
  assert.equal(parts.map(textOf).join(''), text)
  assert.deepEqual(
    parts.map((pdu) => [pdu['data_coding'], pdu['esm_class'], pdu['registered_delivery']]),
    [
      [8, 0x40, 0],
      [8, 0x40, 1],
    ],
  )
  const headers = parts.map(({ short_message: short }) => Buffer.concat([...(short?.udh ?? [])]).toString('hex'))
  const [first, second] = headers.map((header, at) => new RegExp(`^0003(..)020${String(at + 1)}$`).exec(header)?.[1])
  assert.ok(first !== undefined && first === second, headers.join())
  const long = 'a'.repeat(152) + '€' + 'b'.repeat(10)
  await send(long)
  const gsm = server.received.filter(({ command }) => command === 'submit_sm').slice(2)
  assert.deepEqual([gsm.length, gsm.map(textOf).join(''), gsm[0]?.['data_coding']], [2, long, 0])
})

test('a message centre whose default alphabet is ISO 8859-1 gets it', async (t) => {
  const { server, send } = await openSmppWithServer(t, { alphabet: 'latin1' })
  const bytes: Buffer[] = []
  server.reply = (pdu) => {
    bytes.push(Buffer.from(textOf(pdu), 'latin1'))
    return { message_id: '1' }
  }
  await send('a@b')
  // The server decodes data_coding 0 as GSM: byte 0x40 is ¡ there.
  assert.equal(bytes[0]?.toString('latin1'), 'a¡b')
})

for (const [radix, inResponse, inText, stored] of [
  ['same', 'A1b-2', 'A1b-2', 'A1b-2'],
  ['hex_response', '1A2B3C', '1715004', '1715004'],
  ['hex_response', '1a2b3c', '0001715004', '1715004'],
  ['hex_receipt', '1715004', '001a2b3c', '1715004'],
] as const) {
  test(`a receipt is matched to its message: ${radix}, ${inResponse} and ${inText}`, async (t) => {
    const { server, send, reports } = await openSmppWithServer(t, { messageIds: radix })
    server.reply = () => ({ message_id: inResponse })
    assert.equal((await send()).gatewayMessageId, stored)
    await deliver(server, receiptText(inText, 'DELIVRD'))
    assert.deepEqual(reports, [{ gatewayMessageId: stored, outcome: 'delivered' }])
    // The parameter has the id as in the response.
    await deliver(server, receiptText('other', 'UNDELIV', '011'), { receipted_message_id: inResponse })
    assert.deepEqual(reports.slice(1), [{ gatewayMessageId: stored, outcome: 'failed', error: 'UNDELIV 011' }])
  })
}

test('a receipt that comes before the response is reported, and a message from a phone or a state that is not final is not', async (t) => {
  const { server, send, reports } = await openSmppWithServer(t)
  server.reply = (_pdu, session) => {
    session.deliver_sm({ esm_class: 4, short_message: receiptText('m9', 'DELIVRD') })
    return { message_id: 'm9' }
  }
  assert.equal((await send()).gatewayMessageId, 'm9')
  await until(() => reports.length === 1, 'the report')
  await deliver(server, receiptText('m9', 'ENROUTE'))
  await deliver(server, 'STOP', {}, 0)
  assert.deepEqual(reports, [{ gatewayMessageId: 'm9', outcome: 'delivered' }])
})

test('a receipt that cannot be stored is refused for now, so that the message centre sends it again', async (t) => {
  let isAway = true
  const { server, send } = await openSmppWithServer(t, {}, () =>
    isAway ? Promise.reject(new Error('the store is away')) : Promise.resolve(),
  )
  await send()
  assert.equal((await deliver(server, receiptText('m2', 'DELIVRD')))['command_status'], 0x64)
  isAway = false
  assert.equal((await deliver(server, receiptText('m2', 'DELIVRD')))['command_status'], 0)
})

test('while the message centre throttles, nothing is sent for a growing pause, and then the message is sent', async (t) => {
  const clock = makeHandClock()
  const { server, send } = await openSmppWithServer(t, { clock })
  const statuses = [throttled, queueFull, throttled, 0]
  server.reply = () => ({ command_status: statuses.shift() ?? 0, message_id: 'm' })
  const sending = send()
  for (const [at, pause] of [20, 40, 80].entries()) {
    await clock.untilSleeping(pause)
    assert.equal(server.received.filter(({ command }) => command === 'submit_sm').length, at + 1)
    clock.advance(pause)
  }
  assert.deepEqual(await sending, { outcome: 'accepted', gatewayMessageId: 'm' })
})

test('a pause ends with its timer, which may fire before a clock says that its time has come', async (t) => {
  const standing = makeHandClock()
  const { server, send } = await openSmppWithServer(t, { clock: { ...standing, sleep: makeSystemClock().sleep } })
  const statuses = [throttled, queueFull]
  server.reply = () => ({ command_status: statuses.shift() ?? 0, message_id: 'm' })
  assert.deepEqual(
    (await Promise.all([send('1'), send('2')])).map(({ outcome }) => outcome),
    ['accepted', 'accepted'],
  )
})

test('a message that is throttled until its caller has gone is rejected, because nothing of it was accepted', async (t) => {
  const clock = makeHandClock()
  const { server, send } = await openSmppWithServer(t, { clock })
  const caller = new AbortController()
  server.reply = () => ({ command_status: throttled })
  const sending = send('Code', caller.signal)
  await clock.untilSleeping(20)
  caller.abort()
  assert.deepEqual(await sending, { outcome: 'rejected', error: 'smpp 0x58' })
})

test('an error that does not say what became of a message is unknown, and any other is a rejection', async (t) => {
  const { server, send } = await openSmppWithServer(t)
  server.reply = () => ({ command_status: systemError })
  assert.deepEqual(await send(), { outcome: 'unknown', error: 'smpp 0x8' })
  server.reply = () => ({ command_status: invalidAddress })
  assert.deepEqual(await send(), { outcome: 'rejected', error: 'smpp 0xB' })
  let count = 0
  server.reply = () => (count++ === 0 ? { message_id: '1' } : { command_status: invalidAddress })
  assert.equal((await send('я'.repeat(100))).outcome, 'unknown', 'its first segment was sent')
})

test('no more messages wait for a response than the window admits, and a response that comes after its caller has gone frees its place', async (t) => {
  const { server, send } = await openSmppWithServer(t, { window: 2 })
  const held: { readonly pdu: ServerPdu; readonly answer: () => void }[] = []
  server.reply = (pdu, session) => {
    held.push({ pdu, answer: () => session.send(pdu.response({ message_id: 'late' })) })
    return null
  }
  const caller = new AbortController()
  const first = [send('1', caller.signal), send('2', caller.signal)]
  await server.untilReceived('submit_sm', 2)
  const waiting = new AbortController()
  const full = send('3', waiting.signal)
  const next = send('4')
  waiting.abort()
  assert.deepEqual(await full, { outcome: 'rejected', error: 'window full' })
  caller.abort()
  assert.deepEqual(
    (await Promise.all(first)).map(({ outcome }) => outcome),
    ['unknown', 'unknown'],
  )
  assert.equal(held.length, 2)
  held[0]?.answer()
  await server.untilReceived('submit_sm', 3)
  held[2]?.answer()
  assert.equal((await next).outcome, 'accepted')
})

test('messages that wait for the window are sent in their order, and one whose caller has gone passes its place on', async (t) => {
  const { server, send } = await openSmppWithServer(t, { window: 1 })
  const waiting = Array.from({ length: 500 }, (_, at) => {
    const caller = new AbortController()
    return { caller, sent: send(String(at), caller.signal) }
  })
  const gone = waiting.filter((_, at) => at > 0 && at % 7 === 0)
  await server.untilReceived('submit_sm', 1)
  for (const { caller } of gone) caller.abort()
  const outcomes = await Promise.all(waiting.map(({ sent }) => sent))
  const accepted = outcomes.flatMap(({ outcome }, at) => (outcome === 'accepted' ? [String(at)] : []))
  assert.deepEqual(server.received.filter(({ command }) => command === 'submit_sm').map(textOf), accepted)
  assert.equal(accepted.length, waiting.length - gone.length)
})

test('a lost connection leaves messages in flight unknown, is made again by itself, and until then messages are rejected', async (t) => {
  const { server, send, events } = await openSmppWithServer(t)
  server.reply = () => null
  const sending = send()
  await server.untilReceived('submit_sm', 1)
  server.bindStatus = () => 0x0d
  server.sessions[0]?.destroy()
  assert.equal((await sending).outcome, 'unknown')
  await until(() => events.includes('sms_bind_refused'), 'a refused bind')
  server.reply = () => ({ message_id: 'm' })
  await until(async () => (await send()).error === 'not connected', 'a rejection')
  server.bindStatus = () => 0
  await until(async () => (await send()).outcome === 'accepted', 'the next connection')
})

test('an idle connection is checked, and so may be the client', async (t) => {
  const { server, send } = await openSmppWithServer(t, { enquireMs: 20 })
  await send()
  await server.untilReceived('enquire_link', 2)
  const response = await new Promise<ServerPdu>((resolve) => server.sessions[0]?.enquire_link(resolve))
  assert.deepEqual([response.command, response['command_status']], ['enquire_link_resp', 0])
})

test('the connection is closed with an unbind', async (t) => {
  const { server, send, sms } = await openSmppWithServer(t)
  await send()
  await sms.close?.()
  await server.untilReceived('unbind', 1)
  assert.deepEqual(await send(), { outcome: 'rejected', error: 'not connected' })
})

test('over TLS the certificate and its name are verified', async (t) => {
  const authority = makeAuthority('of the provider')
  const good = authority.certify('localhost')
  const server = await startSmppServer(good)
  t.after(() => server.close())
  const outcomes: string[] = []
  for (const [host, ca] of [
    ['localhost', authority.cert],
    ['127.0.0.1', authority.cert],
    ['localhost', makeAuthority('of somebody').cert],
  ] as const) {
    const { sms } = connectSmpp(server.port, { host, tls: { ca } })
    outcomes.push((await sms.send(smppMessage('Code'), AbortSignal.timeout(5000))).outcome)
    await sms.close?.()
  }
  assert.deepEqual(outcomes, ['accepted', 'rejected', 'rejected'])
})

function receiptText(id: string, state: string, code = '000'): string {
  return `id:${id} sub:001 dlvrd:001 submit date:2611231830 done date:2611231831 stat:${state} err:${code} text:Code`
}

/** Resolves with the response of the client. */
async function deliver(
  server: SmppServer,
  text: string,
  members: Readonly<Record<string, unknown>> = {},
  esmClass = 4,
): Promise<ServerPdu> {
  const session = server.sessions.at(-1)
  return new Promise((resolve) => session?.deliver_sm({ esm_class: esmClass, short_message: text, ...members }, resolve))
}
