import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import { withTimeout, type Clock } from '../../clock.ts'
import type { Custody } from '../../domain/custody/custody.ts'
import type { CountBatch } from '../../domain/limits/count-sharing.ts'
import type { SlowHash, SlowHashOrder } from '../../domain/users/slow-hash.ts'
import type { Config } from '../../ops/config/config.ts'
import type { Exit } from '../../ops/exits.ts'
import type { Log } from '../../ops/logging/log.ts'
import { mergeMetrics, type MetricFamily } from '../../ops/metrics/metric.ts'
import type { Metrics } from '../../ops/metrics/metrics.ts'
import type { ListenerTls } from '../../server/http/listener-tls.ts'
import { forgetWaitingWrites } from '../../server/rate-limits/waiting-writes.ts'
import type { AuditHead } from '../../store/audit.ts'
import type { RequestLogStore } from '../../store/request-log-store.ts'
import type { Store, StoreLock } from '../../store/store.ts'

import { auditHeadsFile, clockFile } from '../data-folder.ts'
import type { AwayPart } from '../lifecycle.ts'
import { rowVersionsFile } from '../storage.ts'
import { ownBytes } from '../../store/sqlite/own-bytes.ts'

import { openChannel, type Channel } from './channel.ts'
import type { ServiceChange } from './service-changes.ts'
import type { CallsToFirst, CallsToWorker, WorkerStart } from './worker-calls.ts'

/** The workers beside the first one, which is the main thread. */
export interface RequestWorkers {
  /** Resolves when every one of them listens. */
  start(common: WorkerCommon): Promise<void>
  /** Tells all but the sender of a change. */
  broadcast(change: ServiceChange): void
  /** Rejects when a worker that runs is not ready, or does not respond in time. */
  requireReady(): Promise<void>
  /** Those that ended, and are started again; and what calls to the others miss, as each said when `requireReady` ran last. */
  listAway(): readonly AwayPart[]
  /** Calls in progress at them, when `requireReady` ran last. */
  inFlight(): number
  collectMetrics(): Promise<readonly (readonly MetricFamily[])[]>
  /** The ends of the audit chains that they write on PostgreSQL. */
  auditHeads(): readonly AuditHead[]
  /** Reads their certificates again. */
  reload(): void
  /** Completes the calls in progress. Returns how many were cut off. */
  stop(signal: string): Promise<number>
}

/** What the first worker has opened, and the others use. */
export interface RequestWorkersDependencies {
  /** How many there are, without the first. */
  readonly count: number
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<Metrics, 'registerGauge'>
  /** Writes finished lines of a worker's log. */
  readonly writeLog: (lines: string) => void
  readonly endNow: (exit: Exit, event: string, err: unknown) => never
  readonly store: Store
  readonly requestLog: RequestLogStore
  readonly custody: Pick<Custody, 'openSets' | 'changed'>
  readonly slowHash: SlowHash
  /** Applies a change of another worker in this one. */
  readonly receive: (change: ServiceChange) => void
  readonly waitingWrites: SharedArrayBuffer
  /** The certificate that the first worker uses now; null: plain http. */
  readonly tls: () => ListenerTls | null
  /** What was used up of maxima in memory, for a worker that is started later. */
  readonly sums: () => CountBatch
  /** How long a stop may take. */
  readonly stopMs: number
  /** The module of the thread. */
  readonly program: URL
}

/** What is known when the first worker listens. */
export type WorkerCommon = Pick<WorkerStart, 'address' | 'adminUrl' | 'coreDumps'>

/** A worker, and its thread while it runs. */
interface WorkerSlot {
  readonly number: number
  thread: WorkerThread | null
  /** How many of its threads ended without being stopped, and how many of them in a row had not been ready for long. */
  ends: number
  failures: number
  /** Why the last one ended. */
  failure: string | null
  metrics: readonly MetricFamily[]
  heads: readonly AuditHead[]
  /** What calls to it miss, with its number. */
  away: readonly AwayPart[]
  inFlight: number
}

interface WorkerThread {
  readonly worker: Worker
  readonly channel: Channel<CallsToWorker>
  readonly locks: Map<string, StoreLock>
  readonly ended: Promise<void>
  /** When it began to listen, monotonic milliseconds; null before. */
  readyAt: number | null
  /** Pings that it has not replied to. */
  unanswered: number
}

