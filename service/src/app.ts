import type { Adapters } from './app/adapters.ts'
import { makeChainAlarm } from './app/chain-alarm.ts'
import { makeCallWrites } from './app/call-writes.ts'
import { makeDamageAlarm } from './app/damage-alarm.ts'
import { makePrimaryAlarm } from './app/primary-fence.ts'
import { makeClockAlarm } from './app/clock-alarm.ts'
import { clockFile } from './app/data-folder.ts'
import { startBackgroundJobs } from './app/background-jobs.ts'
import { formFolder } from './app/built-files.ts'
import { createHttp, createPipelines } from './app/http.ts'
import { combineAway, createLifecycle, createResources, lameDuckMs, type Lifecycle, type RunningInfo } from './app/lifecycle.ts'
import { makeReadiness } from './app/readiness.ts'
import type { ServiceOverrides } from './app/service-overrides.ts'
import { createServices, type ComposedServices } from './app/services.ts'
import { openTraces, tracePipelines } from './app/open-traces.ts'
import { openStorage, retryUntilReachable, storeCloseTimeoutMs, type StorageDependencies } from './app/storage.ts'
import { makeRequestWorkers, type RequestWorkers, type RequestWorkersDependencies } from './app/workers/request-workers.ts'
import { traceKeks, traceStore } from './app/traced-ports.ts'
import { makeServiceChanges } from './app/workers/service-changes.ts'
import { applyServiceChange, shareClockGuard, shareDamageAlarm, shareSandboxTime } from './app/workers/shared-changes.ts'
import type { WorkerCount, WorkerRole } from './app/workers/worker-role.ts'
import { makeCustodyServices, type CustodyServices } from './app/custody.ts'
import type { Clock } from './clock.ts'
import { openClockGuard } from './domain/clock-guard.ts'
import { makeCountSharing, noCountSharing } from './domain/limits/count-sharing.ts'
import { openChainFollower } from './domain/freshness/chain-follower.ts'
import { makeLinkCheck } from './ops/audit/link-check.ts'
import { openAuditChain } from './ops/audit/open-chain.ts'
import { signRowsOnce } from './domain/keys/sign-rows.ts'
import { makeSlowHash, oneAtATime, type SlowHash } from './domain/users/slow-hash.ts'
import { listenControl } from './ops/cli/control-server.ts'
import { tesseraVersion } from './ops/version.ts'
import type { Config } from './ops/config/config.ts'
import type { CoreDumps } from './ops/core-dumps.ts'
import { makeReadHealth, makeWriteHealth, makeWriteProbe } from './ops/health/write-health.ts'
import type { LogFields } from './ops/logging/fields.ts'
import type { Log } from './ops/logging/log.ts'
import { measureCommits, type Metrics } from './ops/metrics/metrics.ts'
import type { HttpServer, ListenAddress } from './server/http/http-server.ts'
import type { CertificateHolder, ListenerTls } from './server/http/listener-tls.ts'
import { readFormAssets, type FormAssets } from './server/pages/form-assets.ts'
import type { RequestHandler } from './server/pipeline.ts'
import { makeCommitBacklog } from './server/rate-limits/commit-backlog.ts'
import { allocateWaitingWrites } from './server/rate-limits/waiting-writes.ts'
import { findNewestEntryTime, type AuditHead } from './store/audit.ts'
import { makeValueFile } from './store/value-file.ts'

/** The whole service. The only composition, for the process, tests, benchmarks and fault experiments. */
export interface App extends CertificateHolder {
  readonly services: ComposedServices
  /** Handles one HTTP request to the API. */
  readonly handle: RequestHandler
  /** Handles one HTTP request to the dashboard's endpoint. */
  readonly handleDashboard: RequestHandler
  /** Handles one request over the control socket. */
  readonly handleOperator: RequestHandler
  /** Listens for requests and operators, and starts the background jobs. */
  start(): Promise<RunningInfo>
  /** Completes the requests in flight and closes everything. Returns how many requests were cut off. */
  stop(): Promise<number>
  /** Makes the other workers read the certificate of the listener again. */
  reloadWorkers(): void
}

