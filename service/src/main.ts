import type { Kek } from '@tessera/vault/kek'
import { drawPublic } from '@tessera/vault/random'

import type { Adapters } from './start/adapters.ts'
import { admit } from './start/admission.ts'
import { everyMs, startJobs } from './start/background.ts'
import { answersOf } from './cli/answers-of.ts'
import { makeAnswerQuestion } from './cli/answers.ts'
import { listenControl } from './cli/control-server.ts'
import { explainStart } from './cli/explain-start.ts'
import { tesseraVersion } from './cli/version.ts'
import { makeClosing } from './start/closing.ts'
import type { Closing } from './start/closing.ts'
import { findingJobs, watchedBy } from './start/compliance.ts'
import { makeDashboardPages, recordJobs, tallyJobs, timedBy } from './start/dashboard.ts'
import { boundsOf, proxiesOf } from './start/figures.ts'
import { claimFolder } from './start/folder.ts'
import { makeFormPages, readBuiltForm } from './start/form-pages.ts'
import { openKept } from './start/kept.ts'
import { makeDeliveries, makeNouns } from './start/nouns.ts'
import type { FormAssets } from './form/assets.ts'
import { buildAdmin } from './observe/admin.ts'
import { makeJournal } from './observe/journal.ts'
import { makeMetrics } from './observe/metrics.ts'
import type { Metrics } from './observe/metrics.ts'
import { figuresOf } from './observe/service-figures.ts'
import { makeAnswer, type RoadParts } from './rpc/answer.ts'
import { buildHttp } from './rpc/http.ts'
import type { Http } from './rpc/http.ts'
import { makeRequestIds } from './rpc/request-id.ts'
import { tellReadiness } from './start/running.ts'
import type { Life, RunningFacts } from './start/running.ts'
import type { StartParts } from './start/parts.ts'
import { storeError } from './start/store-errors.ts'
import { lockFolder } from './store/sqlite/lock.ts'
import type { Store } from './store/store.ts'

