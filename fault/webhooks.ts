import { setTimeout as pause } from 'node:timers/promises'
import { openApiClient, type ApiClient, type ApiClientOptions, type CallOutcome } from './api-client.ts'
import { shareDatabase, shareKeyEncryptionKey } from './drain.ts'
import { startOutageReceiver, type EventArrival, type OutageReceiver } from './outage-receiver.ts'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { testOtp } from './load.ts'
import { startOpenLoad } from './open-load.ts'
import { plantedFaults } from './planted-faults.ts'
import { makeRandom } from './random.ts'
import type { ServiceData } from './service-data.ts'
import { startService, type RunningService } from './spawn.ts'
import { largest, percentile } from './statistics.ts'
import {
  addEndpoint,
  addHangingMerchants,
  cardIdOfToken,
  connections,
  countNotArrived,
  createLoadCard,
  createCards,
  expectResult,
  removeAtOnce,
  waitForEvents,
} from './webhook-load.ts'

interface WebhookScale {
  /** How long events are measured before and while the endpoints of others hang. */
  readonly beforeMs: number
  readonly hangMs: number
  /** Events that wait for the receiver that is away. */
  readonly awayEvents: number
  readonly awayMs: number
}

const fullScale: WebhookScale = { beforeMs: 5000, hangMs: 25_000, awayEvents: 2000, awayMs: 13_000 }
const controlScale: WebhookScale = { beforeMs: 1000, hangMs: 10_000, awayEvents: 100, awayMs: 8000 }

export const webhooks: Experiment = {
  name: 'webhooks',
  question: 'Are events delivered in time while the endpoints of others hang, after an outage of the receiver, and by two processes?',
  stores: ['sqlite', 'postgres'],
  cycles: 1,
  needs: [],
  async run(trial) {
    const fair = await hangEndpoints(trial, fullScale)
    trial.say('once more, with one pool for all endpoints')
    const unfair = await hangEndpoints(trial, controlScale, [plantedFaults.onePool])
    const control = {
      what: 'one pool for all endpoints, whether they answer or not',
      isFound: findNeighbourFaults(unfair).length > 0,
      details: `p99 ${Math.round(unfair.p99HangMs)} ms, ${unfair.notDrained} of ${controlScale.awayEvents} waiting events not sent after the outage`,
    }
    const neighbours = neighbourResult(fair)
    if (trial.store === 'sqlite') return { ...neighbours, control }
    const pair = await deliverByTwo(trial, objectsOfTwo)
    trial.say('once more, without the wake-up of the next event')
    const asleep = await deliverByTwo(trial, objectsOfTwo / 4, [plantedFaults.skipWakeUp])
    return {
      ...neighbours,
      acknowledged: neighbours.acknowledged + pair.events,
      lost: neighbours.lost + pair.lost,
      complaints: [
        ...neighbours.complaints,
        ...(pair.late === 0 ? [] : [`${pair.late} of ${pair.events} events of two processes were late`]),
      ],
      metrics: {
        ...neighbours.metrics,
        two_processes_events: pair.events,
        two_processes_late: pair.late,
        two_processes_slowest_ms: pair.slowestMs,
      },
      control: {
        what: `${control.what}; the end of an attempt wakes nothing`,
        isFound: control.isFound && asleep.late > 0,
        details: `${control.details}; ${asleep.late} of ${asleep.events} events late`,
      },
    }
  },
}

interface NeighbourRun {
  /** Events of the healthy endpoint that were acknowledged, and those that never arrived. */
  readonly acknowledged: number
  readonly lost: number
  /** From an event to its arrival at the healthy endpoint. */
  readonly p99BeforeMs: number
  readonly p99HangMs: number
  /** From the return of the receiver until what waited for it had arrived. */
  readonly drainMs: number
  readonly notDrained: number
}

function neighbourResult(run: NeighbourRun): Omit<ExperimentResult, 'control'> {
  return {
    acknowledged: run.acknowledged,
    lost: run.lost,
    cycles: 1,
    complaints: findNeighbourFaults(run),
    metrics: {
      healthy_p99_before_ms: run.p99BeforeMs,
      healthy_p99_while_others_hang_ms: run.p99HangMs,
      outage_events: fullScale.awayEvents,
      drained_after_outage_s: run.drainMs / 1000,
    },
  }
}