export interface AppDependencies extends Omit<StorageDependencies, 'custody'> {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
  /** The built form. Default: the output of `npm run build`. */
  readonly formAssets?: FormAssets
  /** Updated by the application, read by the health endpoints. */
  readonly lifecycle?: Lifecycle
  readonly coreDumps?: CoreDumps
  readonly adminUrl?: string
  /** The certificate of the listener. Default: plain http. */
  readonly tls?: ListenerTls | null
  /** KEKs that custodians hold, and the audit of what they do. Default: those of a service that was not sealed. */
  readonly custody?: CustodyServices
  /** Stops the process, like a signal. Default: nothing does. */
  readonly stopService?: (reason: string) => void
  /** Called before the API is listened for: ends what replied there while the service was sealed. */
  readonly onListening?: () => Promise<void>
  /** For tests. */
  readonly overrides?: ServiceOverrides
  /** The workers that this application, the first one, starts beside itself. Default: none. */
  readonly workers?: WorkerCount
  /** Hashes passwords of users; one thread does for all workers. Default: a thread of this application. */
  readonly slowHash?: SlowHash
  /** In a worker beside the first one. */
  readonly worker?: WorkerRole
}

/** Opens the storage and builds the application on it; `start` opens the listeners. If it throws, everything opened is closed. */
export async function createApp(config: Config, ownAdapters: Adapters, deps: AppDependencies): Promise<App> {
  const { clock, log, metrics, stopping, lifecycle = createLifecycle(), coreDumps = 'unknown', adminUrl = '', tls = null } = deps
  const { worker = null, slowHash = oneAtATime(makeSlowHash()) } = deps
  let workers: RequestWorkers | null = null
  let usedTls = tls
  const shared = makeServiceChanges((change) => workers?.broadcast(change))
  const changes = worker?.changes ?? shared
  const { adapters: untraced, mover } = shareSandboxTime(ownAdapters, changes)
  const counts = makeCountSharing({
    send: (batch) => changes.publish({ kind: 'counts', batch }),
    later: (run) => void setTimeout(run, shareCountsMs).unref(),
  })
  const resources = createResources((err) => log.error('close_failed', { err }))
  const draining = new AbortController()
  const cutOff = new AbortController()
  let http: HttpServer | null = null
  try {
    const tracing = await openTraces(config, { ...deps, now: () => performance.now() })
    resources.add(() => tracing?.close())
    const adapters = traceKeks(untraced, tracing)
    const ownClockGuard = await openClockGuard({
      // A suspension is no jump.
      clock: { moment: clock.momentSinceBoot ?? clock.moment },
      settings: { maxJumpMs: config.clockJumpSecondsMax * 1000, maxBehindMs: config.clockBehindSecondsMax * 1000 },
      record: makeValueFile(deps.recordFolder ?? config.dataFolder, clockFile),
      onRefused: makeClockAlarm(log),
    })
    const clockGuard = shareClockGuard(ownClockGuard, changes)
    const { custody, audit: custodyAudit, handOver } = deps.custody ?? makeCustodyServices(config, deps)
    resources.add(() => custody.forget())
    const damage = shareDamageAlarm(makeDamageAlarm(log, metrics, clock), changes)
    const storageDeps = {
      ...deps,
      custody,
      primaryObserver: makePrimaryAlarm(log, metrics, damage),
      onDamaged: damage.raise,
      isTimeTrusted: clockGuard.isTrusted,
      onKeysChanged: () => changes.publish({ kind: 'keys' }),
    }
    const opened = await openStorage(config, adapters, storageDeps, resources)
    const writes = makeWriteHealth(clock)
    const reads = makeReadHealth(clock)
    const workerCount = 1 + (deps.workers?.count ?? 0)
    const waitingWrites = worker?.waitingWrites ?? { memory: allocateWaitingWrites(workerCount), worker: 0 }
    const commitBacklog = makeCommitBacklog({ waitMs: config.commitWaitMs, now: machineMs, ...waitingWrites })
    const callWrites = makeCallWrites()
    const others =
      deps.workers === undefined ? null : makeWorkers(deps.workers, { ...opened, custody, waitingWrites: waitingWrites.memory })
    workers = others
    const auditHeadsElsewhere = (): readonly AuditHead[] => others?.auditHeads() ?? []
    const storage = {
      ...opened,
      store: traceStore(
        measureCommits(opened.store, metrics, { health: writes, reads, backlog: commitBacklog, calls: callWrites, auditHeadsElsewhere }),
        tracing,
      ),
    }
    const retry = <T>(step: () => Promise<T>): Promise<T> => retryUntilReachable(config, deps, step)
    // Where the time of the sandbox can be moved, entries may bear another time than the machine's.
    const areEntriesComparable = adapters.sandbox === null
    if (areEntriesComparable) clockGuard.compareWithNewestEntry(await retry(() => findNewestEntryTime(storage.store)))
    await openAuditChain({ ...storage, clock, log, stopping, retry })
    await signRowsOnce({ ...storage, environment: config.environment, clock, log, stopping, retry })
    const follower = await retry(async () => {
      const isLinked = await makeLinkCheck(storage.store, storage.keyring)
      return openChainFollower({ ...storage, isLinked, clock, log, onFault: makeChainAlarm(log, metrics) })
    })
    resources.add(() => follower.close())
    const formAssets = deps.formAssets ?? readFormAssets(formFolder)
    const sdk = sdkOf(formAssets)
    const services = await createServices(config, adapters, {
      ...deps,
      ...storage,
      follower,
      clockGuard,
      damage,
      custody,
      custodyAudit,
      handOver,
      areEntriesComparable,
      sdk,
      lifecycle,
      changes,
      slowHash,
      tracing,
      waitingWrites: commitBacklog.waitingWrites,
      countSharing: worker === null && deps.workers === undefined ? noCountSharing : counts,
      ownUrl: () => lifecycle.info?.url ?? '',
    })
    resources.add(services.closeAdapters)
    changes.applyWith((change) => applyServiceChange(change, { services, mover, clockGuard: ownClockGuard, counts, damage, log }))
    await retry(() => custodyAudit.attach(storage.store))
    await retry(() => services.knownAnswers.update())
    await retry(() => services.keks.update())
    const untracedPipelines = createPipelines(config, adapters, services, {
      tracing,
      commitBacklog,
      callWrites,
      clock,
      log,
      metrics,
      stopping: draining.signal,
      signal: cutOff.signal,
    })
    const pipelines = tracePipelines(untracedPipelines, tracing)
    return {
      services,
      handle: pipelines.api,
      handleDashboard: pipelines.dashboard,
      handleOperator: pipelines.operator,
      start,
      stop,
      replaceCertificate,
      reloadWorkers: () => others?.reload(),
    }

    async function start(): Promise<RunningInfo> {
      try {
        if (worker === null) {
          await createDemo(adapters, services)
          await services.checkpoints.runOnce()
        }
        startBackgroundJobs(services, { clock, log, metrics, resources, worker, tracing })
        http = createHttp(config, adapters, services, { pipelines, formAssets, tls, log, metrics })
        resources.add(() => http?.close())
        const { nodes } = services
        if (nodes !== null) await handOver?.listen({ nodes, audit: custodyAudit, resources })
        await deps.onListening?.()
        const isShared = worker !== null || others !== null
        const url = await listen(http, { ...(worker?.address ?? config), reusePort: isShared, isTls: tls !== null })
        const info = runningInfo(url)
        const { inFlight, bufferedBytes, pausedConnections } = http
        const probeWrite = makeWriteProbe(services.store, clock)
        const { checks, listAway } = makeReadiness({ ...services, clock, writes, reads, damage, probeWrite })
        if (others !== null) {
          resources.add(() => others.stop('SIGTERM'))
          await others.start({ address: { host: config.host, port: portOf(url) }, adminUrl, coreDumps })
        }
        Object.assign(lifecycle, {
          info,
          store: services.store,
          readinessChecks: [...checks, ...(others === null ? [] : [{ state: 'worker_not_ready', run: others.requireReady }])],
          listAway: () => combineAway(listAway(), others?.listAway() ?? []),
          inFlight,
          inFlightElsewhere: () => others?.inFlight() ?? 0,
          collectMetricsElsewhere: () => others?.collectMetrics() ?? Promise.resolve([]),
          bufferedBytes,
          pausedConnections,
          unrecorded: services.recorder.dropped,
        })
        const onError = (err: unknown): void => log.error('job_failed', { err })
        if (worker === null) resources.add((await listenControl(config.dataFolder, pipelines.operator, onError)).close)
        lifecycle.state = 'ready'
        const { version, environment, store, durability, pid } = info
        if (worker === null) log.info('ready', { version, environment, url, store, durability, pid, coreDumps, workers: info.workers })
        return info
      } catch (err) {
        await resources.closeAll()
        throw err
      }
    }

    function runningInfo(url: string): RunningInfo {
      return Object.freeze({
        version: tesseraVersion,
        environment: config.environment,
        pid: process.pid,
        startedAt: new Date(clock.now()).toISOString(),
        url,
        adminUrl,
        folder: config.dataFolder,
        store: config.databaseUrl === null ? 'sqlite' : 'postgres',
        durability: services.store.durability,
        kek: storage.kek.kind,
        coreDumps,
        workers: 1 + (deps.workers?.count ?? 0),
        demo: adapters.sandbox?.demo ?? null,
      })
    }
  } catch (err) {
    await resources.closeAll()
    throw err
  }

  function replaceCertificate(replacement: ListenerTls): void {
    usedTls = replacement
    http?.replaceCertificate(replacement)
  }

  async function stop(): Promise<number> {
    const stoppingOthers = workers?.stop(typeof stopping.reason === 'string' ? stopping.reason : 'SIGTERM')
    if (http !== null) await serveAsLameDuck(http)
    lifecycle.state = 'draining'
    draining.abort()
    if (http !== null) {
      logStop('draining', { signal: stopping.reason, count: http.inFlight(), seconds: config.drainSeconds })
      await http.drain(config.drainSeconds * 1000)
    }
    // The others write through what is closed here.
    const left = (http?.inFlight() ?? 0) + ((await stoppingOthers) ?? 0)
    cutOff.abort(new Error('the service stops'))
    await resources.closeAll()
    logStop('stopped', { left })
    return left
  }

  /** The lines of the service's stop are those of the first worker. */
  function logStop(event: string, fields: LogFields): void {
    if (worker === null) log.info(event, fields)
    else log.debug(event, fields)
  }

  function makeWorkers(
    { count, writeLog, ...others }: WorkerCount,
    opened: Pick<RequestWorkersDependencies, 'store' | 'requestLog' | 'custody' | 'waitingWrites'>,
  ): RequestWorkers {
    const { endNow } = deps
    const stopMs = lameDuckMs(config, 'SIGTERM') + config.drainSeconds * 1000 + storeCloseTimeoutMs + spareStopMs
    const { store, requestLog, custody, waitingWrites } = opened
    const made = {
      count,
      config,
      clock,
      log,
      metrics,
      writeLog,
      endNow,
      store,
      requestLog,
      custody,
      waitingWrites,
      slowHash,
      receive: shared.receive,
      tls: () => usedTls,
      sums: counts.sums,
      stopMs,
      ...others,
    }
    return makeRequestWorkers(made)
  }

  /** Load balancers read /readyz and send new calls elsewhere; what still arrives is served, on connections that close after their reply. */
  async function serveAsLameDuck(server: HttpServer): Promise<void> {
    const ms = lameDuckMs(config, stopping.reason)
    if (ms === 0) return
    lifecycle.state = 'lame_duck'
    logStop('lame_duck', { signal: stopping.reason, count: server.inFlight(), seconds: ms / 1000 })
    server.retireConnections()
    await clock.sleep(ms, cutOff.signal)
  }
}

