import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import pg from 'pg'

import { until } from '../../testing/child.fixture.ts'
import { PrimaryRefused, StoreDamaged, StoreRefused, StoreUnavailable } from '../store.ts'

import type { SeenPrimary } from './fence.ts'
import { selectFencingRow } from './fence-row.ts'
import { makeHostProbe } from './host-probe.ts'
import { readHosts } from './hosts.ts'
import { openPostgresKeyStore } from './keys.ts'
import { openPostgresStore } from './postgres.ts'
import { connectError, makePrimary } from './primary.ts'
import { openPostgresProxy } from './proxy.fixture.ts'
import { withPostgresDatabase, type TestDatabase } from './with-store.fixture.ts'

test('a URL with several hosts becomes one URL per host, each with everything else', () => {
  assert.deepEqual(readHosts('postgres://u:p%40@a:5432,b:5433,c/tessera?sslmode=verify-full'), [
    'postgres://u:p%40@a:5432/tessera?sslmode=verify-full',
    'postgres://u:p%40@b:5433/tessera?sslmode=verify-full',
    'postgres://u:p%40@c/tessera?sslmode=verify-full',
  ])
  assert.deepEqual(readHosts('postgresql://one/db'), ['postgresql://one/db'])
  assert.deepEqual(readHosts('postgres://[::1]:5432,[::2]/db'), ['postgres://[::1]:5432/db', 'postgres://[::2]/db'])
  assert.deepEqual(readHosts('postgres:///db?host=/run/postgresql'), ['postgres:///db?host=/run/postgresql'])
})

test('another URL is refused without repeating it in the message', () => {
  const password = 'geheim'
  for (const url of [`mysql://u:${password}@a/db`, `postgres://u:${password}@a,,b/db`, `postgres://u:${password}@${'a,'.repeat(9)}a/db`]) {
    assert.throws(
      () => readHosts(url),
      (err: Error) => !err.message.includes(password),
    )
  }
})

test('a login is refused when every host refuses it, and one host that is down may be the primary that accepts it', () => {
  const refused = (): Error => Object.assign(new pg.DatabaseError('password authentication failed', 1, 'error'), { code: '28P01' })
  const down = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
  const isRefused = (...errors: Error[]): boolean => connectError(errors.length, new AggregateError(errors)) instanceof StoreRefused
  assert.ok(isRefused(refused()))
  assert.ok(isRefused(refused(), refused()))
  assert.ok(!isRefused(refused(), down))
  assert.ok(!isRefused(down, refused()))
  assert.match(
    connectError(2, new AggregateError([refused(), down])).message,
    /no primary among 2 .*authentication failed · connect ECONNREFUSED/,
  )
})

test('a connection that fails because every host found its files damaged is known to be damage, and one of two that is down is waited for', () => {
  const damaged = Object.assign(new pg.DatabaseError('invalid page in block 0', 1, 'error'), { code: 'XX001' })
  const down = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
  assert.ok(connectError(1, damaged) instanceof StoreDamaged)
  assert.ok(!(connectError(2, new AggregateError([damaged, down])) instanceof StoreDamaged))
  assert.ok(!(connectError(1, down) instanceof StoreDamaged))
})
test(
  'a look that waits for a silent host does not refuse the epoch that was followed meanwhile',
  withPostgresDatabase(async ({ url, raw }) => {
    await (await openPostgresStore({ url, allowUnsafe: true })).close(1000)
    const proxy = await openPostgresProxy(url)
    const silent = await openSilentHost()
    const refusals: string[] = []
    const primary = makePrimary({
      hosts: [proxy.url, urlAt(url, silent.port)],
      allowUnsafe: true,
      observer: { onFollowed: () => undefined, onRefused: ({ reason }) => void refusals.push(reason) },
    })
    const rowReads = (): number => proxy.queries.filter((text) => text === selectFencingRow.name).length
    try {
      const first = await primary.connect(() => undefined)
      silent.isHolding = true
      // The look of every second: the primary has said its epoch, and the other host is still silent.
      const readsBefore = rowReads()
      await until(() => silent.held > 0 && rowReads() > readsBefore, 'the silent host to be looked at')

      await raw('update primary_epoch set epoch = epoch + 1')
      const second = await primary.connect(() => undefined)
      const readsAfter = rowReads()
      silent.release()
      await until(() => rowReads() > readsAfter, 'the next look')
      await until(() => !first.usable, 'the connection from before the new epoch to end')
      assert.deepEqual(refusals, [])
      assert.ok(second.usable)
      second.destroy()
    } finally {
      primary.close()
      await proxy.close()
      await silent.close()
    }
  }),
)

