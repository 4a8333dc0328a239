import { createApp, listen, type App } from '../../app.ts'
import { readAdminAccess } from '../../app/admin-access.ts'
import { makeCertificateReload, type CertificateListener } from '../../app/certificate-reload.ts'
import { claimDataFolder, writeFolderMarker, type FolderMarker } from '../../app/data-folder.ts'
import { findNotedFiles, noteFilesClosed, noteFilesClosing, touchMarker } from '../../app/database-files.ts'
import { awayPartNames, createLifecycle, createResources, readReadiness, type Resources, type RunningInfo } from '../../app/lifecycle.ts'
import { workersOf } from '../../app/adapters.ts'
import { chooseAdapters } from '../../app/production-checks.ts'
import { requireStartChecks } from '../../app/start-checks.ts'
import { makeCustodyServices } from '../../app/custody.ts'
import { completeInterruptedMove } from '../../app/move-store.ts'
import { makeSeal } from '../../app/sealed-service.ts'
import { makeStartSubject } from '../../app/start-subject.ts'
import { retryUntilReachable } from '../../app/storage.ts'
import { readListenerTls, type TlsFiles } from '../../app/tls-files.ts'
import { shareOf } from '../../app/workers/worker-share.ts'
import { allocateYoungOnly } from '../../app/young-objects.ts'
import type { Clock } from '../../clock.ts'
import { FolderLocked, lockFolder } from '../../store/sqlite/lock.ts'
import { makeSystemClock } from '../../system-clock.ts'
import type { Config } from '../config/config.ts'
import { disableCoreDumps } from '../core-dumps.ts'
import { createAdminServer, type AdminServer } from '../../server/http/admin-server.ts'
import { healthRoutes } from '../health/health-routes.ts'
import { makeLog, type Log } from '../logging/log.ts'
import { openLogSink } from '../logging/sink.ts'
import { makeMetrics } from '../metrics/metrics.ts'
import { serviceGauges } from '../metrics/service-gauges.ts'
import { tesseraVersion } from '../version.ts'

import type { CommandInput, CommandOutcome } from './command.ts'
import { displayPath } from './control-client.ts'
import { explainStart, stoppedStart } from './explain-start.ts'
import { handleProcessSignals, type ProcessSignals } from './signals.ts'

/** `tessera start`: runs the service in this process until a signal stops it. */
export async function runStart(input: CommandInput): Promise<CommandOutcome> {
  const { config } = input.settings()
  process.umask(0o077)
  const sink = openLogSink(STDERR)
  const clock = makeSystemClock()
  const log = makeLog(config.logLevel, sink, clock.now)
  const signals = handleProcessSignals(log, sink, clock)
  try {
    const starting = startCheckedService(config, {
      log,
      clock,
      writeLog: sink.write,
      isAfterMove: input.options.has('after-move'),
      ...signals,
    })
    const service = await untilStopped(starting, { clock, ...signals })
    const allocateAsUsual = allocateYoungOnly()
    input.print(input.json ? `${JSON.stringify({ ready: service.info })}\n` : printBanner(service.info))
    await aborted(signals.stopping)
    // Before threads end.
    allocateAsUsual()
    return { exit: 'done', data: { stopped: { callsCutOff: await service.stop() } }, text: 'Stopped.' }
  } finally {
    sink.flush()
  }
}

/**
 * The result of a start. After a signal a start has a moment to close what it opened; then the command ends the process whatever the start waits for, such
 * as a lock of the database or the provider of the KEK. Nothing was acknowledged, so the process may end as if it was killed.
 */
async function untilStopped<T>(started: Promise<T>, { clock, stopping }: Pick<ProcessDependencies, 'clock' | 'stopping'>): Promise<T> {
  const late = aborted(stopping)
    .then(() => clock.sleep(closeStartMs, new AbortController().signal))
    .then(() => Promise.reject(stoppedStart(stopping)))
  return Promise.race([started, late])
}

interface RunningService extends Pick<App, 'stop'> {
  readonly info: RunningInfo
}