interface OpenedThread {
  readonly worker: Worker
  /** Resolves when it listens. */
  readonly ready: Promise<void>
}

/**
 * Starts and watches the threads of the workers. One that ends, or whose event loop does not turn for half a minute, is reported and started again; its
 * connections are closed, as if a process had ended, and the others go on. One that keeps ending is started again ever later: what it lacks, such as the
 * provider of the KEK, may be away, and the others answer (decision 131).
 */
export function makeRequestWorkers(deps: RequestWorkersDependencies): RequestWorkers {
  const { count, config, clock, log, store, requestLog, custody, program } = deps
  const slots = Array.from({ length: count }, (_, at): WorkerSlot => {
    return { number: at + 2, thread: null, ends: 0, failures: 0, failure: null, metrics: [], heads: [], away: [], inFlight: 0 }
  })
  /** What threads that ended had counted: a counter never goes back. */
  let past: MetricFamily[] = []
  /** The newest change of each kind that a thread which starts later has to know. */
  const lasting = new Map<ServiceChange['kind'], ServiceChange>()
  const stopped = new AbortController()
  let common: WorkerCommon | null = null
  let endCount = 0
  deps.metrics.registerGauge({
    name: 'tessera_workers',
    help: 'Threads that answer calls, the main thread included.',
    read: () => 1 + running().filter(isReady).length,
  })
  deps.metrics.registerGauge({
    name: 'tessera_worker_ends_total',
    help: 'Workers that ended without being stopped; each was started again.',
    read: () => endCount,
  })
  return {
    start,
    broadcast: (change) => relay(change, null),
    requireReady,
    listAway: () => slots.flatMap((slot) => (isReady(slot.thread) ? slot.away : [awayPart(slot)])),
    inFlight: () => slots.reduce((sum, { inFlight }) => sum + inFlight, 0),
    collectMetrics,
    auditHeads: () => slots.flatMap(({ heads }) => heads),
    reload: () => running().forEach(({ channel }) => channel.notify('reload', null)),
    stop,
  }

  async function start(known: WorkerCommon): Promise<void> {
    common = known
    await Promise.all(slots.map(async (slot) => untilReady(slot, openThread(slot, known))))
    void watch()
    void shareKeks()
  }

  function running(): WorkerThread[] {
    return slots.flatMap(({ thread }) => (thread === null ? [] : [thread]))
  }

  /** Resolves when the thread listens; rejects when it ends before. */
  async function untilReady(slot: WorkerSlot, { worker, ready }: OpenedThread): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      void ready.then(resolve)
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error(`worker ${String(slot.number)} ended before it was ready`)))
    })
  }

  function openThread(slot: WorkerSlot, known: WorkerCommon): OpenedThread {
    const { number } = slot
    const folder = makeRecordFolder(config.dataFolder, number)
    const writerPort = store.openWriterPort?.() ?? null
    const database = writerPort === null || store.file === null ? null : { path: store.file, writerPort, requestLogPath: requestLog.file }
    const start: WorkerStart = {
      ...known,
      number,
      config,
      waitingWrites: deps.waitingWrites,
      folder,
      database,
      openSets: custody.openSets(),
      changes: [...lasting.values(), { kind: 'counts', batch: deps.sums() }],
      tls: ownBytes(deps.tls()),
    }
    const transferList = writerPort === null ? [] : [writerPort]
    const worker = new Worker(program, { workerData: start, transferList, stdout: false, stderr: false })
    const ready = Promise.withResolvers<void>()
    const locks = new Map<string, StoreLock>()
    const handled = { ...handlersOf(slot, locks), ready: () => ready.resolve() }
    const onFailed = (_name: string, err: unknown): void => log.error('job_failed', { job: 'worker_call', err })
    const channel = openChannel<CallsToWorker, CallsToFirst>(worker, handled, onFailed)
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    const thread: WorkerThread = { worker, channel, locks, ended, readyAt: null, unanswered: 0 }
    slot.thread = thread
    void ready.promise.then(() => (thread.readyAt = clock.moment().monotonicMs))
    let cause: unknown = null
    worker.once('error', (err: unknown) => void (cause = err))
    void ended.then(() => onEnded(slot, thread, cause))
    return { worker, ready: ready.promise }
  }

  function handlersOf(slot: WorkerSlot, locks: Map<string, StoreLock>) {
    return {
      log: deps.writeLog,
      change(change: ServiceChange): void {
        deps.receive(change)
        relay(change, slot)
      },
      endNow: ({ exit, event, err }: CallsToFirst['endNow']['input']): void => deps.endNow(exit, event, err),
      auditHeads: (heads: readonly AuditHead[]): void => void (slot.heads = heads),
      slowHash: (order: SlowHashOrder): Promise<Uint8Array> => deps.slowHash(order),
      async tryLock(name: string): Promise<boolean> {
        const lock = await store.tryLock(name)
        if (lock !== null) locks.set(name, lock)
        return lock !== null
      },
      async releaseLock(name: string): Promise<void> {
        await locks.get(name)?.release()
        locks.delete(name)
      },
      isLocked: (name: string): Promise<boolean> => store.isLocked(name),
      appendRequests: (segments: CallsToFirst['appendRequests']['input']): Promise<void> => requestLog.append(segments),
      readRequests: ({ statement, values }: CallsToFirst['readRequests']['input']) =>
        requestLog.read({ statement, values, map: (rows) => rows }),
      deleteRequests: (deletion: CallsToFirst['deleteRequests']['input']): Promise<number> => requestLog.deletePage(deletion),
    }
  }

  function relay(change: ServiceChange, from: WorkerSlot | null): void {
    if (change.kind === 'sandbox_clock') lasting.set(change.kind, change)
    for (const slot of slots) if (slot !== from) slot.thread?.channel.notify('change', change)
  }

  function onEnded(slot: WorkerSlot, thread: WorkerThread, cause: unknown): void {
    thread.channel.end(new Error(`worker ${String(slot.number)} ended`))
    for (const lock of thread.locks.values()) void lock.release()
    forgetWaitingWrites(deps.waitingWrites, slot.number - 1)
    slot.thread = null
    slot.inFlight = 0
    slot.away = []
    past = mergeMetrics(past, [slot.metrics.filter(({ kind }) => kind !== 'gauge')])
    slot.metrics = []
    if (stopped.signal.aborted) return
    // A first start that fails is reported by whoever waits for it.
    if (thread.readyAt === null && slot.ends === 0) return
    endCount++
    slot.ends++
    const now = clock.moment().monotonicMs
    slot.failures = thread.readyAt !== null && now - thread.readyAt >= steadyMs ? 1 : slot.failures + 1
    slot.failure = cause instanceof Error ? cause.message : null
    const pauseMs = Math.min(restartMs * 2 ** (slot.failures - 1), restartMaxMs)
    log.error('worker_ended', { worker: slot.number, count: slot.ends, seconds: pauseMs / 1000, err: cause ?? undefined })
    void restart(slot, pauseMs)
  }

  async function restart(slot: WorkerSlot, pauseMs: number): Promise<void> {
    await clock.sleep(pauseMs, stopped.signal).catch(() => undefined)
    if (stopped.signal.aborted || common === null) return
    let opened: OpenedThread
    try {
      opened = openThread(slot, common)
    } catch (err) {
      // Nothing has begun that could end: the disk is full, for example.
      log.error('worker_not_started', { worker: slot.number, err })
      void restart(slot, restartMs)
      return
    }
    try {
      await untilReady(slot, opened)
      log.info('worker_started', { worker: slot.number })
    } catch {
      // Its end is reported, and it is started again, by `onEnded`.
    }
  }

  /**
   * Ends a thread whose event loop does not turn: its connections wait for it, and new ones are given to it. Pings are counted, and not the time: after a
   * pause of the whole process, or of this thread, nobody has replied for as long.
   */
  async function watch(): Promise<void> {
    while (await hasSlept(watchMs)) {
      for (const { thread, number } of slots) {
        if (!isReady(thread)) continue
        if (thread.unanswered >= stuckPings) {
          log.error('worker_stuck', { worker: number, seconds: (stuckPings * watchMs) / 1000 })
          void thread.worker.terminate()
        } else {
          thread.unanswered++
          void thread.channel.call('ping', null).then(() => (thread.unanswered = 0), ignore)
        }
      }
    }
  }

  /** Gives every worker the KEKs that custodians open while the service runs. */
  async function shareKeks(): Promise<void> {
    while (!stopped.signal.aborted) {
      await custody.changed()
      for (const { channel } of running()) channel.notify('shareKeks', custody.openSets())
    }
  }

  async function hasSlept(ms: number): Promise<boolean> {
    await clock.sleep(ms, stopped.signal).catch(() => undefined)
    return !stopped.signal.aborted
  }

  async function requireReady(): Promise<void> {
    // Of all of them, also when one is not: the calls in progress are counted.
    const readings = await Promise.allSettled(slots.map(requireReadySlot))
    const refused = readings.find((reading) => reading.status === 'rejected')
    if (refused !== undefined) throw refused.reason
  }

  async function requireReadySlot(slot: WorkerSlot): Promise<void> {
    const { thread } = slot
    if (!isReady(thread)) return
    const read = () => thread.channel.call('readiness', null)
    const readiness = await withTimeout({ clock, timeoutMs: replyMs }, null, read).catch(() => null)
    // It ended meanwhile.
    if (slot.thread !== thread) return
    if (readiness === null) throw new Error(`worker ${String(slot.number)} does not respond`)
    slot.inFlight = readiness.inFlight
    slot.away = readiness.away.map(({ part, reason }) => ({ part, reason: `worker ${String(slot.number)}: ${reason}` }))
    if (readiness.isReady) return
    throw new Error(`worker ${String(slot.number)}: ${readiness.state}${readiness.reason === null ? '' : `: ${readiness.reason}`}`)
  }

  /** Of one that does not respond in time, what it had last. */
  async function collectMetrics(): Promise<readonly (readonly MetricFamily[])[]> {
    await Promise.all(
      slots.map(async (slot) => {
        const { thread } = slot
        if (!isReady(thread)) return
        const read = () => thread.channel.call('collectMetrics', null)
        slot.metrics = (await withTimeout({ clock, timeoutMs: replyMs }, null, read).catch(() => null)) ?? slot.metrics
      }),
    )
    return [past, ...slots.map(({ metrics }) => metrics)]
  }

  async function stop(signal: string): Promise<number> {
    stopped.abort()
    const left = await Promise.all(running().map((thread) => stopThread(thread, signal)))
    return left.reduce((sum, each) => sum + each, 0)
  }

  async function stopThread({ worker, channel, ended, readyAt }: WorkerThread, signal: string): Promise<number> {
    const stopping = (): Promise<number> => Promise.race([channel.call('stop', signal), ended.then(() => 0)])
    const left = readyAt !== null ? await withTimeout({ clock, timeoutMs: deps.stopMs }, 0, stopping).catch(() => 0) : 0
    await worker.terminate()
    return left
  }
}

