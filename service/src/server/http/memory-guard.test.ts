import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'

import { guardConnections, makeMemoryGuard, type GuardedConnections } from './memory-guard.ts'

const megabyte = 1024 ** 2

/** A process that may have 1,000 MB, of which a collection frees `garbage`. */
function makeProcess(held: number, garbage = 0) {
  const state = { held, garbage, now: 0, collections: 0 }
  const guard = makeMemoryGuard({
    limitBytes: 1000 * megabyte,
    readHeldBytes: () => state.held * megabyte,
    collect() {
      state.collections++
      state.held -= state.garbage
      state.garbage = 0
    },
    now: () => state.now,
  })
  return { state, guard }
}

test('garbage is collected above three fifths of the memory, and there is room while no more than 85 % is held', () => {
  for (const [held, garbage, collections, hasRoom] of [
    [600, 0, 0, true],
    [601, 0, 1, true],
    [900, 500, 1, true],
    [900, 50, 1, true],
    [900, 49, 1, false],
  ] as const) {
    const { state, guard } = makeProcess(held, garbage)
    assert.deepEqual([guard.hasRoom(), state.collections], [hasRoom, collections], `${held} MB, ${garbage} MB of them garbage`)
  }
})

test('memory that is in use is not collected again and again, but each second while there is no room', () => {
  const { state, guard } = makeProcess(650)
  const collect = (ms: number, times: number): number => {
    const before = state.collections
    for (let n = 0; n < times; n++, state.now += ms) guard.hasRoom()
    return state.collections - before
  }
  assert.equal(collect(100, 36_000), 64, 'in an hour: after 2, 4, 8 … seconds, and then each minute')
  Object.assign(state, { held: 900 })
  assert.equal(collect(100, 600), 60, 'in a minute')
})

test('with more than eight gigabytes nothing is measured: the bound of V8 is reached first', () => {
  const unexpected = (): never => assert.fail('measured')
  const guard = makeMemoryGuard({ limitBytes: 9 * 1024 ** 3, readHeldBytes: unexpected, collect: unexpected, now: () => 0 })
  assert.equal(guard.hasRoom(), true)
})

test('new connections are closed unread while there is no room, those that are open are served, and later ones too when there is room', async (t) => {
  const server = await startGuarded(t, { socketsMax: 100 })
  const open = await server.open()
  server.setRoom(false)
  assert.equal(await server.isServed(await server.open()), false)
  assert.equal(await server.isServed(open), true)
  server.setRoom(true)
  assert.equal(await server.isServed(await server.open()), true)
  assert.deepEqual(server.refused, ['memory_near_limit'])
})

test('a crowd is measured while it comes, not only when the timer says so', async (t) => {
  const server = await startGuarded(t, { socketsMax: 100 })
  const measured = server.measured()
  for (let n = 0; n < 64; n++) await server.isServed(await server.open())
  assert.equal(server.measured() - measured, 2)
})

test('connections beyond their number are closed', async (t) => {
  const server = await startGuarded(t, { socketsMax: 1 })
  const open = await server.open()
  assert.equal(await server.isServed(await server.open()), false)
  assert.equal(await server.isServed(open), true)
  assert.deepEqual(server.refused, ['connections_full'])
})

async function startGuarded(t: TestContext, { socketsMax }: Pick<GuardedConnections, 'socketsMax'>) {
  const server = createServer((_req, res) => res.end('served'))
  const refused: string[] = []
  let hasRoom = true
  let measured = 0
  let look = (): void => undefined
  guardConnections(server, {
    guard: { hasRoom: () => (measured++, hasRoom) },
    socketsMax,
    every(_ms, run) {
      look = run
      return () => undefined
    },
    onRefused: (reason) => refused.push(reason),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => (server.closeAllConnections(), server.close()))
  const { port } = server.address() as AddressInfo
  return {
    refused,
    measured: () => measured,
    setRoom(value: boolean) {
      hasRoom = value
      look()
    },
    async open() {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined)
      await once(socket, 'connect')
      return socket
    },
    async isServed(socket: ReturnType<typeof connect>): Promise<boolean> {
      socket.write('GET / HTTP/1.1\r\nhost: shop.example\r\n\r\n')
      return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)])
    },
  }
}
