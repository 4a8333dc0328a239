import type { Kek } from '@tessera/vault/kek'
import { openKeyring } from '@tessera/vault/keyring'
import type { Keyring } from '@tessera/vault/keyring'
import { drawPublic } from '@tessera/vault/random'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { adaptersOf, openKeys, openStore, sandbox } from './adapters.ts'
import type { Adapters } from './adapters.ts'
import { makeCards } from './cards/cards.ts'
import { makeReseal } from './cards/reseal.ts'
import { makeSweep } from './cards/sweep.ts'
import { answersOf } from './cli/answers-of.ts'
import { makeAnswerQuestion } from './cli/answers.ts'
import { listenControl } from './cli/control-server.ts'
import { explainStart } from './cli/explain-start.ts'
import { tesseraVersion } from './cli/version.ts'
import type { Clock } from './clock.ts'
import { openDisclosures } from './consent-side.ts'
import { everyMs, startJobs } from './background.ts'
import { makeClosing } from './closing.ts'
import { makeDashboardPages, makeDashboardSide, tallyJobs, timedBy } from './dashboard-side.ts'
import type { Closing } from './closing.ts'
import type { Config } from './config.ts'
import type { CoreDumps } from './core-dumps.ts'
import { CannotGoOn } from './exits.ts'
import type { Exit } from './exits.ts'
import { boundsOf, cardFiguresOf, idempotencyFiguresOf, proxiesOf, receiptFiguresOf, verificationFiguresOf } from './figures.ts'
import { makeFormPages } from './form-pages.ts'
import { claimFolder, placesIn, readEnvironment } from './folder.ts'
import { makeLimits } from './limiting.ts'
import { makeMerchants } from './merchants/merchants.ts'
import { makeServedForms } from './form-sessions/served.ts'
import { makeFormSessions } from './form-sessions/form-sessions.ts'
import { makeIdempotency } from './idempotency/idempotency.ts'
import { makeGrid } from './methods/index.ts'
import { buildAdmin } from './observe/admin.ts'
import { makeEndpointJournal } from './observe/endpoint-journal.ts'
import { makeJournal } from './observe/journal.ts'
import type { Log } from './observe/log.ts'
import { makeLimitJournal } from './observe/limit-journal.ts'
import { makeMetrics } from './observe/metrics.ts'
import { figuresOf } from './observe/service-figures.ts'
import type { Metrics } from './observe/metrics.ts'
import { productionFaults, sandboxLeftIn } from './production.ts'
import { makeReceipts } from './receipts/receipts.ts'
import { makeSettle } from './receipts/settle.ts'
import { makeAnswer, type RoadParts } from './rpc/answer.ts'
import { buildHttp } from './rpc/http.ts'
import type { Http } from './rpc/http.ts'
import { makeRequestIds } from './rpc/request-id.ts'
import type { Life, RunningFacts } from './running.ts'
import { tellReadiness } from './running.ts'
import { lockFolder } from './store/sqlite/lock.ts'
import { SQLITE_FILE } from './store/sqlite/sqlite.ts'
import { storeError } from './store-errors.ts'
import { StoreUnavailable } from './store/store.ts'
import type { Store } from './store/store.ts'
import { makeVerification } from './verification/verification.ts'
import { makeEndpoints } from './webhooks/endpoints.ts'
import { webhookFigures } from './webhooks/figures.ts'
import { makeGuard } from './outbound/guard.ts'
import { makePost } from './webhooks/post.ts'
import { makeMerchantApi } from './endpoint/merchant-api.ts'
import { makeTellingEndpoint } from './endpoint/told.ts'
import { makeEndpointDeeds, openEndpointBook } from './merchants/endpoint.ts'
import { resolveBySystem } from './outbound/resolve.ts'
import { makeWebhooks } from './webhooks/webhooks.ts'

// The composition root: settings become parts, parts a service that listens and, told to stop, drains. The adapters are named in adapters.ts.

export interface StartParts {
  readonly config: Config
  readonly log: Log
  readonly clock: Clock
  readonly coreDumps: CoreDumps
  /** Aborted when the service is to stop; a start that is under way then gives up. */
  readonly stopping: AbortSignal
  /** Ends the whole program at once. */
  readonly endNow: (exit: Exit, event: string, err: unknown) => never
}

export interface RunningService {
  readonly facts: RunningFacts
  /** Answers what is in flight, closes everything, and tells how many calls had to be cut off. */
  stop(): Promise<number>
}