function findNeighbourFaults({ p99HangMs, drainMs, notDrained }: NeighbourRun): string[] {
  return [
    ...(p99HangMs <= maxP99Ms ? [] : [`the events of a healthy endpoint took ${Math.round(p99HangMs)} ms (p99) while others hung`]),
    ...(notDrained === 0 ? [] : [`${notDrained} events had not arrived ${maxDrainMs / 1000} s after the receiver was back`]),
    ...(notDrained > 0 || drainMs <= maxDrainMs ? [] : [`the events of an outage took ${Math.round(drainMs)} ms`]),
  ]
}

/** One healthy endpoint, eight that never answer; then the healthy one is away for a while. */
async function hangEndpoints(trial: Trial, scale: WebhookScale, imports: readonly URL[] = []): Promise<NeighbourRun> {
  const serviceData = await trial.dataFactory.create(trial.store)
  const running = await startService({ flags: [...serviceData.flags, ...flags], imports })
  const healthy = await startOutageReceiver({ answerMs: () => 5 })
  const hanging = await Promise.all(Array.from({ length: hangingCount }, () => startOutageReceiver({ answerMs: null })))
  const stopping = new AbortController()
  try {
    await addEndpoint(serviceData, healthy)
    const others = await addHangingMerchants(running, serviceData, hanging)
    const deps = { running, healthy, others, scale, until: stopping.signal, say: (text: string) => trial.say(text) }
    return await measureNeighbours(deps)
  } finally {
    stopping.abort()
    for (const receiver of [healthy, ...hanging]) receiver.close()
    await running.kill()
    await serviceData.remove()
  }
}

interface Neighbours {
  readonly running: RunningService
  readonly healthy: OutageReceiver
  /** Whose endpoints hang. */
  readonly others: readonly ApiClientOptions[]
  readonly scale: WebhookScale
  readonly until: AbortSignal
  say(text: string): void
}

async function measureNeighbours({ running, healthy, others, scale, until, say }: Neighbours): Promise<NeighbourRun> {
  const seconds = (ms: number): number => Math.ceil(ms / 1000) * healthyPerSecond
  const removed: string[] = []
  const before = await sendEvents(running, seconds(scale.beforeMs), removed)
  const beforeIds = new Set(removed.map(cardIdOfToken))
  await waitForEvents(healthy, beforeIds, maxArrivalMs)
  for (const merchant of others) await removeAtOnce(merchant, await createCards(merchant, backlogOfHanging), [])
  const hangTokens = await Promise.all(others.map((merchant) => createCards(merchant, seconds(scale.hangMs) / 2)))
  for (const [at, merchant] of others.entries())
    startRemovals(merchant, { tokens: hangTokens[at] ?? [], perSecond: healthyPerSecond / 2, until })
  say(`${hangingCount} endpoints hang`)
  await sendEvents(running, seconds(scale.hangMs), removed)
  const hangIds = new Set(removed.slice(before).map(cardIdOfToken))
  await waitForEvents(healthy, hangIds, maxArrivalMs)
  const away = await outlastOutage(running, healthy, scale, removed)
  const arrivals = [...healthy.arrivals.values()]
  return {
    acknowledged: removed.length,
    lost: countNotArrived(healthy, new Set(removed.map(cardIdOfToken))) - away.notDrained,
    p99BeforeMs: p99Of(arrivals, beforeIds),
    p99HangMs: countNotArrived(healthy, hangIds) > 0 ? Infinity : p99Of(arrivals, hangIds),
    ...away,
  }
}

/** The receiver refuses connections while events happen, and then answers again. */
async function outlastOutage(running: RunningService, healthy: OutageReceiver, { awayEvents, awayMs }: WebhookScale, removed: string[]) {
  const tokens = await createCards(running, awayEvents)
  await healthy.goAway()
  const awayAt = performance.now()
  await removeAtOnce(running, tokens, removed)
  await pause(Math.max(0, awayMs - (performance.now() - awayAt)))
  await healthy.comeBack()
  const backAt = performance.now()
  const ids = new Set(tokens.map(cardIdOfToken))
  await waitForEvents(healthy, ids, maxDrainMs)
  const times = [...healthy.arrivals.values()].filter(({ cardId }) => ids.has(cardId)).map(({ at }) => at - backAt)
  return { drainMs: largest(times), notDrained: countNotArrived(healthy, ids) }
}