/** The merchant and the login that every test environment has. */
async function createDemo({ sandbox }: Adapters, { merchants, dashboard }: ComposedServices): Promise<void> {
  if (sandbox === null) return
  const { merchantId, dashboardPhone: phone, dashboardPassword: password } = sandbox.demo
  await merchants.ensureMerchant(sandbox.merchant)
  await dashboard.ensureLogin({ merchantId, phone, password })
}

/** Returns the URL of the listener on this machine. */
export async function listen(
  server: Pick<HttpServer, 'listen'>,
  { isTls = false, ...listened }: ListenAddress & { readonly isTls?: boolean },
): Promise<string> {
  const address = await server.listen(listened)
  const isAny = address.address === '0.0.0.0' || address.address === '::'
  return `${isTls ? 'https' : 'http'}://${isAny ? '127.0.0.1' : address.family === 'IPv6' ? `[${address.address}]` : address.address}:${String(address.port)}`
}

/** The port of a URL that `listen` returned: one with the scheme's own has it too. */
function portOf(url: string): number {
  return Number(url.slice(url.lastIndexOf(':') + 1))
}

/** A burst on several connections is over a limit by what comes in this time at other workers. */
const shareCountsMs = 50
/** What a worker may take beyond the time of a stop. */
const spareStopMs = 2000

function sdkOf({ version, files }: FormAssets) {
  const [integrity = '', moduleIntegrity = ''] = ['tessera.js', 'tessera.mjs'].map((name) => files.get(name)?.integrity)
  return { version, integrity, moduleIntegrity }
}

/** Milliseconds of the machine's monotonic clock: `performance.now` begins anew in each thread. */
function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