/** Opens everything and listens. Throws `CannotGoOn`, which says what to do; what was opened by then is closed. */
export async function startService(parts: StartParts): Promise<RunningService> {
  const closing = makeClosing((err) => parts.log.error('close_failed', { err }))
  try {
    return await compose(parts, closing)
  } catch (err) {
    await closing.closeAll()
    throw explainStart(err, parts.config, parts.stopping)
  }
}

async function compose(parts: StartParts, closing: Closing): Promise<RunningService> {
  const { config, log, clock } = parts
  const adapters = await admit(config)
  claimFolder(config.dataFolder, config.environment)
  closing.add(lockFolder(config.dataFolder).release)

  // Health is told from here on, readiness when all stands.
  const life: Life = { state: 'starting', facts: null, store: null, inFlight: () => 0 }
  const metrics = makeMetrics(figuresOf(life, log))
  closing.add(metrics.close)
  const admin = buildAdmin({ readiness: () => tellReadiness(life), metrics: metrics.render })
  closing.add(() => admin.close())
  const adminUrl = await listen(admin, '127.0.0.1', config.adminPort)

  const kept = await openKept(parts, adapters, closing)
  const cutOff = new AbortController()
  const nouns = await makeNouns(parts, adapters, kept, metrics)
  const { grid, merchants, sessions, disclosures, sweep, reseal, settle, network, idempotency, limits, merchantEndpoints, side } = nouns
  const http = makeDoor(parts, {
    adapters,
    grid,
    merchants,
    network,
    idempotency,
    limits,
    metrics,
    side,
    served: nouns.served,
    signal: cutOff.signal,
  })
  const failed = (err: unknown): void => log.error('background_failed', { err })
  const { webhooks, endpoints } = makeDeliveries(parts, adapters, kept)
  const done = (event: string, count: number): void => log.info(event, { count })
  const jobs = [
    { event: 'cards_shredded', everyMs: everyMs.sweep, run: sweep.runOnce },
    { event: 'cards_resealed', everyMs: everyMs.reseal, run: reseal.runOnce },
    { event: 'receipts_settled', everyMs: everyMs.settle, run: settle.begin },
    { event: 'events_delivered', everyMs: everyMs.deliver, run: webhooks.runOnce },
    { event: 'events_dropped', everyMs: everyMs.sweep, run: webhooks.dropPast },
    { event: 'idempotency_dropped', everyMs: everyMs.sweep, run: idempotency.dropPast },
    { event: 'form_sessions_dropped', everyMs: everyMs.sweep, run: sessions.dropPast },
    { event: 'disclosures_kept', everyMs: everyMs.disclose, run: () => disclosures.keep().then(() => 0) },
    { event: 'dashboard_sessions_dropped', everyMs: everyMs.sweep, run: side.dashboard.sessions.dropPast },
    ...tallyJobs(side.tallies),
  ]
  for (const end of [settle.stop, webhooks.stop, ...startJobs(jobs, { clock, done, failed })]) closing.add(end)

  closing.add(() => http.app.close())
  const url = await listen(http.app, config.host, config.port)
  const facts = tellFacts(parts, adapters, { url, adminUrl, store: kept.store, kek: kept.kek.kind })
  Object.assign(life, { facts, store: kept.store, inFlight: http.inFlight })
  const { keyring, store, kek } = kept
  const { users } = side.dashboard
  const answers = answersOf({
    ...{ life, store, clock, keyring, kekId: kek.id, environment: config.environment, reseal, sandbox: adapters.sandbox },
    ...{ endpoints, disclosures, merchants: merchants.deeds, merchantEndpoints, users },
  })
  closing.add((await listenControl(config.dataFolder, makeAnswerQuestion(answers), failed)).close)
  life.state = 'ready'
  const { version, environment, durability, pid, coreDumps } = facts
  log.info('ready', { version, environment, url, store: facts.store, durability, pid, coreDumps })
  return { facts, stop: () => stop(parts, { life, http, cutOff, closing }) }
}

// Whether it may start at all.

/** The adapters of the environment, when nothing keeps it from starting. Throws `CannotGoOn` with everything that does. */
async function admit(config: Config): Promise<Adapters> {
  const offered = adaptersOf[config.environment]
  const { openKek, network, sms, codes } = offered
  const isTest = config.environment === 'test'
  const faults = isTest ? [] : [...productionFaults(config, { openKek, network, sms }), ...(await lookIntoStore(config))]
  if (faults.length > 0 || openKek === null || network === null || sms === null || codes === null) {
    throw new CannotGoOn('settings', ['a production start is refused:', ...faults].join('\n'))
  }
  return { ...offered, openKek, network, sms, codes }
}