interface ProcessDependencies
  extends Omit<ProcessSignals, 'onReload' | 'stopService'>, Partial<Pick<ProcessSignals, 'onReload' | 'stopService'>> {
  readonly log: Log
  readonly clock: Clock
  /** Writes finished lines of the log, of other workers. Default: nobody reads them. */
  readonly writeLog?: (lines: string) => void
  /** Whether the start waits until the service that has the folder has ended. Default: it is refused. */
  readonly isAfterMove?: boolean
}

/**
 * Runs the application in this process, after every check of a start. Health endpoints respond before the database is open. Throws `ExitError`, which says
 * what to do; then nothing was changed but the data folder created.
 */
export async function startCheckedService(config: Config, deps: ProcessDependencies): Promise<RunningService> {
  const { log, clock, stopping, writeLog = () => undefined, isAfterMove = false } = deps
  const resources = createResources((err) => log.error('close_failed', { err }))
  try {
    // Before a share can be in memory.
    const coreDumps = disableCoreDumps()
    const lifecycle = createLifecycle()
    const custodyServices = makeCustodyServices(config, deps)
    const { custody, audit: custodyAudit, handOver } = custodyServices
    const seen = { storedKeys: () => subject.storedKeys(), onSealed: () => subject.release() }
    const sealDeps = { ...deps, custody, custodyAudit, handOver, lifecycle, ...seen }
    const { adapters, endReplies } = makeSeal(config, chooseAdapters(config), sealDeps, resources)
    const subject = makeStartSubject(config, {
      adapters,
      heldKeks: () => custody.openKeks(),
      clock,
      log,
      claim: async () => claimFolder(config, resources),
      isServing: () => false,
      retry: (step) => retryUntilReachable(config, deps, step),
      stopping,
    })
    resources.add(subject.close)
    if (isAfterMove) await waitForFolder(config, deps)
    await requireStartChecks(subject, 'folder')
    await requireStartChecks(subject, 'machine')
    const metrics = makeMetrics(
      clock,
      serviceGauges(lifecycle, {
        readiness: () => readReadiness(lifecycle),
        partNames: awayPartNames,
        log,
        version: tesseraVersion,
        config,
      }),
      { collectOthers: () => lifecycle.collectMetricsElsewhere() },
    )
    resources.add(metrics.close)
    const routes = healthRoutes({ readiness: () => readReadiness(lifecycle), metrics: metrics.render })
    const access = readAdminAccess(config, clock.now())
    const tls = readListenerTls(config, clock.now())
    const admin = createAdminServer(routes, access, (err) => log.error('page_failed', { err }))
    resources.add(() => admin.close())
    const adminUrl = await listen(admin, { host: config.adminHost, port: config.adminPort, isTls: access.tls !== null })
    await requireStartChecks(subject, 'data')
    await subject.close()
    await completeInterruptedMove(config)
    // Opening the database moves what a crash left in the log into it.
    noteFilesClosing(config.dataFolder)
    const onStoreClosing = (): void => noteFilesClosing(config.dataFolder)
    const workers = workersOf(config)
    const app = await createApp(shareOf(config, workers), adapters, {
      ...deps,
      ...(workers === 1 ? {} : { workers: { count: workers - 1, writeLog, program: requestWorker } }),
      metrics,
      lifecycle,
      adminUrl,
      tls,
      coreDumps,
      onStoreClosing,
      custody: custodyServices,
      onListening: endReplies,
    })
    writeFolderMarker(config.dataFolder, markerOf(config, app))
    if (config.databaseUrl === null) resources.add(touchMarker(config.dataFolder, clock).stop)
    const info = await app.start()
    const reload = makeCertificateReload(listCertificates(config, clock, { app, tls, admin, adminTls: access.tls }), {
      clock,
      log,
      metrics,
    })
    deps.onReload?.(() => {
      reload()
      if (tls !== null) app.reloadWorkers()
    })
    const stop = async (): Promise<number> => {
      const left = await app.stop()
      noteFilesClosed(config.dataFolder)
      await resources.closeAll()
      return left
    }
    return { info, stop }
  } catch (err) {
    await resources.closeAll()
    throw explainStart(err, config, stopping)
  }
}

interface CertificateOwners {
  readonly app: App
  readonly tls: TlsFiles | null
  readonly admin: AdminServer
  readonly adminTls: TlsFiles | null
}

