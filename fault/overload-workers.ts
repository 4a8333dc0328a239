import { setTimeout as pause } from 'node:timers/promises'

import { runCardCrowd, type CardCrowdResult } from './card-crowd.ts'
import { runCrowd } from './client-crowd.ts'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { findAllLost, longLifetimes, stopAndVerify } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { findRefusalFaults, latePercent, readRefusals, type MeasuredRefusals } from './overload-refusals.ts'
import { plantedFaults } from './planted-faults.ts'
import type { ServiceData } from './service-data.ts'
import { createMerchant } from './shops.ts'
import { startService, type RunningService } from './spawn.ts'
import { largest, percentile } from './statistics.ts'

/** One merchant sends five times as many writes as the store can take, to a service of several workers. */
export const overloadWorkers: Experiment = {
  name: 'overload-workers',
  question:
    'With several workers, does one merchant’s flood at five times the capacity of the store leave 80 % of it done in time, the calls of another within twice their p99, /readyz quick and a stop within its time?',
  stores: ['sqlite', 'postgres'],
  cycles: 1,
  needs: [],
  async run(trial) {
    const found = await floodOnce(trial, { times: longTimes })
    const control = await floodOnce(trial, { times: controlTimes, flags: withoutShedding })
    const controlComplaints = complaintsOfRates(control)
    return {
      ...judge(found),
      control: {
        what: 'calls are never refused for the time that they would wait',
        isFound: controlComplaints.length > 0,
        details: controlComplaints.join('; '),
      },
    }
  },
}

export interface FloodRun {
  readonly workers: number
  readonly acknowledged: number
  readonly lost: readonly string[]
  readonly complaints: readonly string[]
  readonly before: Phase
  readonly during: Phase
  readonly after: Phase
  readonly refusals: MeasuredRefusals
  /** From SIGTERM, while the flood went on, to the end of the process. */
  readonly stopMs: number
}

/** What two merchants got at the same time. */
export interface Phase {
  readonly flooding: CardCrowdResult
  /** Cards that the other merchant created. */
  readonly creates: CardCrowdResult
  /** `cards.check` of the other merchant. */
  readonly checks: CheckCounts
  /** The longest that /readyz took, and whether a reply was another than 200. */
  readonly readiness: { readonly longestMs: number; readonly failed: number }
}

interface CheckCounts {
  readonly sent: number
  readonly failed: number
  readonly p99Ms: number
}

interface Merchants {
  readonly flooding: Merchant
  readonly other: Merchant
  /** A card of the other one. */
  readonly token: string
}

interface Merchant {
  readonly xAuth: string
  readonly ledger: Ledger
}

export interface FloodOptions {
  readonly times: FloodTimes
  /** More flags of the service. */
  readonly flags?: readonly string[]
}

/** How long each phase takes, milliseconds. */
export interface FloodTimes {
  readonly warming: number
  readonly before: number
  /** From the beginning of the flood, until the other merchant is judged. */
  readonly rising: number
  readonly during: number
  readonly after: number
  /** From the beginning of the second flood, until SIGTERM. */
  readonly untilStop: number
}

/** The service before, during and after a flood, stopped while another one goes on, and what it stored. */
export async function floodOnce(
  trial: Pick<Trial, 'store' | 'dataFactory' | 'say' | 'workers'>,
  { times, flags = [] }: FloodOptions,
): Promise<FloodRun> {
  const { store, dataFactory, say, workers = defaultWorkers } = trial
  const serviceData = await dataFactory.create(store)
  try {
    const running = await startService({
      flags: [
        ...serviceData.flags,
        ...longLifetimes,
        `--workers=${workers}`,
        `--drain-seconds=${drainSeconds}`,
        '--log-level=warn',
        ...flags,
      ],
      imports: [plantedFaults.slowWrites],
    })
    const merchants = await openMerchants(running, serviceData)
    const run = async (name: string, clients: number, ms: number): Promise<Phase> => {
      const phase = await runPhase(running, merchants, { name, clients, ms })
      for (const row of describePhase(phase)) say(row.join(' · '))
      return phase
    }
    await run('warming', normalClients, times.warming)
    const before = await run('before', normalClients, times.before)
    const during = await runFlood(running, merchants, times)
    for (const row of describePhase(during)) say(row.join(' · '))
    const refusals = await readRefusals(running)
    const after = await run('after', normalClients, times.after)
    const stopped = await stopDuringFlood(running, merchants, times)
    const reopened = await findLostOf(merchants, serviceData)
    const { flooding, other } = merchants
    return {
      workers,
      acknowledged: flooding.ledger.countAcknowledged() + other.ledger.countAcknowledged(),
      lost: reopened.lost,
      complaints: [...stopped.complaints, ...reopened.complaints],
      before,
      during,
      after,
      refusals,
      stopMs: stopped.ms,
    }
  } finally {
    await serviceData.remove()
  }
}

