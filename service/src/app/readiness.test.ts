import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makePeerHealth } from '../ops/health/peer-health.ts'
import { makeReadHealth, makeWriteHealth } from '../ops/health/write-health.ts'
import { StoreFull, StoreOverloaded, StoreUnavailable } from '../store/store.ts'
import { makeHandClock } from '../testing/clock.fixture.ts'
import { createLifecycle, readReadiness, type RunningInfo } from './lifecycle.ts'
import { makeReadiness, type ReadinessDependencies } from './readiness.ts'
import { storeOf } from '../testing/store.fixture.ts'

const reading = { wallMs: 0, monotonicMs: 0, bootId: 'boot-1' }
const never = (): Promise<never> => new Promise(() => undefined)

test('a store that fails every write is not ready, one that fails some is degraded for ten seconds, and an overload is neither', async () => {
  let probe: Error | null = new StoreFull('the disk is full')
  const { clock, writes, state } = start({
    probeWrite: async () => {
      writes.record(probe)
      if (probe !== null) throw probe
    },
  })
  writes.record(new StoreOverloaded('many'))
  assert.equal((await state()).state, 'ready')
  writes.record(new StoreFull('the disk is full'))
  assert.deepEqual(pick(await state()), { ready: false, state: 'store_not_writable', reason: 'the disk is full', away: undefined })
  probe = null
  const away = [{ part: 'store', reason: 'some writes fail: the disk is full' }]
  assert.deepEqual(pick(await state()), { ready: true, state: 'degraded', reason: undefined, away })
  clock.advance(10_000)
  assert.equal((await state()).state, 'ready')
})

test('a store with buckets that can be written is degraded, also while most probes fail and the last one does', async () => {
  let probes = 0
  const { writes, state } = start({
    probeWrite: async () => {
      const err = probes++ % 4 === 1 ? null : new StoreFull('the disk of a shard is full')
      writes.record(err)
      if (err !== null) throw err
    },
  })
  writes.record(new StoreFull('the disk of a shard is full'))
  const away = [{ part: 'store', reason: 'some writes fail: the disk of a shard is full' }]
  for (let call = 0; call < 3; call++)
    assert.deepEqual(pick(await state()), { ready: true, state: 'degraded', reason: undefined, away }, `call ${call}`)
  assert.equal(writes.writable(), 'none', 'the last probe failed')
})

test('a store of which a node is away is degraded while others answer its reads, for ten seconds', async () => {
  const { clock, reads, state } = start({})
  for (let read = 0; read < 4; read++) reads.readStarted()
  reads.record(new StoreOverloaded('many'))
  assert.equal((await state()).state, 'ready')
  reads.record(new StoreUnavailable('connection to the remote node failed'))
  reads.readStarted()
  reads.readStarted()
  reads.record(new StoreUnavailable('connection to the remote node failed'))
  const away = [{ part: 'store', reason: '2 of 3 reads failed: connection to the remote node failed' }]
  assert.deepEqual(pick(await state()), { ready: true, state: 'degraded', reason: undefined, away })
  clock.advance(10_000)
  assert.equal((await state()).state, 'ready')
})

test('a database whose server found its files damaged is not ready until the alarm has ended', async () => {
  let found: string | null = 'PostgreSQL found its files damaged (invalid page)'
  const { state } = start({ damage: { damage: () => found } })
  assert.deepEqual(pick(await state()), { ready: false, state: 'store_damaged', reason: found, away: undefined })
  found = null
  assert.equal((await state()).state, 'ready')
})

test('a network, an SMS gateway and a checkpoint destination that do not answer are named, and nobody is asked for it', async () => {
  const { peerHealth, failing, state } = start({})
  const network = peerHealth.networks.get('sandbox')!
  for (let i = 0; i < 4; i++) network.record(false)
  assert.equal((await state()).state, 'ready', 'four lost replies are no outage')
  network.record(false)
  for (let i = 0; i < 6; i++) peerHealth.sms.get('http')!.record(false)
  failing.push('syslog')
  assert.deepEqual(pick(await state()), {
    ready: true,
    state: 'degraded',
    reason: undefined,
    away: [
      { part: 'network', reason: 'the last 5 calls got no answer' },
      { part: 'sms', reason: 'the last 6 calls got no answer' },
      { part: 'checkpoints', reason: 'syslog does not take checkpoints' },
    ],
  })
  network.record(true)
  peerHealth.sms.get('http')!.record(true)
  failing.pop()
  assert.equal((await state()).state, 'ready')
})

test('a provider of the KEK that does not answer is named: calls that need no new key succeed', async () => {
  const { state } = start({ kek: { failure: () => 'the token did not answer within 5000 ms' } })
  const away = [{ part: 'kek', reason: 'the token did not answer within 5000 ms' }]
  assert.deepEqual(pick(await state()), { ready: true, state: 'degraded', reason: undefined, away })
})

