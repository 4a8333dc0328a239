import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'

import type { Log } from '../../ops/logging/log.ts'
import { allocateWaitingWrites, makeWaitingWrites } from '../../server/rate-limits/waiting-writes.ts'
import type { RequestLogStore } from '../../store/request-log-store.ts'
import type { Store } from '../../store/store.ts'
import { makeHandClock, type HandClock } from '../../testing/clock.fixture.ts'
import { defaultConfig } from '../../testing/default-config.fixture.ts'
import { noMetrics } from '../../testing/test-app.fixture.ts'

import { auditHeadsFile, clockFile } from '../data-folder.ts'
import { rowVersionsFile } from '../storage.ts'

import { combineAway } from '../lifecycle.ts'
import { makeRequestWorkers, type RequestWorkers } from './request-workers.ts'

const program = new URL('./scripted-worker.fixture.ts', import.meta.url)
const common = { address: { host: '127.0.0.1', port: 1 }, adminUrl: '', coreDumps: 'off' } as const

interface Supervised {
  readonly folder: string
  readonly workers: RequestWorkers
  readonly clock: HandClock
  readonly events: string[]
  readonly changes: unknown[]
  readonly waitingWrites: SharedArrayBuffer
}

/** Two scripted workers: `change` tells them what to do. */
function supervise(t: TestContext): Supervised {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-workers-'))
  const clock = makeHandClock()
  const events: string[] = []
  const changes: unknown[] = []
  const note = (event: string): void => void events.push(event)
  const log: Log = { debug: note, info: note, warn: note, error: note, maskedCount: () => 0, dropped: () => 0 }
  const waitingWrites = allocateWaitingWrites(3)
  const workers = makeRequestWorkers({
    count: 2,
    config: { ...defaultConfig, dataFolder: folder },
    clock,
    log,
    metrics: noMetrics,
    writeLog: note,
    endNow: (_exit, event) => {
      events.push(event)
      throw new Error(event)
    },
    store: { file: null } as Store,
    requestLog: { file: null } as RequestLogStore,
    custody: { openSets: () => [], changed: () => new Promise(() => undefined) },
    slowHash: () => Promise.reject(new Error('nobody signs in')),
    receive: (change) => void changes.push(change),
    tls: () => null,
    waitingWrites,
    sums: () => ({ sliding: [], distinct: [], ratio: [], succeeded: [], sums: [{ name: 'spent', amount: 7 }] }),
    stopMs: 60_000,
    program,
  })
  t.after(async () => {
    await workers.stop('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })
  return { folder, workers, clock, events, changes, waitingWrites }
}

test('the writes and places of a worker that died are no part of the queue any more, and those of the others stay', async (t) => {
  const { workers, events, waitingWrites } = supervise(t)
  await workers.start(common)
  for (const worker of [1, 2]) {
    const counts = makeWaitingWrites(waitingWrites, worker)
    counts.started('a merchant')
    counts.placeTaken('a merchant')
  }
  const { all, queuedOf } = makeWaitingWrites(waitingWrites, 0)
  assert.deepEqual([all.waiting(), all.places(), queuedOf('a merchant')], [2, 2, 4])
  workers.broadcast({ kind: 'merchant', merchantId: 'die 2' })
  while (!events.includes('worker_ended')) await turn()
  assert.deepEqual([all.waiting(), all.places(), queuedOf('a merchant')], [1, 1, 2])
})

test('a worker that does not turn is not ready, is ended after half a minute, and is started again', async (t) => {
  const { workers, clock, events } = supervise(t)
  await workers.start(common)
  await workers.requireReady()
  workers.broadcast({ kind: 'merchant', merchantId: 'hang 2' })
  const refused = assert.rejects(workers.requireReady(), /worker 2 does not respond/)
  await clock.untilSleeping(1000)
  clock.advance(1000)
  await refused
  for (let seconds = 0; seconds < 40 && !events.includes('worker_stuck'); seconds += 5) await advance(clock, 5000)
  assert.ok(events.includes('worker_stuck'), events.join(' '))
  while (!events.includes('worker_ended')) await turn()
  assert.deepEqual(
    workers.listAway().map(({ reason }) => reason),
    ['worker 2 ended, and is started again'],
  )
  // Whoever is not there does not make the others unready.
  await workers.requireReady()
  while (!events.includes('worker_started')) await advance(clock, 1000)
  assert.deepEqual(workers.listAway(), [])
  await workers.requireReady()
})

test('what only one worker misses is named with its number while it misses it, and not after it ended', async (t) => {
  const { workers, events } = supervise(t)
  const listed = async (): Promise<unknown> => {
    await workers.requireReady()
    return workers.listAway()
  }
  await workers.start(common)
  assert.deepEqual(await listed(), [])
  workers.broadcast({ kind: 'merchant', merchantId: 'lose_kek 3' })
  const away = [{ part: 'kek', reason: 'worker 3: the engine is unreachable' }]
  assert.deepEqual(await listed(), away)
  const store = { part: 'store', reason: 'reads fail' } as const
  const kek = { part: 'kek', reason: 'the engine is sealed' } as const
  assert.deepEqual(combineAway([store], workers.listAway()), [store, ...away])
  assert.deepEqual(combineAway([kek], workers.listAway()), [kek], 'what the first one misses too is named once')
  workers.broadcast({ kind: 'merchant', merchantId: 'find_kek 3' })
  assert.deepEqual(await listed(), [])
  workers.broadcast({ kind: 'merchant', merchantId: 'lose_kek 3' })
  assert.deepEqual(await listed(), away)
  workers.broadcast({ kind: 'merchant', merchantId: 'die 3' })
  while (!events.includes('worker_ended')) await turn()
  assert.deepEqual(await listed(), [{ part: 'workers', reason: 'worker 3 ended, and is started again' }])
})

test('a pause of the whole process ends no worker: it has replied to every ping that it got', async (t) => {
  const { workers, clock, events } = supervise(t)
  await workers.start(common)
  for (let pause = 0; pause < 3; pause++) {
    await clock.untilSleeping(5000)
    await advance(clock, 60_000)
  }
  await workers.requireReady()
  assert.deepEqual(
    events.filter((event) => event.startsWith('worker_')),
    [],
  )
})

test('a worker that cannot be started, as on a full disk, is tried again until it is', async (t) => {
  const { folder, workers, clock, events } = supervise(t)
  await workers.start(common)
  // In place of the folder that it records in.
  rmSync(join(folder, 'workers'), { recursive: true })
  writeFileSync(join(folder, 'workers'), '')
  workers.broadcast({ kind: 'merchant', merchantId: 'die 3' })
  for (let seconds = 0; count(events, 'worker_not_started') < 3 && seconds < 100; seconds++) await advance(clock, 1000)
  assert.ok(count(events, 'worker_not_started') >= 3, events.join(' '))
  assert.equal(workers.listAway().length, 1)
  rmSync(join(folder, 'workers'))
  for (let seconds = 0; !events.includes('worker_started') && seconds < 1000; seconds++) await advance(clock, 1000)
  assert.ok(events.includes('worker_started'))
  assert.deepEqual(workers.listAway(), [])
})

test('a worker that cannot start, since the KEK is away, is tried again ever later and ends nothing; once it has run for a minute it begins anew', async (t) => {
  const { folder, workers, clock, events } = supervise(t)
  await workers.start(common)
  writeFileSync(join(folder, 'refuse'), '')
  workers.broadcast({ kind: 'merchant', merchantId: 'die 2' })
  const pauses: number[] = []
  for (const pauseMs of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
    while (count(events, 'worker_ended') <= pauses.length) await turn()
    await clock.untilSleeping(pauseMs)
    pauses.push(pauseMs)
    if (pauses.length === 8) break
    await advance(clock, pauseMs)
  }
  assert.deepEqual(workers.listAway(), [
    {
      part: 'workers',
      reason: 'worker 2 ended, and is started again; it has ended 8 times in a row, the last time because of: the KEK is away',
    },
  ])
  await workers.requireReady()
  rmSync(join(folder, 'refuse'))
  await advance(clock, 60_000)
  while (!events.includes('worker_started')) await turn()
  assert.deepEqual(workers.listAway(), [])
  await advance(clock, 60_000)
  workers.broadcast({ kind: 'merchant', merchantId: 'die 2' })
  while (count(events, 'worker_ended') < 9) await turn()
  await clock.untilSleeping(1000)
  assert.deepEqual(
    workers.listAway().map(({ reason }) => reason),
    ['worker 2 ended, and is started again'],
  )
})

test('a change of one worker is told to the first and to the others, and not to itself', async (t) => {
  const { workers, changes, events } = supervise(t)
  await workers.start(common)
  workers.broadcast({ kind: 'merchant', merchantId: 'publish 3' })
  while (!events.some((line) => line.includes('told 2'))) await turn()
  assert.deepEqual(changes, [{ kind: 'sandbox_clock', offsetMs: 3000 }])
  await workers.requireReady()
  assert.deepEqual(
    events.filter((line) => line.startsWith('told')),
    ['told 2 3000'],
  )
})

test('a worker that is started later knows where the time of the sandbox is, and what was spent', async (t) => {
  const { workers, clock, events } = supervise(t)
  await workers.start(common)
  workers.broadcast({ kind: 'sandbox_clock', offsetMs: 5000 })
  workers.broadcast({ kind: 'merchant', merchantId: 'die 2' })
  while (!events.includes('worker_ended')) await turn()
  while (!events.includes('worker_started')) await advance(clock, 1000)
  assert.ok(events.includes('began 2 5000'), events.join(' · '))
  assert.equal(count(events, 'spent 2 7'), 2, events.join(' · '))
})

test('a worker that is started later begins with what the first one has recorded by then of the audit and the clock', async (t) => {
  const { folder, workers, clock, events } = supervise(t)
  await workers.start(common)
  const files = [auditHeadsFile, rowVersionsFile, clockFile]
  for (const file of files) writeFileSync(join(folder, file), `newest ${file}`)
  workers.broadcast({ kind: 'merchant', merchantId: 'die 2' })
  while (!events.includes('worker_ended')) await turn()
  while (!events.includes('worker_started')) await advance(clock, 1000)
  for (const file of files) assert.equal(readFileSync(join(folder, 'workers/2', file), 'utf8'), `newest ${file}`)
})

test('a worker that is not ready makes the service unready, with its number and reason', async (t) => {
  const { workers } = supervise(t)
  await workers.start(common)
  workers.broadcast({ kind: 'merchant', merchantId: 'unready 3' })
  await assert.rejects(workers.requireReady(), /worker 3: store_unavailable: a test says so/)
  assert.equal(workers.inFlight(), 2 * 7)
})

test('a start whose worker cannot start is refused', async (t) => {
  const { workers } = supervise(t)
  await assert.rejects(workers.start({ ...common, adminUrl: 'refuse' }), /cannot start/)
})

test('the calls that were cut off in all workers are added', async (t) => {
  const { workers } = supervise(t)
  await workers.start(common)
  assert.equal(await workers.stop('SIGTERM'), 2 * 4)
})

test('what a worker has counted stays in the sum when it has ended', async (t) => {
  const { workers, events } = supervise(t)
  await workers.start(common)
  const sum = async (): Promise<number> =>
    (await workers.collectMetrics()).flat().reduce((total, { samples }) => total + (samples[0]?.[1] ?? 0), 0)
  assert.equal(await sum(), 2 * 11)
  workers.broadcast({ kind: 'merchant', merchantId: 'die 3' })
  while (!events.includes('worker_ended')) await turn()
  assert.equal(await sum(), 2 * 11)
})

function count(events: readonly string[], event: string): number {
  return events.filter((each) => each === event).length
}

/** Lets the other threads do something. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5))
}

async function advance(clock: HandClock, ms: number): Promise<void> {
  clock.advance(ms)
  await turn()
}