test(
  'a connection that was opened while another one began the first epoch is not refused',
  withPostgresDatabase(async ({ url, raw }) => {
    await (await openPostgresStore({ url, allowUnsafe: true })).close(1000)
    await raw('delete from primary_epoch')
    const proxy = await openPostgresProxy(url)
    const primary = makePrimary({ hosts: [proxy.url], allowUnsafe: true })
    let rowReads = 0
    proxy.behave((text) => (text === selectFencingRow.name && ++rowReads === 1 ? 'delay' : 'pass'))
    try {
      const slow = primary.connect(() => undefined)
      await until(() => rowReads === 1, 'the first connection to read the epoch')
      const quick = await primary.connect(() => undefined)
      assert.equal((await raw('select epoch from primary_epoch'))[0]?.['epoch'], 1)
      proxy.release()
      const delayed = await slow
      assert.ok(quick.usable && delayed.usable)
      assert.equal(primary.refusal, null)
      quick.destroy()
      delayed.destroy()
    } finally {
      primary.close()
      await proxy.close()
    }
  }),
)

test(
  'saves of the record come one after another, and the newest is the last',
  withPostgresDatabase(async ({ url, raw }) => {
    await (await openPostgresStore({ url, allowUnsafe: true })).close(1000)
    const saves: { readonly epoch: number; readonly finish: () => void }[] = []
    const save = async ({ epoch }: SeenPrimary): Promise<void> => new Promise((finish) => void saves.push({ epoch, finish }))
    let followedEpoch = 0
    const primary = makePrimary({
      hosts: [url],
      allowUnsafe: true,
      record: { read: async () => null, save },
      observer: { onFollowed: ({ epoch }) => void (followedEpoch = epoch), onRefused: () => undefined },
    })
    const epochs = (): number[] => saves.map(({ epoch }) => epoch)
    const first = primary.connect(() => undefined)
    await until(() => saves.length === 1, 'the first save')
    await raw('update primary_epoch set epoch = 2')
    const second = primary.connect(() => undefined)
    await until(() => followedEpoch === 2, 'the next epoch to be followed')
    assert.deepEqual(epochs(), [1])
    saves[0]?.finish()
    await until(() => saves.length === 2, 'the second save')
    assert.deepEqual(epochs(), [1, 2])
    saves[1]?.finish()
    for (const session of await Promise.all([first, second])) session.destroy()
    primary.close()
  }),
)

for (const { name, open } of [
  { name: 'store', open: openPostgresStore },
  { name: 'key store', open: openPostgresKeyStore },
])
  test(
    `opening a ${name} on several hosts of which none can be followed leaves no connection`,
    withPostgresDatabase(async ({ url, raw }) => {
      const { port } = new URL(url)
      const hosts = url.replace(/@[^/]*\//, `@127.0.0.1:${port},localhost:${port}/`)
      const record = { read: async () => ({ epoch: 9, timeline: 9 }), save: async () => undefined }
      await assert.rejects(
        open({ url: hosts, allowUnsafe: true, fence: { record } }),
        (err: Error) => err instanceof PrimaryRefused && err.reason === 'older_primary',
      )
      await until(async () => (await countSessions(raw)) === 0, 'the connections to end')
    }),
  )

test(
  'a look that is ended while it connects leaves no connection',
  withPostgresDatabase(async ({ url, raw }) => {
    const probe = makeHostProbe(url, null)
    const looking = probe.look()
    probe.close()
    await assert.rejects(looking, StoreUnavailable)
    await assert.rejects(probe.look(), StoreUnavailable)
    await until(async () => (await countSessions(raw)) === 0, 'the connection to end')
  }),
)

async function countSessions(raw: TestDatabase['raw']): Promise<number> {
  const query = `select count(*)::int as open from pg_stat_activity where datname = current_database() and application_name = 'tessera'`
  return Number((await raw(query))[0]?.['open'])
}

interface SilentHost {
  readonly port: number
  isHolding: boolean
  /** How many connections it holds. */
  readonly held: number
  release(): void
  close(): Promise<void>
}

/** Ends connections at once, or while `isHolding` accepts them and is silent until they are released. */
async function openSilentHost(): Promise<SilentHost> {
  const held = new Set<Socket>()
  const host: SilentHost & { port: number } = {
    port: 0,
    isHolding: false,
    get held() {
      return held.size
    },
    release() {
      host.isHolding = false
      for (const socket of held) socket.destroy()
      held.clear()
    },
    async close() {
      host.release()
      server.close()
      await once(server, 'close')
    },
  }
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined)
    if (host.isHolding) held.add(socket)
    else socket.destroy()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  host.port = typeof address === 'object' && address !== null ? address.port : 0
  return host
}

function urlAt(url: string, port: number): string {
  const changed = new URL(url)
  changed.hostname = '127.0.0.1'
  changed.port = String(port)
  return changed.href
}