test('a network whose breaker is open is away until it closes', async () => {
  const { openBreakers, state } = start({})
  openBreakers.push('network')
  const reason = 'it does not respond in time, and calls are refused for a moment'
  assert.deepEqual([(await state()).state, (await state()).away], ['degraded', [{ part: 'network', reason }]])
  openBreakers.pop()
  assert.equal((await state()).state, 'ready')
})

test('a connection to an SMS gateway that has been away for a minute is named with what it means', async () => {
  type Connections = ReturnType<ReadinessDependencies['listSmsConnections']>
  const connections: [...Connections] = [
    { gateway: 'smpp', bind: 'transmitter', awayMs: 0 },
    { gateway: 'smpp', bind: 'receiver', awayMs: 59_999 },
  ]
  const { state } = start({ listSmsConnections: () => connections })
  assert.equal((await state()).state, 'ready', 'it is made again within seconds as a rule')
  connections[1] = { gateway: 'smpp', bind: 'receiver', awayMs: 60_000 }
  const reason = 'smpp: the receiver has been away for 60 s: messages are sent, and no delivery report arrives'
  assert.deepEqual(pick(await state()), { ready: true, state: 'degraded', reason: undefined, away: [{ part: 'sms', reason }] })
  connections[1] = { gateway: 'smpp2', bind: 'transceiver', awayMs: 90_400 }
  assert.deepEqual((await state()).away, [{ part: 'sms', reason: 'smpp2: the transceiver has been away for 90 s: messages are rejected' }])
})

test('a refused clock leaves the service ready, and says what to do', async () => {
  const refusal = { reason: 'jumped', byMs: 172_800_000, at: 0 } as const
  const { state } = start({ clockGuard: { status: () => ({ reading, driftMs: refusal.byMs, refusal }) } })
  const reason = 'it jumped by 172800 s: nothing is destroyed or moved because of a time until tessera clock confirm'
  assert.deepEqual(pick(await state()), { ready: true, state: 'degraded', reason: undefined, away: [{ part: 'clock', reason }] })
})

test('a store that does not respond is reported within a second, and a key store that does not only after its minute', async () => {
  const silentStore = start({ store: { ping: never } })
  const pending = silentStore.state()
  await silentStore.tick(1000)
  assert.deepEqual(pick(await pending), { ready: false, state: 'store_unavailable', reason: 'no answer within a second', away: undefined })
  const silentKeys = start({ keyring: { read: never } })
  const first = silentKeys.state()
  await silentKeys.tick(1000)
  assert.deepEqual(pick(await first).away, [{ part: 'key_store', reason: 'no answer within a second' }])
  silentKeys.clock.advance(60_000)
  const later = silentKeys.state()
  await silentKeys.tick(1000)
  assert.deepEqual([(await later).ready, (await later).state], [false, 'keys_unavailable'])
})

function start(replaced: Partial<ReadinessDependencies>) {
  const clock = makeHandClock()
  const writes = makeWriteHealth(clock)
  const reads = makeReadHealth(clock)
  const peerHealth = { networks: new Map([['sandbox', makePeerHealth()]]), sms: new Map([['http', makePeerHealth()]]) }
  const failing: string[] = []
  const openBreakers: string[] = []
  const done = (): Promise<void> => Promise.resolve()
  const { checks, listAway } = makeReadiness({
    store: { ping: done },
    keyring: { read: done },
    kek: { failure: () => null },
    nextKek: () => null,
    knownAnswers: { verifyServiceKeys: done },
    clock,
    writes,
    reads,
    damage: { damage: () => null },
    probeWrite: done,
    peerHealth,
    peers: { listPeers: () => [{ kind: 'network', name: 'sandbox', inFlight: 0, max: 1, openBreakers: openBreakers.length }] },
    listSmsConnections: () => [],
    checkpoints: { failingDestinations: () => failing },
    clockGuard: { status: () => ({ reading, driftMs: 0, refusal: null }) },
    ...replaced,
  })
  const lifecycle = {
    ...createLifecycle(),
    state: 'ready' as const,
    info: {} as RunningInfo,
    store: storeOf(),
    readinessChecks: checks,
    listAway,
  }
  return {
    clock,
    writes,
    reads,
    peerHealth,
    failing,
    openBreakers,
    state: () => readReadiness(lifecycle),
    /** Lets what was started so far begin to wait, and then passes the time. */
    async tick(ms: number) {
      await new Promise((resolve) => setImmediate(resolve))
      clock.advance(ms)
    },
  }
}

function pick({ ready, state, reason, away }: Awaited<ReturnType<typeof readReadiness>>) {
  return { ready, state, reason, away }
}