async function openMerchants(running: RunningService, serviceData: ServiceData): Promise<Merchants> {
  const { merchantId, password } = await createMerchant(serviceData, 'Other')
  const other = { xAuth: `${merchantId}:${password}`, ledger: makeLedger() }
  await runCardCrowd(
    { url: running.url, xAuth: other.xAuth, name: 'first card', clients: 1, ms: 1500, network: otherNetwork },
    other.ledger,
  )
  const [card] = other.ledger.cards
  if (card === undefined) throw new Error('the other merchant got no card')
  return { flooding: { xAuth: running.xAuth, ledger: makeLedger() }, other, token: card.token }
}

interface PhaseOrder {
  readonly name: string
  /** Of the merchant that floods. */
  readonly clients: number
  readonly ms: number
}

/** What the other merchant gets is judged from two seconds on: until the speed of the store is known, and what came until then is done, everybody waits. */
async function runFlood(running: RunningService, merchants: Merchants, { rising, during }: FloodTimes): Promise<Phase> {
  const { url } = running
  const { xAuth, ledger } = merchants.flooding
  const [flooding, rest] = await Promise.all([
    runCardCrowd({ url, xAuth, name: 'during, creates', clients: floodClients, ms: rising + during }, ledger),
    pause(rising).then(() => runPhase(running, merchants, { name: 'during', clients: 0, ms: during })),
  ])
  return { ...rest, flooding }
}

async function runPhase(running: RunningService, { flooding, other, token }: Merchants, { name, clients, ms }: PhaseOrder): Promise<Phase> {
  const { url, adminUrl } = running
  const ended = new AbortController()
  const readiness = watchReadiness(adminUrl, ended.signal)
  const crowds = Promise.all([
    runCardCrowd({ url, xAuth: flooding.xAuth, name: `${name}, creates`, clients, ms }, flooding.ledger),
    runCardCrowd(
      { url, xAuth: other.xAuth, name: `${name}, creates of another`, clients: otherClients, ms, network: otherNetwork, isIrregular: true },
      other.ledger,
    ),
    checkCards(running, { xAuth: other.xAuth, token, ms }),
  ])
  const [crowd, creates, checks] = await crowds.finally(() => ended.abort())
  return { flooding: crowd, creates, checks, readiness: await readiness }
}