/** A new folder for what a worker records, with what the first one has recorded of the audit and the clock. */
function makeRecordFolder(dataFolder: string, number: number): string {
  const folder = join(dataFolder, workersFolder, String(number))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Without the heads a worker would take an audit that was cut meanwhile for the whole of it. On PostgreSQL they are in the key store.
  for (const file of [auditHeadsFile, rowVersionsFile, clockFile]) {
    const path = join(dataFolder, file)
    if (existsSync(path)) copyFileSync(path, join(folder, file))
  }
  return folder
}

function isReady(thread: WorkerThread | null): thread is WorkerThread {
  return thread !== null && thread.readyAt !== null
}

/** The first end of several is not worth the cause: the next thread is there in a second. */
function awayPart({ number, failures, failure }: WorkerSlot): AwayPart {
  const why =
    failures > 1 && failure !== null ? `; it has ended ${String(failures)} times in a row, the last time because of: ${failure}` : ''
  return { part: 'workers', reason: `worker ${String(number)} ended, and is started again${why}` }
}

function ignore(): void {}

const workersFolder = 'workers'
/** Before the next thread; doubled for each that ended in a row. */
const restartMs = 1000
const restartMaxMs = 60_000
/** One that listened for so long has not failed by what it needs to start. */
const steadyMs = 60_000
const watchMs = 5000
/** Half a minute. */
const stuckPings = 6
/** How long a page of metrics or a reading of the readiness waits for a worker. */
const replyMs = 1000
