import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { test } from 'node:test'

import { noProxies } from './client-address.ts'
import { InFlight } from './server-state.ts'
import { limitSockets } from './connections.ts'

test('an IPv6 /64 counts as one client, for calls and for connections', () => {
  const inFlight = new InFlight({ inFlightMax: 10, inFlightPerConnectionMax: 2, inFlightPerAddressMax: 2 })
  const enter = (address: string): string | null => inFlight.enter(new Socket(), address)
  assert.deepEqual(['2001:db8::1', '2001:db8::2', '2001:db8::3'].map(enter), [null, null, 'addressBusy'])
  assert.deepEqual(['2001:db8:0:1::1', '192.0.2.1', '192.0.2.2'].map(enter), [null, null, null])
  inFlight.leave(new Socket(), '2001:db8::1')
  assert.equal(enter('2001:db8::4'), null)

  const server = createServer()
  // Node's own, which reads HTTP.
  const [firstListener] = server.listeners('connection')
  limitSockets(server, 2, noProxies)
  const refused = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8:0:1::1'].map((remoteAddress) => {
    const socket = Object.assign(new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() }), { remoteAddress })
    for (const listen of server.listeners('connection')) if (listen !== firstListener) Reflect.apply(listen, server, [socket])
    return socket.writableEnded
  })
  assert.deepEqual(refused, [false, false, true, false])
})
