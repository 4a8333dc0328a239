import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'

import { makeHandClock } from '../../../testing/clock.fixture.ts'
import { until } from '../../../testing/child.fixture.ts'
import { makeSeeded } from '../../../testing/seeded.fixture.ts'

import { decodeDeliver, decodeMessageId, encodePdu, makePduReader, responseTo, smppCommands, SmppFormatError, type SmppPdu } from './pdu.ts'
import { readReceipt } from './receipt.ts'
import { connectSmpp, smppMessage } from './smpp-sms.fixture.ts'

// A message centre that does not keep to the protocol: what it sends is written byte by byte here.

const never = new AbortController().signal
const { bindTransceiver, submitSm, deliverSm, enquireLink, unbind } = smppCommands

/** Accepts every bind, and does with the other PDUs what the test says. */
async function open(t: TestContext, onPdu: (pdu: SmppPdu, socket: Socket) => void, options: Parameters<typeof connectSmpp>[1] = {}) {
  const sockets: Socket[] = []
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on(
      'data',
      makePduReader((pdu) => (pdu.command === bindTransceiver ? socket.write(response(pdu)) : onPdu(pdu, socket))),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connected = connectSmpp((server.address() as AddressInfo).port, options)
  t.after(async () => {
    await connected.sms.close?.()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const send = (signal = never) => connected.sms.send(smppMessage('Code 123456'), signal)
  return { ...connected, sockets, send }
}

function response({ command, sequence }: SmppPdu, body = Buffer.from('m1\0')): Buffer {
  return encodePdu({ command: responseTo(command), status: 0, sequence, body })
}

function head(length: number, command: number = deliverSm): Buffer {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt32BE(length, 0)
  bytes.writeUInt32BE(command, 4)
  return bytes
}

const malformed: Record<string, Buffer> = {
  'a length of 0': head(0),
  'a length below that of a head': head(15),
  'a length of 4 GiB': head(0xffffffff),
  'a length above the longest PDU': head(8193),
  'a deliver_sm without a body': head(16),
  'a deliver_sm whose texts have no end': Buffer.concat([head(116), Buffer.alloc(100, 0x41)]),
  'a deliver_sm that ends in its message': encodePdu({ command: deliverSm, status: 0, sequence: 1, body: deliverBody('id:1', 200) }),
  'a deliver_sm whose parameter is longer than it': encodePdu({
    command: deliverSm,
    status: 0,
    sequence: 1,
    body: Buffer.concat([deliverBody('id:1'), Buffer.from([0, 0x1e, 0xff, 0xff])]),
  }),
  'a response whose id has no end': encodePdu({ command: responseTo(submitSm), status: 0, sequence: 2, body: Buffer.alloc(10, 0x41) }),
}

for (const [name, bytes] of Object.entries(malformed)) {
  test(`the connection is closed after ${name}, the message in flight is unknown, and the next connection works`, async (t) => {
    let isHostile = true
    const { send, events, reports } = await open(t, (pdu, socket) => socket.write(isHostile ? bytes : response(pdu)))
    assert.equal((await send()).outcome, 'unknown')
    assert.deepEqual(events, ['sms_reply_malformed'])
    isHostile = false
    await until(async () => (await send()).outcome === 'accepted', 'the next connection')
    assert.deepEqual(reports, [])
  })
}

test('a message for a message centre that has unbound, and keeps the connection, was not sent', async (t) => {
  let isUnbound = false
  const { send, sockets } = await open(t, (pdu, socket) => {
    if (pdu.command === submitSm) socket.write(response(pdu))
    isUnbound ||= pdu.command === responseTo(unbind)
  })
  assert.equal((await send()).outcome, 'accepted')
  sockets[0]?.write(encodePdu({ command: unbind, status: 0, sequence: 1, body: Buffer.alloc(0) }))
  await until(() => isUnbound, 'the response to the unbind')
  assert.deepEqual(await send(), { outcome: 'rejected', error: 'not connected' })
})

test('a PDU may come byte by byte, and several at once', async (t) => {
  const { send, sockets, reports } = await open(t, (pdu, socket) => {
    if (pdu.command === submitSm) socket.write(response(pdu))
  })
  await send()
  for (const byte of receipt('m1', 1)) {
    sockets[0]?.write(Buffer.from([byte]))
    await new Promise(setImmediate)
  }
  sockets[0]?.write(Buffer.concat([receipt('m2', 2), receipt('m3', 3)]))
  await until(() => reports.length === 3, 'three reports')
  assert.deepEqual(
    reports.map(({ gatewayMessageId }) => gatewayMessageId),
    ['m1', 'm2', 'm3'],
  )
})

test('a second response, one to another message and one to nothing belong to no message', async (t) => {
  const { send } = await open(t, (pdu, socket) => {
    if (pdu.command !== submitSm) return
    const wrong = { ...pdu, sequence: pdu.sequence + 1000 }
    const own = response(pdu, Buffer.from(`own${String(pdu.sequence)}\0`))
    socket.write(Buffer.concat([response(wrong, Buffer.from('wrong\0')), own, response(pdu, Buffer.from('twice\0'))]))
  })
  for (let sequence = 2; sequence < 20; sequence++)
    assert.deepEqual(await send(), { outcome: 'accepted', gatewayMessageId: `own${String(sequence)}` })
})

test('a response without an id is accepted without one', async (t) => {
  const { send } = await open(t, (pdu, socket) => socket.write(response(pdu, Buffer.alloc(0))))
  assert.deepEqual(await send(), { outcome: 'accepted', gatewayMessageId: null })
})

test('a connection on which nothing is responded to is given up, and so is one on which only messages are not', async (t) => {
  for (const answers of [false, true]) {
    const clock = makeHandClock()
    let isSent = false
    const { send, events } = await open(
      t,
      (pdu, socket) => {
        isSent ||= pdu.command === submitSm
        if (answers && pdu.command === enquireLink) socket.write(response(pdu, Buffer.alloc(0)))
      },
      { clock, enquireMs: 60_000, replyTimeoutMs: 200 },
    )
    const sending = send()
    await until(() => isSent, 'the message')
    await clock.untilSleeping(60_000)
    clock.advance(60_000)
    assert.equal((await sending).outcome, 'unknown', answers ? 'answers' : 'silent')
    assert.deepEqual(events, ['sms_connection_failed'])
  }
})

test('a bind that is not responded to ends, and the message was not sent', async (t) => {
  const server = createServer(() => undefined)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { sms } = connectSmpp((server.address() as AddressInfo).port, { replyTimeoutMs: 50 })
  t.after(async () => {
    await sms.close?.()
    server.close()
  })
  assert.deepEqual(await sms.send(smppMessage('Code'), never), { outcome: 'rejected', error: 'not connected' })
})

test('messages wait for the first connection no longer than a second, and not at all while a lost one is made again', async (t) => {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    // Silent, but for the second connection, which it closes.
    if (sockets.push(socket) === 2) socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const clock = makeHandClock()
  const waiting = connectSmpp(port, { clock, replyTimeoutMs: 60_000, firstBindMs: 1000 })
  t.after(() => waiting.sms.close?.())
  const sending = waiting.sms.send(smppMessage('Code'), never)
  await clock.untilSleeping(1000)
  clock.advance(1000)
  assert.deepEqual(await sending, { outcome: 'rejected', error: 'not connected' })
  await until(() => sockets.length === 1, 'the first connection')

  const again = connectSmpp(port, { replyTimeoutMs: 60_000 })
  t.after(async () => {
    await again.sms.close?.()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await until(() => sockets.length === 3, 'the attempt to connect again')
  assert.deepEqual(await again.sms.send(smppMessage('Code'), never), { outcome: 'rejected', error: 'not connected' })
})

test('a clock that is set does not end a connection on which a message waits', async (t) => {
  const clock = makeHandClock()
  const held: (() => void)[] = []
  const { send } = await open(
    t,
    (pdu, socket) => {
      if (pdu.command === submitSm) held.push(() => socket.write(response(pdu)))
      else socket.write(response(pdu, Buffer.alloc(0)))
    },
    { clock, enquireMs: 1000 },
  )
  const sending = send()
  await until(() => held.length === 1, 'the message')
  clock.jump(3_600_000)
  await clock.untilSleeping(1000)
  clock.advance(1000)
  await clock.untilSleeping(1000)
  held[0]?.()
  assert.equal((await sending).outcome, 'accepted')
})

test('a flood of receipts is read no faster than it is stored', async (t) => {
  const flood = 20_000
  let stored = (): void => undefined
  const isStored = new Promise<void>((resolve) => (stored = resolve))
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on(
      'data',
      makePduReader((pdu) => {
        if (pdu.command !== bindTransceiver) return
        socket.write(response(pdu))
        for (let at = 0; at < flood; at++) socket.write(receipt(`m${String(at)}`, at + 1))
      }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { sms, reports } = connectSmpp((server.address() as AddressInfo).port, {}, () => isStored)
  t.after(async () => {
    await sms.close?.()
    server.close()
  })
  await until(() => reports.length > 0, 'the first receipts')
  let before = -1
  await until(() => before === (before = reports.length), 'no more to be read')
  // What one read of the socket held.
  assert.ok(reports.length < flood / 4, String(reports.length))
  stored()
  await until(() => reports.length === flood, 'all of them')
})

test('a flood of requests whose responses are not read ends the connection, and memory stays bounded', async (t) => {
  const requests = Buffer.concat(
    Array.from({ length: 1000 }, (_, at) => encodePdu({ command: enquireLink, status: 0, sequence: at + 1, body: Buffer.alloc(0) })),
  )
  const { sms, events, sockets } = await open(t, (_pdu, socket) => {
    socket.pause()
    const flood = (): void => {
      while (socket.writable && socket.write(requests));
      if (socket.writable) socket.once('drain', flood)
    }
    flood()
  })
  const sending = sms.send(smppMessage('Code'), never)
  await until(() => events.includes('sms_connection_failed'), 'the end of the connection')
  assert.equal((await sending).outcome, 'unknown')
  sockets[0]?.destroy()
})

test('whatever bytes are received, the reader refuses them by its own error or reads them', () => {
  const { below, pick } = makeSeeded(1)
  const good = [receipt('m1', 1), response({ command: submitSm, status: 0, sequence: 1, body: Buffer.alloc(0) }), head(16)]
  let refused = 0
  let read = 0
  for (let round = 0; round < 20_000; round++) {
    const bytes = Buffer.from(pick(good))
    for (let changes = below(4); changes >= 0; changes--) bytes[below(bytes.length)] = below(256)
    const reader = makePduReader((pdu) => {
      read++
      decodeMessageId(pdu.body)
      const report = readReceipt(decodeDeliver(pdu.body), pick(['same', 'hex_response', 'hex_receipt'] as const))
      assert.ok(report === null || report.gatewayMessageId.length <= 65)
    })
    try {
      reader(bytes.subarray(0, below(bytes.length) + 1))
    } catch (err) {
      assert.ok(err instanceof SmppFormatError, String(err))
      refused++
    }
  }
  assert.ok(refused > 1000 && read > 300, `${String(refused)} ${String(read)}`)
})

function receipt(id: string, sequence: number): Buffer {
  return encodePdu({ command: deliverSm, status: 0, sequence, body: deliverBody(`id:${id} stat:DELIVRD err:000`) })
}

/** `length` may be a lie. */
function deliverBody(text: string, length = text.length): Buffer {
  const address = [1, 1, 0]
  return Buffer.concat([Buffer.from([0, ...address, ...address, 4, 0, 0, 0, 0, 0, 0, 0, 0, length]), Buffer.from(text)])
}
