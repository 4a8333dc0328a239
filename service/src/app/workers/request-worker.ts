import { hostname } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'

import { createApp } from '../../app.ts'
import type { AuditHead } from '../../store/audit.ts'
import type { RequestLogStore } from '../../store/request-log-store.ts'
import { openSharedSqliteStore } from '../../store/sqlite/sqlite.ts'
import type { Store, StoreLock } from '../../store/store.ts'
import { makeSystemClock } from '../../system-clock.ts'
import { makeCustody } from '../../domain/custody/custody.ts'
import type { OpenShareSet } from '../../domain/custody/open-share-set.ts'
import { makeCustodyAudit } from '../../domain/custody/custody-audit.ts'
import type { Exit } from '../../ops/exits.ts'
import { makeLog } from '../../ops/logging/log.ts'
import { gatherLines } from '../../ops/logging/sink.ts'
import { makeMetrics } from '../../ops/metrics/metrics.ts'
import { serviceGauges } from '../../ops/metrics/service-gauges.ts'
import { tesseraVersion } from '../../ops/version.ts'

import type { Adapters } from '../adapters.ts'
import { makeCertificateReload } from '../certificate-reload.ts'
import { awayPartNames, createLifecycle, readReadiness } from '../lifecycle.ts'
import { chooseAdapters } from '../production-checks.ts'
import { usesShares } from '../sealed-service.ts'
import { storeCloseTimeoutMs } from '../storage.ts'
import { describeTls, readListenerTls } from '../tls-files.ts'

import { openChannel, type Channel } from './channel.ts'
import { makeServiceChanges } from './service-changes.ts'
import type { CallsToFirst, CallsToWorker, WorkerReadiness, WorkerStart } from './worker-calls.ts'

// The thread of a worker that is not the first: the whole application, without what the service does once.

const port = parentPort
if (port === null) throw new Error('a worker runs as a worker thread')

const start = workerData as WorkerStart
const { config, number } = start
const clock = makeSystemClock()
const stopping = new AbortController()
const first: Channel<CallsToFirst> = openChannel<CallsToFirst, CallsToWorker>(
  port,
  {
    ping: () => null,
    readiness: readWorkerReadiness,
    collectMetrics: () => metrics.collect(),
    change: (change) => changes.receive(change),
    shareKeks,
    reload() {
      if (reload === null) missed.reload = true
      else reload()
    },
    stop: stopByFirst,
  },
  (_name, err) => log.error('job_failed', { job: 'worker_call', err }),
)
const sink = gatherLines((lines) => first.notify('log', lines))
const log = makeLog(config.logLevel, sink, clock.now)
const lifecycle = createLifecycle()
const metrics = makeMetrics(
  clock,
  serviceGauges(lifecycle, { readiness: () => readReadiness(lifecycle), partNames: awayPartNames, log, version: tesseraVersion, config }),
  { isFirst: false },
)
const custodyAudit = makeCustodyAudit({ clock, log: log.warn })
const custody = makeCustody({ environment: config.environment, clock, audit: custodyAudit, ceremonyMs: config.kekCeremonyMinutes * 60_000 })
custody.share(start.openSets)
const changes = makeServiceChanges((change) => first.notify('change', change))
// Before those that come while the application is made: they are applied in this order.
for (const change of start.changes) changes.receive(change)
const tls = start.tls === null ? null : describeTls({ certificate: Buffer.from(start.tls.certificate), key: Buffer.from(start.tls.key) })
let reload: (() => void) | null = null
/** A SIGHUP while this worker was being made. */
const missed = { reload: false }
let sentHeads = ''

const store = start.database === null ? null : openStore(start.database)
const app = await createApp(config, withOpenedKek(chooseAdapters(config)), {
  clock,
  log,
  metrics,
  lifecycle,
  stopping: stopping.signal,
  endNow,
  adminUrl: start.adminUrl,
  coreDumps: start.coreDumps,
  tls,
  custody: { custody, audit: custodyAudit, handOver: null },
  recordFolder: start.folder,
  node: `${hostname()}-worker${String(number)}`,
  slowHash: async (order) => Buffer.from(await first.call('slowHash', order)),
  worker: { address: start.address, changes, sendAuditHeads, waitingWrites: { memory: start.waitingWrites, worker: number - 1 } },
  ...(store === null || start.database === null ? {} : { store, requestLog: requestLogOfFirst(start.database.requestLogPath) }),
})
await app.start()
if (tls !== null) {
  const listener = { name: 'api', files: tls, read: () => readListenerTls(config, clock.now()), server: app } as const
  reload = makeCertificateReload([listener], { clock, log, metrics })
  if (missed.reload) reload()
}
first.notify('ready', null)

async function readWorkerReadiness(): Promise<WorkerReadiness> {
  const { ready, state, reason = null, away = [] } = await readReadiness(lifecycle)
  return { isReady: ready, state, reason, away, inFlight: lifecycle.inFlight() }
}

/** Before the other workers are asked whether they can unwrap by it. */
async function shareKeks(sets: readonly OpenShareSet[]): Promise<void> {
  custody.share(sets)
  await app.services.keks.update()
}

async function stopByFirst(signal: string): Promise<number> {
  stopping.abort(signal)
  const left = await app.stop()
  await store?.close(storeCloseTimeoutMs)
  metrics.close()
  sink.writeNow()
  return left
}

/** The whole process ends. What was sent before arrives. */
function endNow(exit: Exit, event: string, err: unknown): never {
  sink.writeNow()
  first.notify('endNow', { exit, event, err: withoutCause(err) })
  process.exit(1)
}

/** What can be passed to another thread whatever was thrown. */
function withoutCause(err: unknown): Error {
  const passed = new Error(err instanceof Error ? err.message : String(err))
  if (err instanceof Error && err.stack !== undefined) passed.stack = err.stack
  return passed
}

/** The ends of the chains that this worker writes on PostgreSQL, for the checkpoints of the first. */
function sendAuditHeads(heads: readonly AuditHead[]): void {
  const sent = heads.map(({ chain, seq }) => `${chain} ${String(seq)}`).join(' ')
  if (sent === sentHeads) return
  sentHeads = sent
  first.notify('auditHeads', heads)
}

/** The KEK that custodians opened in the first worker. */
function withOpenedKek(adapters: Adapters): Adapters {
  return {
    ...adapters,
    async openKek(deps) {
      const [oldest] = custody.openKeks()
      return usesShares(config) && oldest !== undefined ? oldest : adapters.openKek(deps)
    },
  }
}

function openStore({ path, writerPort }: NonNullable<WorkerStart['database']>): Store {
  return openSharedSqliteStore({
    path,
    writerPort,
    exit: (cause) => endNow('ioError', 'store_lost', cause),
    tryLock: async (name) => ((await first.call('tryLock', name)) ? lockOfFirst(name) : null),
    isLocked: (name) => first.call('isLocked', name),
  })
}

/** A lock that the first worker holds for this one, until it is released or this thread ends. */
function lockOfFirst(name: string): StoreLock {
  return { check: () => Promise.resolve(), release: () => first.call('releaseLock', name) }
}

/** The request log that the first worker has open. */
function requestLogOfFirst(file: string | null): RequestLogStore {
  return {
    file,
    append: (segments) => first.call('appendRequests', segments),
    read: async ({ statement, values, map }) => map(await first.call('readRequests', { statement, values })),
    deletePage: (deletion) => first.call('deleteRequests', deletion),
    // The first worker does.
    deleteBefore: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  }
}