/** What a test environment left in the database that a production start was given. */
async function lookIntoStore(config: Config): Promise<string[]> {
  const folder = config.dataFolder
  if (config.databaseUrl === null && (!existsSync(join(folder, SQLITE_FILE)) || readEnvironment(folder) === 'test')) return []
  const closing = makeClosing(() => undefined)
  try {
    if (config.databaseUrl === null) closing.add(lockFolder(folder).release)
    const store = await openStore(config, { tell: () => undefined, lost: () => undefined })
    closing.add(() => store.close(CLOSE_MS))
    return await sandboxLeftIn(store, sandbox.merchantId, sandbox.demo.dashboardPhone)
  } catch (err) {
    return [`unknown: the database could not be looked into (${err instanceof Error ? err.message : String(err)}).`]
  } finally {
    await closing.closeAll()
  }
}

// What is kept, and under which keys.

interface Kept {
  readonly store: Store
  readonly keyring: Keyring
  readonly kek: Kek
}

async function openKept(parts: StartParts, adapters: Adapters, closing: Closing): Promise<Kept> {
  const { config, clock, log, endNow } = parts
  const events = { tell: log.info, lost: (cause: Error) => endNow('ioError', 'store_lost', cause) }
  const kek = await adapters.openKek(placesIn(config.dataFolder).kek)
  const keys = await untilReachable(parts, () => openKeys(config))
  closing.add(() => keys.close())
  const keyring = await openKeyring({ kek, keys, environment: config.environment, now: clock.now })
  const store = await untilReachable(parts, () => openStore(config, events))
  closing.add(() => store.close(CLOSE_MS))
  return { store, keyring, kek }
}

/** A database is often started together with us: asks again each second, as long as the settings allow. */
async function untilReachable<T>({ config, log, clock, stopping }: StartParts, open: () => Promise<T>): Promise<T> {
  const giveUpAt = clock.moment().monotonicMs + config.databaseWaitSeconds * 1000
  for (let attempt = 1; ; attempt++) {
    try {
      return await open()
    } catch (err) {
      if (!(err instanceof StoreUnavailable) || stopping.aborted || clock.moment().monotonicMs >= giveUpAt) throw err
      log.warn('database_unreachable', { attempt, err })
      await clock.sleep(1000, stopping)
    }
  }
}

// The nouns, their methods, and the door.

async function makeNouns({ config, clock, log }: StartParts, adapters: Adapters, { store, keyring }: Kept, metrics: Metrics) {
  const { environment } = config
  const alarm = log.error
  const network = adapters.network({ store, clock })
  const sms = adapters.sms({ store, clock })
  const cards = makeCards({ store, keyring, network, clock, environment, alarm, figures: cardFiguresOf(config) })
  const figures = verificationFiguresOf(config, adapters.limits)
  const tell = makeLimitJournal(log, metrics, clock.now)
  const limits = makeLimits(config, { isOnByDefault: adapters.limits, keyring, now: () => performance.now(), tell })
  const smsGuard = limits.sms
  const verification = makeVerification({ store, keyring, network, sms, smsGuard, codes: adapters.codes, cards, clock, figures })
  const merchants = makeMerchants({ store, keyring, clock, environment, alarm })
  const guard = makeGuard({ resolve: resolveBySystem, loopback: adapters.webhooksToLoopback })
  const endpoint = makeTellingEndpoint({
    endpoint: makeMerchantApi({ ...openEndpointBook({ merchants, keyring, environment }), guard, clock }),
    tell: makeEndpointJournal(log, metrics),
    now: () => performance.now(),
  })
  const receiptParts = {
    store,
    keyring,
    network,
    sms,
    smsGuard,
    endpoint,
    cards,
    merchants,
    clock,
    environment,
    alarm,
    figures: receiptFiguresOf(config, adapters.limits),
  }
  const settle = makeSettle({ ...receiptParts, failed: (err) => log.error('background_failed', { err }) })
  const receipts = makeReceipts(receiptParts, settle)
  if (adapters.sandbox !== null) await merchants.ensureMerchant(adapters.sandbox.merchant)
  const sessions = makeFormSessions({ store, clock, merchants, isAnyOriginWelcome: adapters.isAnyOriginWelcome })
  const disclosures = await openDisclosures(config, adapters, { store, clock })
  const served = makeServedForms({ keyring, clock, environment })
  const side = await makeDashboardSide({ store, keyring, clock, environment, alarm }, adapters, config)
  return {
    network,
    merchants,
    merchantEndpoints: makeEndpointDeeds({ deeds: merchants.deeds, endpoint, readUrl: guard.readUrl, keyring, environment }),
    limits,
    sessions,
    disclosures,
    served,
    side,
    grid: makeGrid({
      cards,
      verification,
      receipts,
      sessions,
      disclosures,
      served,
      merchants,
      ...side,
      limits: limits.fine,
      failures: limits.failures,
      version: tesseraVersion,
    }),
    settle,
    idempotency: makeIdempotency({ store, keyring, clock, environment, figures: idempotencyFiguresOf(config) }),
    sweep: makeSweep({ store, keyring, clock, environment, alarm }),
    reseal: makeReseal({ store, keyring, clock, environment, alarm }),
  }
}