/** The listeners that have a certificate. */
function listCertificates(config: Config, clock: Clock, { app, tls, admin, adminTls }: CertificateOwners): CertificateListener[] {
  const own: CertificateListener[] = []
  if (tls !== null) own.push({ name: 'api', files: tls, read: () => readListenerTls(config, clock.now()), server: app })
  if (adminTls !== null) own.push({ name: 'admin', files: adminTls, read: () => readAdminAccess(config, clock.now()).tls, server: admin })
  return own
}

/** Creates the data folder, and locks it until the process ends its work. */
export function claimFolder({ dataFolder, environment }: Config, resources: Resources): string {
  claimDataFolder(dataFolder, environment)
  resources.add(lockFolder(dataFolder).release)
  return 'none is running'
}

/**
 * Waits until the service that has the folder has ended, with everything loaded that a start on PostgreSQL needs. The checks that follow find out whether the
 * store was moved.
 */
async function waitForFolder({ dataFolder }: Config, { log, clock, stopping }: ProcessDependencies): Promise<void> {
  await Promise.all([
    import('../../store/postgres/postgres.ts'),
    import('../../store/postgres/keys.ts'),
    import('../../store/postgres/inspect.ts'),
  ])
  for (let isFirst = true; ; isFirst = false) {
    try {
      lockFolder(dataFolder).release()
      return
    } catch (err) {
      if (!(err instanceof FolderLocked)) throw err
    }
    if (isFirst) log.info('start_waits', {})
    await clock.sleep(folderPollMs, stopping)
  }
}

function markerOf({ databaseUrl, dataFolder }: Config, { services: { kek, keyring } }: App): FolderMarker {
  const [first] = keyring
    .list()
    .filter(({ purpose, owner }) => purpose === 'row_mac' && owner === '')
    .sort((a, b) => a.epoch - b.epoch)
  const files = databaseUrl === null ? findNotedFiles(dataFolder, 'open') : null
  return { store: databaseUrl === null ? 'sqlite' : 'postgres', kek: kek.id, key: first?.keyId ?? null, files }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

const STDERR = 2
/** Between two looks at whether the folder is free. */
const folderPollMs = 20
const requestWorker = new URL('../../app/workers/request-worker.ts', import.meta.url)
/** Time for a start that is stopped to end by itself. */
const closeStartMs = 500

/** Printed when the service is ready. */
function printBanner(info: RunningInfo): string {
  const lines = [
    `Tessera ${info.version} is ready (${info.environment}).`,
    '',
    `  API        ${info.url}`,
    `  Health     ${info.adminUrl}/readyz · /healthz · /metrics`,
    ...(info.workers === 1 ? [] : [`  Workers    ${String(info.workers)}`]),
    `  Data       ${info.store === 'sqlite' ? displayPath(info.folder) : 'PostgreSQL'} · durability ${info.durability} (${printDurability(info.durability)})`,
    ...printDemo(info),
    '',
    '  Stop       Ctrl-C or SIGTERM, after the calls in progress',
    '',
  ]
  return lines.join('\n')
}

function printDurability(durability: RunningInfo['durability']): string {
  return durability === 'local'
    ? 'an acknowledged write survives a crash of this machine'
    : 'an acknowledged write survives the loss of one machine'
}

function printDemo({ url, demo }: RunningInfo): string[] {
  if (demo === null) return []
  const body = JSON.stringify({
    id: 1,
    method: 'cards.create',
    params: { card: { number: demo.cardNumber, expire: demo.expiry }, save: true },
  })
  return [
    '',
    '  The demo merchant of the test environment (public, refused in production)',
    `  Merchant   ${demo.merchantId}`,
    `  Password   ${demo.password}`,
    `  Dashboard  ${url.replace('127.0.0.1', 'localhost')}/dashboard · phone ${demo.dashboardPhone}, password ${demo.dashboardPassword}`,
    '',
    '  Create a token:',
    '',
    `    curl -s ${url}/api/cards.create -H 'X-Auth: ${demo.merchantId}' \\`,
    `      -d '${body}'`,
  ]
}