/** Sends so many events of the healthy endpoint, at a fixed rate; adds their tokens, and returns how many there were. */
async function sendEvents(merchant: ApiClientOptions, count: number, removed: string[]): Promise<number> {
  const tokens = await createCards(merchant, count)
  const stopping = new AbortController()
  let next = 0
  const load = startOpenLoad({
    ...merchant,
    perSecond: healthyPerSecond,
    until: stopping.signal,
    async call(client) {
      const token = tokens[next++]
      if (token === undefined) return client.call('cards.check', { token: tokens[0] ?? '' })
      const outcome = await client.remove(token)
      if (outcome.kind === 'result') removed.push(token)
      return outcome
    },
  })
  while (next < count) await pause(20)
  stopping.abort()
  await load.ended
  return removed.length
}

/** Goes on in the background until it is stopped or has no card left. */
function startRemovals(
  merchant: ApiClientOptions,
  { tokens, perSecond, until }: { tokens: string[]; perSecond: number; until: AbortSignal },
): void {
  const stopping = new AbortController()
  until.addEventListener('abort', () => stopping.abort())
  const call = (client: ApiClient): Promise<CallOutcome> => {
    const token = tokens.pop()
    if (token === undefined) stopping.abort()
    return token === undefined ? client.call('cards.check', { token: '' }) : client.remove(token)
  }
  startOpenLoad({ ...merchant, perSecond, until: stopping.signal, call }).ended.catch(() => undefined)
}

interface PairRun {
  readonly events: number
  /** More than a few seconds after they happened, or not at all within a minute. */
  readonly late: number
  readonly lost: number
  readonly slowestMs: number
}

/** Two processes deliver the two events of each card, which follow each other closely. */
async function deliverByTwo(trial: Trial, objects: number, imports: readonly URL[] = []): Promise<PairRun> {
  const first = await trial.dataFactory.create('postgres')
  const second = shareDatabase(first)
  const random = makeRandom(trial.seed)
  const receiver = await startOutageReceiver({ answerMs: () => random.between(20, 200) })
  const start = (data: ServiceData): Promise<RunningService> => startService({ flags: [...data.flags, ...flags], imports })
  const running = [await start(first)]
  try {
    shareKeyEncryptionKey(first, second)
    running.push(await start(second))
    await addEndpoint(first, receiver)
    trial.say(`two processes deliver the events of ${objects} cards`)
    const cards = await verifyAndRemove(running, objects)
    const endsAt = performance.now() + maxPairMs
    while (receiver.arrivals.size < 2 * cards && performance.now() < endsAt) await pause(50)
    const latencies = [...receiver.arrivals.values()].map(({ latencyMs }) => latencyMs)
    return {
      events: 2 * cards,
      late: latencies.filter((ms) => ms > lateMs).length + (2 * cards - latencies.length),
      lost: 2 * cards - latencies.length,
      slowestMs: largest(latencies),
    }
  } finally {
    receiver.close()
    for (const each of running) await each.kill()
    await second.remove()
    await first.remove()
  }
}

/** Returns how many cards were verified and removed: two events each. */
async function verifyAndRemove(running: readonly RunningService[], count: number): Promise<number> {
  let [next, done] = [0, 0]
  const startedAt = performance.now()
  const clients = await Promise.all(running.flatMap((each) => Array.from({ length: connections / 2 }, () => openApiClient(each))))
  await Promise.all(
    clients.map(async (client) => {
      while (next < count) {
        // Slower than the endpoint answers, so that only a delivery that nobody woke is late.
        await pause(Math.max(0, startedAt + (next++ * 1000) / cardsPerSecond - performance.now()))
        const token = await createLoadCard(client)
        const steps = [() => client.requestCode(token), () => client.verify(token, testOtp), () => client.remove(token)]
        for (const step of steps) expectResult(await step())
        done++
      }
      client.close()
    }),
  )
  return done
}

function p99Of(arrivals: readonly EventArrival[], cardIds: ReadonlySet<string>): number {
  return percentile(
    arrivals.filter(({ cardId }) => cardIds.has(cardId)).map(({ latencyMs }) => latencyMs),
    0.99,
  )
}

const flags = ['--log-level=warn']
const hangingCount = 8
/** Events of each merchant whose endpoints hang, before anything is measured: many times what may be in progress. */
const backlogOfHanging = 60
const healthyPerSecond = 20
const objectsOfTwo = 400
const cardsPerSecond = 25
/** The bound of the issue: an event of a healthy endpoint, whatever the others do. */
const maxP99Ms = 1000
/** Longer than the timeout of an attempt. */
const maxArrivalMs = 20_000
/** The longest wait between two probes, and 100 events a second. */
const maxDrainMs = 30_000
const lateMs = 5000
/** Longer than the lease of a claim. */
const maxPairMs = 60_000