/** Events on their way to merchants. */
function makeDeliveries({ config, clock, log }: StartParts, { webhooksToLoopback }: Adapters, { store, keyring }: Kept) {
  const { environment } = config
  const guard = makeGuard({ resolve: resolveBySystem, loopback: webhooksToLoopback })
  const figures = webhookFigures
  const post = makePost({ guard, clock, timeoutMs: figures.timeoutMs })
  const random = (): number => Buffer.from(drawPublic(4)).readUInt32BE() / 2 ** 32
  const failed = (err: unknown): void => log.error('delivery_failed', { err })
  const parts = { store, keyring, environment, clock, guard, figures }
  return { webhooks: makeWebhooks({ ...parts, post, random, failed }), endpoints: makeEndpoints(parts) }
}

interface DoorParts extends Pick<
  Awaited<ReturnType<typeof makeNouns>>,
  'grid' | 'merchants' | 'network' | 'idempotency' | 'limits' | 'side' | 'served'
> {
  readonly adapters: Adapters
  readonly metrics: Metrics
  /** Aborted when the calls that are left are cut off. */
  readonly signal: AbortSignal
}

function makeDoor(
  { config, log, clock, stopping }: StartParts,
  { adapters, grid, merchants, network, idempotency, limits, metrics, side, served, signal }: DoorParts,
): Http {
  const now = (): number => performance.now()
  const road: RoadParts = {
    ...{ grid, limits: limits.coarse, idempotency },
    routes: network.routes,
    journal: timedBy(side.tallies, makeJournal(log, metrics)),
    translate: storeError,
    issueRequestId: makeRequestIds(drawPublic(REQUEST_ID_SEED_BYTES)),
    ...{ now, sleep: clock.sleep, stopping, signal },
  }
  const origins = { isAnyWelcome: adapters.isAnyOriginWelcome, formOrigin: config.formOrigin }
  return buildHttp({
    answer: makeAnswer({ ...road, credentials: merchants, passwords: limits.passwords, origins }),
    bounds: boundsOf(config),
    proxies: proxiesOf(config),
    pages: [...makeFormPages(config, adapters, { merchants, served }), makeDashboardPages(config, side, road)],
    failed: (cause) => log.error('page_failed', { err: cause }),
  })
}

// Listening, telling, stopping.

/** Tells the URL under which this machine reaches it. */
async function listen(app: Http['app'], host: string, port: number): Promise<string> {
  await app.listen({ host, port })
  const at = app.server.address()
  if (at === null || typeof at === 'string') throw new Error('a listener has an address and a port')
  const isEvery = at.address === '0.0.0.0' || at.address === '::'
  return `http://${isEvery ? '127.0.0.1' : at.family === 'IPv6' ? `[${at.address}]` : at.address}:${String(at.port)}`
}

interface Told {
  readonly url: string
  readonly adminUrl: string
  readonly store: Store
  readonly kek: Kek['kind']
}

function tellFacts({ config, clock, coreDumps }: StartParts, adapters: Adapters, { url, adminUrl, store, kek }: Told): RunningFacts {
  return Object.freeze({
    version: tesseraVersion,
    environment: config.environment,
    pid: process.pid,
    startedAt: new Date(clock.now()).toISOString(),
    url,
    adminUrl,
    folder: config.dataFolder,
    store: config.databaseUrl === null ? 'sqlite' : 'postgres',
    durability: store.durability,
    kek,
    coreDumps,
    demo: adapters.sandbox?.demo ?? null,
  })
}

interface Stopped {
  readonly life: Life
  readonly http: Http
  readonly cutOff: AbortController
  readonly closing: Closing
}

async function stop({ config, log, stopping }: StartParts, { life, http, cutOff, closing }: Stopped): Promise<number> {
  life.state = 'draining'
  log.info('draining', { signal: stopping.reason, count: http.inFlight(), seconds: config.drainSeconds })
  const deadline = config.drainSeconds * 1000
  await http.drain(deadline)
  const left = http.inFlight()
  cutOff.abort(new Error('the service stops'))
  await closing.closeAll()
  log.info('stopped', { left })
  return left
}

/** What a store may take to end what is under way. */
const CLOSE_MS = 5000
const REQUEST_ID_SEED_BYTES = 6
