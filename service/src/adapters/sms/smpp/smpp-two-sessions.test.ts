import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'

import { until } from '../../../testing/child.fixture.ts'
import { makeHandClock } from '../../../testing/clock.fixture.ts'

import { encodePdu, makePduReader, responseTo, smppCommands, type SmppPdu } from './pdu.ts'
import type { SmppServer } from './smpp-server.fixture.ts'
import { connectSmpp, describeSmpp, openSmppWithServer, smppMessage } from './smpp-sms.fixture.ts'

// A transmitter and a receiver. The message centre is the server half of npm's `smpp`, and for what it cannot do one that is written byte by byte here.

const never = new AbortController().signal
const bindMode = 'transmitter_and_receiver'

function open(t: TestContext, options: Parameters<typeof connectSmpp>[1] = {}) {
  return openSmppWithServer(t, { bindMode, ...options })
}

describeSmpp('smpp with two sessions', { bindMode })

test('both sessions have the same account, messages are sent on the transmitter, and receipts are stored from the receiver', async (t) => {
  const { server, send, reports } = await open(t)
  server.reply = (_pdu, session) => ({ message_id: session === server.bound.get('bind_transmitter') ? 'own' : 'of the other' })
  assert.deepEqual(await send(), { outcome: 'accepted', gatewayMessageId: 'own' })
  await server.untilReceived('bind_receiver', 1)
  const binds = server.received.filter(({ command }) => command.startsWith('bind_'))
  assert.deepEqual(
    binds
      .map((bind) => [bind.command, bind['system_id'], bind['password'], bind['interface_version']])
      .sort(([one], [other]) => String(one).localeCompare(String(other))),
    [
      ['bind_receiver', 'shop', 'secret', 0x34],
      ['bind_transmitter', 'shop', 'secret', 0x34],
    ],
  )
  assert.equal(await deliver(server, 'own'), 0)
  assert.deepEqual(reports, [{ gatewayMessageId: 'own', outcome: 'delivered' }])
})

test('a receiver that is refused is bound again by itself, and meanwhile messages are sent', async (t) => {
  const { server, send, events, binds, reports } = await open(t)
  server.bindStatus = (command) => (command === 'bind_receiver' ? 0x0d : 0)
  await server.untilReceived('bind_receiver', 2)
  assert.equal((await send()).outcome, 'accepted')
  assert.deepEqual([...new Set(events)], ['sms_bind_refused'])
  assert.deepEqual([...new Set(binds)], ['receiver'])
  server.bindStatus = () => 0
  const refused = server.received.filter(({ command }) => command === 'bind_receiver').length
  await server.untilReceived('bind_receiver', refused + 1)
  assert.equal(await deliver(server, 'm2'), 0)
  assert.equal(reports.length, 1)
})

test('a receiver that stays away is shown with its time, and has one line after a minute and one when it is bound again', async (t) => {
  const clock = makeHandClock()
  const events: unknown[] = []
  const log = (event: string, { bind, seconds }: Readonly<Record<string, unknown>>): void => {
    if (event !== 'sms_bind_refused') events.push([event, bind, seconds])
  }
  const { server, send, sms } = await open(t, { clock, log, reconnectMs: 1000 })
  const isAway = () => sms.listConnections?.().map(({ bind, awayMs }) => [bind, awayMs])
  server.bindStatus = (command) => (command === 'bind_receiver' ? 0x0d : 0)
  assert.equal((await send()).outcome, 'accepted')
  for (const waitMs of [1000, 2000, 4000, 8000, 16_000]) {
    await clock.untilSleeping(waitMs)
    clock.advance(waitMs)
  }
  await clock.untilSleeping(30_000)
  assert.deepEqual(events, [], 'half a minute is no reason for a line of its own')
  clock.advance(30_000)
  await clock.untilSleeping(30_000)
  assert.deepEqual(isAway(), [
    ['transmitter', 0],
    ['receiver', 61_000],
  ])
  clock.advance(30_000)
  await clock.untilSleeping(30_000)
  assert.deepEqual(events, [['sms_bind_away', 'receiver', 61]])
  server.bindStatus = () => 0
  clock.advance(30_000)
  await until(() => events.length === 2, 'the receiver to be bound')
  assert.deepEqual(events[1], ['sms_bind_returned', 'receiver', 121])
  assert.deepEqual(isAway(), [
    ['transmitter', 0],
    ['receiver', 0],
  ])
})

test('while the transmitter is away messages are rejected, and receipts arrive', async (t) => {
  const { server, send, reports, binds } = await open(t)
  assert.equal((await send()).outcome, 'accepted')
  server.bindStatus = (command) => (command === 'bind_transmitter' ? 0x0d : 0)
  server.bound.get('bind_transmitter')?.destroy()
  await until(async () => (await send()).error === 'not connected', 'a rejection')
  assert.equal(await deliver(server, 'm2'), 0)
  assert.equal(reports.length, 1)
  server.bindStatus = () => 0
  await until(async () => (await send()).outcome === 'accepted', 'the next transmitter')
  assert.ok(!binds.includes('receiver'), binds.join())
})