// The composition root: settings become parts, parts a service that listens and, told to stop, drains. The adapters are named in adapters.ts.

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
  const life: Life = { state: 'starting', facts: null, store: null, inFlight: () => 0, unrecorded: () => 0 }
  const metrics = makeMetrics(figuresOf(life, log))
  closing.add(metrics.close)
  const admin = buildAdmin({ readiness: () => tellReadiness(life), metrics: metrics.render })
  closing.add(() => admin.close())
  const adminUrl = await listen(admin, '127.0.0.1', config.adminPort)

  const kept = await openKept(parts, adapters, closing)
  const cutOff = new AbortController()
  const assets = readBuiltForm()
  const nouns = await makeNouns(parts, adapters, kept, { metrics, assets, ownUrl: () => life.facts?.url ?? '' })
  const { grid, merchants, forms, sweep, reseal, settle, network, idempotency, limits, merchantEndpoints, side, endpoints, recorder } =
    nouns
  const http = makeDoor(parts, {
    adapters,
    grid,
    merchants,
    network,
    idempotency,
    limits,
    metrics,
    ...{ side, recorder },
    ...{ forms, assets },
    compliance: nouns.compliance,
    signal: cutOff.signal,
  })
  const failed = (err: unknown): void => log.error('background_failed', { err })
  const webhooks = makeDeliveries({ ...parts, clock: nouns.clock }, adapters, kept)
  const done = (event: string, count: number): void => log.info(event, { count })
  const jobs = [
    { event: 'cards_shredded', everyMs: everyMs.sweep, run: sweep.runOnce },
    { event: 'cards_resealed', everyMs: everyMs.reseal, run: reseal.runOnce },
    { event: 'receipts_settled', everyMs: everyMs.settle, run: settle.begin },
    { event: 'events_delivered', everyMs: everyMs.deliver, run: webhooks.runOnce },
    { event: 'events_dropped', everyMs: everyMs.sweep, run: webhooks.dropPast },
    { event: 'idempotency_dropped', everyMs: everyMs.sweep, run: idempotency.dropPast },
    { event: 'form_sessions_dropped', everyMs: everyMs.sweep, run: forms.sessions.dropPast },
    { event: 'form_cards_dropped', everyMs: everyMs.sweep, run: forms.hosted.dropPast },
    { event: 'disclosures_kept', everyMs: everyMs.disclose, run: () => forms.disclosures.keep().then(() => 0) },
    { event: 'dashboard_sessions_dropped', everyMs: everyMs.sweep, run: side.dashboard.sessions.dropPast },
    ...tallyJobs(side.tallies),
    ...findingJobs(nouns.compliance.findings),
    ...recordJobs(recorder),
  ]
  // What was seen last is written before the store closes; what stands in the audit is counted after the next start.
  const { findings } = nouns.compliance
  const lastRounds = () => [recorder.runOnce(new AbortController().signal), findings.runOnce(), side.tallies.runOnce(AbortSignal.abort())]
  closing.add(() => Promise.all(lastRounds()))
  for (const end of [settle.stop, webhooks.stop, ...startJobs(jobs, { clock, done, failed })]) closing.add(end)

  closing.add(() => http.app.close())
  const url = await listen(http.app, config.host, config.port)
  const facts = tellFacts(parts, adapters, { url, adminUrl, store: kept.store, kek: kept.kek.kind })
  Object.assign(life, { facts, store: kept.store, inFlight: http.inFlight, unrecorded: recorder.lost })
  const { keyring, store, kek } = kept
  const { users } = side.dashboard
  const answers = answersOf({
    ...{ life, store, clock, keyring, kekId: kek.id, environment: config.environment, reseal, sandbox: adapters.sandbox },
    ...{
      endpoints,
      disclosures: forms.disclosures,
      merchants: merchants.deeds,
      merchantEndpoints,
      users,
      controls: side.controls,
      reset: side.reset,
    },
  })
  closing.add((await listenControl(config.dataFolder, makeAnswerQuestion(answers), failed)).close)
  life.state = 'ready'
  const { version, environment, durability, pid, coreDumps } = facts
  log.info('ready', { version, environment, url, store: facts.store, durability, pid, coreDumps })
  return { facts, stop: () => stop(parts, { life, http, cutOff, closing }) }
}

// The door.

interface DoorParts extends Pick<
  Awaited<ReturnType<typeof makeNouns>>,
  'grid' | 'merchants' | 'network' | 'idempotency' | 'limits' | 'side' | 'forms' | 'compliance' | 'recorder'
> {
  readonly adapters: Adapters
  readonly assets: FormAssets
  readonly metrics: Metrics
  /** Aborted when the calls that are left are cut off. */
  readonly signal: AbortSignal
}

function makeDoor(
  { config, log, clock, stopping }: StartParts,
  { adapters, assets, grid, merchants, network, idempotency, limits, metrics, side, forms, compliance, recorder, signal }: DoorParts,
): Http {
  const now = (): number => performance.now()
  const road: RoadParts = {
    ...{ grid, limits: limits.coarse, idempotency },
    routes: network.routes,
    journal: watchedBy(compliance.findings, timedBy(side.tallies, makeJournal(log, metrics))),
    translate: storeError,
    issueRequestId: makeRequestIds(drawPublic),
    ...{ now, sleep: clock.sleep, stopping, signal },
  }
  const origins = { isAnyWelcome: adapters.isAnyOriginWelcome, formOrigin: config.formOrigin }
  return buildHttp({
    answer: makeAnswer({ ...road, note: recorder.note, credentials: merchants, passwords: limits.passwords, origins }),
    bounds: boundsOf(config),
    proxies: proxiesOf(config),
    pages: [...makeFormPages(config, adapters, { assets, merchants, served: forms.served }), makeDashboardPages(config, side, road)],
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
