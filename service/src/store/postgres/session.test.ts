import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import pg from 'pg'

import { isRefusedCommit } from './fault.ts'
import type { Primary } from './primary.ts'
import { makeReaders } from './readers.ts'
import { PipelineFailed, openPostgresSession } from './session.ts'
import type { Session } from './session.ts'
import { makeSlot } from './slot.ts'

test('a session ends within two seconds although the server is silent', async () => {
  const sockets: Socket[] = []
  // Accepts any login, and then never sends anything, not even when the connection closes.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => socket.write(Buffer.concat([Buffer.from('R\0\0\0\x08\0\0\0\0'), Buffer.from('Z\0\0\0\x05I')])))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const session = await openPostgresSession(`postgres://a:b@127.0.0.1:${(server.address() as AddressInfo).port}/c`, () => undefined)
  const started = performance.now()
  await session.end()
  assert.ok(performance.now() - started < 2000)
  assert.equal(session.usable, false)
  for (const socket of sockets) socket.destroy()
  server.close()
})

test('a connection on which a statement waited too long for a row does not count as silent', async () => {
  for (const [mayWaitForRow, expected] of [
    [true, 'closed'],
    [false, 'silent'],
  ] as const) {
    const lost: string[] = []
    const session = await openPostgresSession(process.env['TESSERA_TEST_POSTGRES_URL'] ?? '', (how) => void lost.push(how))
    const sleep = { name: 'sleep', text: 'select pg_sleep(60)' }
    await assert.rejects(session.send([{ statement: sleep, values: [] }], 100, mayWaitForRow), PipelineFailed)
    session.destroy()
    assert.deepEqual(lost, [expected])
  }
})

test('a connection that is opened while the store closes is ended', async () => {
  for (const open of [
    (primary: Primary) => {
      const readers = makeReaders(primary, 1)
      return {
        use: () => readers.read({ statement: { name: 'one', text: 'select 1' }, values: [], map: () => null }),
        close: readers.close,
      }
    },
    (primary: Primary) => {
      const slot = makeSlot(primary, 'chain', { key: null, commits: 0, heads: new Map(), listeners: [] })
      return { use: () => slot.insertNewCards([], performance.now() + 60_000), close: slot.close }
    },
  ]) {
    let connect = (_session: Session): void => undefined
    const { use, close } = open({
      durability: 'local',
      refusal: null,
      close: () => undefined,
      connect: () => new Promise((resolve) => (connect = resolve)),
    })
    const rejected = assert.rejects(async () => use(), /closed/)
    await new Promise((resolve) => setImmediate(resolve))
    const closed = close()
    let endCount = 0
    const end = async (): Promise<void> => {
      endCount++
    }
    const destroy = (): void => assert.fail('the connection is destroyed instead of ended')
    connect({
      usable: true,
      takeWarning: () => false,
      send: async () => [],
      sendAtOnce: async () => [],
      query: async () => [],
      execute: async () => undefined,
      end,
      destroy,
    })
    await rejected
    await closed
    assert.equal(endCount, 1)
  }
})

test('a commit whose outcome the server does not know is not treated as refused', () => {
  const serverError = (code: string): PipelineFailed =>
    new PipelineFailed(Object.assign(new pg.DatabaseError('failed', 6, 'error'), { code }), 1)
  assert.deepEqual(
    ['40001', '40P01', '23505', '53100', '25P03', '40003', '08007', '57P01'].map((code) => isRefusedCommit(serverError(code))),
    [true, true, true, true, true, false, false, false],
  )
})