test('each session is checked by enquire_link', async (t) => {
  const { server } = await open(t, { enquireMs: 20 })
  const checked = new Set<unknown>()
  await server.untilReceived('bind_transmitter', 1)
  await server.untilReceived('bind_receiver', 1)
  for (const [command, session] of server.bound)
    session.on('pdu', (pdu: { readonly command: string }) => {
      if (pdu.command === 'enquire_link') checked.add(command)
    })
  await until(() => checked.size === 2, 'enquire_link on both sessions')
})

test('both sessions are closed with an unbind', async (t) => {
  const { server, send, sms } = await open(t)
  await send()
  await server.untilReceived('bind_receiver', 1)
  await sms.close?.()
  await server.untilReceived('unbind', 2)
  assert.deepEqual(await send(), { outcome: 'rejected', error: 'not connected' })
})

/** Responds to the binds, and to nothing else on the receiver but by what the test says. */
async function openHostile(t: TestContext, onReceiver: (pdu: SmppPdu, socket: Socket) => void, options: Parameters<typeof connectSmpp>[1]) {
  const held: (() => void)[] = []
  const receivers: Socket[] = []
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    const respond = (pdu: SmppPdu, body = 'm1\0'): void =>
      void socket.write(encodePdu({ command: responseTo(pdu.command), status: 0, sequence: pdu.sequence, body: Buffer.from(body) }))
    let isReceiver = false
    socket.on(
      'data',
      makePduReader((pdu) => {
        isReceiver ||= pdu.command === smppCommands.bindReceiver
        if (pdu.command === smppCommands.bindReceiver) receivers.push(socket)
        if (pdu.command === smppCommands.bindReceiver || pdu.command === smppCommands.bindTransmitter) respond(pdu)
        if (isReceiver) onReceiver(pdu, socket)
        else if (pdu.command === smppCommands.submitSm) held.push(() => respond(pdu))
        else if (pdu.command === smppCommands.enquireLink) respond(pdu, '')
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connected = connectSmpp((server.address() as AddressInfo).port, { bindMode, ...options })
  t.after(async () => {
    await connected.sms.close?.()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return { ...connected, receivers, held }
}

for (const [what, event, onReceiver] of [
  ['bytes that are no SMPP', 'sms_reply_malformed', (_pdu: SmppPdu, socket: Socket) => void socket.write(Buffer.alloc(16))],
  ['a receipt without an end', 'sms_reply_malformed', (_pdu: SmppPdu, socket: Socket) => void socket.write(receiptWithoutEnd())],
  ['no response to enquire_link', 'sms_connection_failed', () => undefined],
] as const) {
  test(`a receiver that gets ${what} is bound again, and the message in flight on the transmitter goes on`, async (t) => {
    const { sms, held, receivers, events, binds, reports } = await openHostile(t, onReceiver, { enquireMs: 50, replyTimeoutMs: 500 })
    const sending = sms.send(smppMessage('Code'), never)
    await until(() => receivers.length > 1 && held.length === 1, 'the second receiver')
    assert.deepEqual([...new Set(events)], [event])
    assert.deepEqual([...new Set(binds)], ['receiver'])
    held[0]?.()
    assert.deepEqual(await sending, { outcome: 'accepted', gatewayMessageId: 'm1' })
    assert.deepEqual(reports, [])
  })
}

test('a message centre that does not respond to a bind is named in the log', async (t) => {
  const server = createServer((socket) => socket.on('error', () => undefined))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { sms, events, binds } = connectSmpp((server.address() as AddressInfo).port, { bindMode, replyTimeoutMs: 50, reconnectMs: 60_000 })
  t.after(async () => {
    await sms.close?.()
    server.close()
  })
  await until(() => events.length === 2, 'both events')
  assert.deepEqual(events, ['sms_connection_failed', 'sms_connection_failed'])
  assert.deepEqual(binds.map(String).sort(), ['receiver', 'transmitter'])
})

function receiptWithoutEnd(): Buffer {
  return encodePdu({ command: smppCommands.deliverSm, status: 0, sequence: 1, body: Buffer.alloc(100, 0x41) })
}

/** A receipt on the receiver; the status of the client's response. */
async function deliver(server: SmppServer, id: string): Promise<unknown> {
  const session = server.bound.get('bind_receiver')
  const text = `id:${id} sub:001 dlvrd:001 submit date:2611231830 done date:2611231831 stat:DELIVRD err:000 text:Code`
  return new Promise((resolve) =>
    session?.deliver_sm({ esm_class: 4, short_message: text }, ({ command_status: status }) => resolve(status)),
  )
}