async function checkCards(
  { url }: RunningService,
  { xAuth, token, ms }: { xAuth: string; token: string; ms: number },
): Promise<CheckCounts> {
  const durations: number[] = []
  const { host } = new URL(url)
  const body = `{"id":1,"method":"cards.check","params":{"token":"${token}"}}`
  const request = `POST /api/cards.check HTTP/1.1\r\nhost: ${host}\r\nx-auth: ${xAuth}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const { sent } = await runCrowd({
    url,
    clients: checkingClients,
    ms,
    network: otherNetwork,
    next: () => request,
    onReply(reply, tookMs) {
      if (reply.includes('"result":')) durations.push(tookMs)
    },
  })
  return { sent, failed: sent - durations.length, p99Ms: percentile(durations, 0.99) }
}

async function watchReadiness(adminUrl: string, until: AbortSignal): Promise<Phase['readiness']> {
  const times: number[] = []
  let failed = 0
  while (!until.aborted) {
    const sentAt = performance.now()
    const { status } = await fetch(`${adminUrl}/readyz`)
    times.push(performance.now() - sentAt)
    if (status !== 200) failed++
    await pause(100)
  }
  return { longestMs: largest(times), failed }
}

async function stopDuringFlood(
  running: RunningService,
  { flooding }: Merchants,
  { untilStop }: FloodTimes,
): Promise<{ ms: number; complaints: string[] }> {
  const flood = runCardCrowd({ ...running, xAuth: flooding.xAuth, name: 'stop', clients: floodClients, ms: untilStop * 2 }, flooding.ledger)
  await pause(untilStop)
  const stoppedAt = performance.now()
  const code = await running.stop()
  const ms = performance.now() - stoppedAt
  await flood
  const bound = drainSeconds * 1000 + closingMs
  return {
    ms,
    complaints: [
      ...(code === 0 ? [] : [`SIGTERM during the flood ended the service with ${String(code)}`]),
      ...(ms <= bound ? [] : [`the stop during the flood took ${ms.toFixed(0)} ms of ${bound}`]),
    ],
  }
}

async function findLostOf({ flooding, other }: Merchants, serviceData: ServiceData): Promise<{ lost: string[]; complaints: string[] }> {
  const running = await startService({ flags: [...serviceData.flags, ...longLifetimes] })
  const lost: string[] = []
  for (const { xAuth, ledger } of [flooding, other]) lost.push(...(await findAllLost({ ...running, xAuth }, ledger)))
  return { lost, complaints: await stopAndVerify(running, serviceData) }
}

function judge(run: FloodRun): Omit<ExperimentResult, 'control'> {
  const { before, during, after, refusals, lost, stopMs } = run
  const complaints = [...run.complaints, ...lost, ...findRefusalFaults(refusals), ...complaintsOfRates(run)]
  for (const { flooding, readiness } of [before, during, after]) {
    if (readiness.failed > 0) complaints.push(`/readyz was not 200 ${readiness.failed} times (${flooding.name})`)
    if (readiness.longestMs > maxReadinessMs) complaints.push(`/readyz took ${readiness.longestMs.toFixed(0)} ms (${flooding.name})`)
  }
  return {
    acknowledged: run.acknowledged,
    lost: lost.length,
    cycles: 1,
    complaints,
    table: [['', 'clients', 'in time/s', 'p99', 'refused', 'without reply'], ...[before, during, after].flatMap(describePhase)],
    notes: [
      `${run.workers} workers: ${percent(goodputOf(during))} of the capacity in time`,
      `another merchant’s p99 during the flood, of that before: cards.create ${ratioOf(run, 'creates').toFixed(2)}, cards.check ${ratioOf(run, 'checks').toFixed(2)}`,
      `/readyz ${during.readiness.longestMs.toFixed(0)} ms at most, stopped by SIGTERM during a flood in ${stopMs.toFixed(0)} ms`,
    ],
    metrics: {
      workers: run.workers,
      goodput_percent: goodputOf(during) * 100,
      other_create_p99_ratio: ratioOf(run, 'creates'),
      other_check_p99_ratio: ratioOf(run, 'checks'),
      refused_later_than_50_ms_percent: latePercent(refusals),
      readyz_longest_ms: during.readiness.longestMs,
      stop_ms: stopMs,
    },
  }
}

/** What is wrong with how much was done in time, and with what the other merchant got. */
function complaintsOfRates(run: FloodRun): string[] {
  const { before, during } = run
  const complaints: string[] = []
  if (before.creates.refused > 0) complaints.push(`${before.creates.refused} calls were refused without an overload`)
  if (goodputOf(during) < minGoodput) complaints.push(`at five times the capacity ${percent(goodputOf(during))} of it was done in time`)
  const { creates, checks } = during
  if (creates.refused + creates.withoutReply > maxFailedShare * creates.sent)
    complaints.push(
      `${creates.refused} of ${creates.sent} cards of the other merchant were refused, ${creates.withoutReply} without a reply`,
    )
  if (checks.failed > 0) complaints.push(`${checks.failed} of ${checks.sent} checks of the other merchant failed`)
  for (const kind of ['creates', 'checks'] as const) {
    if (ratioOf(run, kind) > maxRatio && !(during[kind].p99Ms <= unnoticedMs))
      complaints.push(
        `the other merchant’s p99 (${kind}) was ${during[kind].p99Ms.toFixed(0)} ms instead of ${before[kind].p99Ms.toFixed(0)}, ${ratioOf(run, kind).toFixed(2)} times`,
      )
  }
  return complaints
}

function goodputOf({ flooding, creates }: Phase): number {
  return (flooding.goodPerSecond + creates.goodPerSecond) / capacity
}

/** NaN when none came: those are counted as refused or failed. */
function ratioOf({ before, during }: FloodRun, kind: 'creates' | 'checks'): number {
  return during[kind].p99Ms / before[kind].p99Ms
}

function describePhase({ flooding, creates, checks }: Phase): string[][] {
  const rows = [flooding, creates].map(({ name, clients, goodPerSecond, p99Ms, refused, withoutReply }) => {
    return [name, String(clients), goodPerSecond.toFixed(0), `${p99Ms.toFixed(0)} ms`, String(refused), String(withoutReply)]
  })
  return [...rows, ['checks of another', String(checkingClients), '', `${checks.p99Ms.toFixed(0)} ms`, String(checks.failed), '']]
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

const defaultWorkers = 2
/** Writes a second of the double of the store: the peak. */
export const capacity = 50
/** Cards a second that the other merchant wants all the time. */
const otherClients = 10
const checkingClients = 40
/** With the other merchant four fifths of the capacity: background jobs write too, four a second on SQLite and eight on PostgreSQL. */
const normalClients = capacity * 0.8 - otherClients
const floodClients = capacity * 5
/** Another address than that of the flood, as of another merchant's server. */
const otherNetwork = '127.0.9'
const minGoodput = 0.8
const maxRatio = 2
/** Shorter ones cannot be distinguished from the pauses of a busy machine. */
const unnoticedMs = 50
/** Some 250 cards of the other merchant before the flood and during it: their p99 is the third slowest of them. */
const longTimes: FloodTimes = { warming: 1500, before: 25_000, rising: 2000, during: 25_000, after: 2000, untilStop: 2000 }
/** The control is far from the bounds. */
const controlTimes: FloodTimes = { ...longTimes, before: 8000, during: 8000 }
const maxFailedShare = 0.05
/** A worker that does not respond within a second makes the service not ready. */
const maxReadinessMs = 1000
const drainSeconds = 5
/** To close the store, beyond the time of the drain. */
const closingMs = 5000
const withoutShedding = ['--commit-wait-ms=600000']
