import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { makeCallTimes, type CallTimes } from './call-times.ts'
import { largest } from './statistics.ts'
import { queryDatabase, createServiceData, type ServiceData } from './service-data.ts'
import { longLifetimes, reopen } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { runLoad, waitForNewCard } from './load.ts'
import { openProxy, type Proxy } from './proxy.ts'
import { makeRandom, type Random } from './random.ts'
import { startService, type RunningService } from './spawn.ts'
import { outcomeMetrics } from './unknown-outcomes.ts'
import type { CallOutcome } from './api-client.ts'

/** The connection to the database goes silent, or breaks right after COMMIT. */
export const blackhole: Experiment = {
  name: 'blackhole',
  question: 'When the database goes silent, or the connection breaks after COMMIT, does every call end within 3 s with a retryable error?',
  stores: ['postgres'],
  cycles: 3,
  needs: [],
  async run(trial) {
    const serviceData = await trial.dataFactory.create(trial.store)
    const proxy = await openProxy(addressOf(serviceData))
    try {
      const found = await breakOften(trial, serviceData, proxy)
      return { ...found, control: await hangWithDefaults(serviceData, proxy) }
    } finally {
      await proxy.close()
      await serviceData.remove()
    }
  },
}

async function breakOften(
  { cycles, seed, say }: Trial,
  serviceData: ServiceData,
  proxy: Proxy,
): Promise<Omit<ExperimentResult, 'control'>> {
  const random = makeRandom(seed)
  const ledger = makeLedger()
  const times = makeCallTimes()
  const seen: Observations = { slowestMs: 0, complaints: [], recoveryMs: [], resets: 0 }
  const running = await startService({
    flags: [...createServiceData(serviceData.folder, throughProxy(serviceData, proxy)).flags, ...longLifetimes],
  })
  try {
    for (let cycle = 0; cycle < cycles; cycle++) {
      await holdOnce(running, proxy, { ledger, random, times, seen })
      await resetOften(running, proxy, { ledger, random, times, seen })
      say(`${cycle + 1} of ${cycles} breaks, slowest call ${Math.round(seen.slowestMs)} ms`)
    }
    await pause(1000)
    const open = await countConnections(serviceData)
    if (open > maxConnections) seen.complaints.push(`${open} connections are open, and ${maxConnections} is the most that it needs`)
  } finally {
    await running.stop()
  }
  const { lost, complaints } = await reopen(serviceData, ledger)
  return {
    acknowledged: ledger.countAcknowledged(),
    lost: lost.length,
    cycles,
    complaints: [...seen.complaints, ...complaints, ...lost],
    metrics: {
      slowest_call_ms: Math.round(seen.slowestMs),
      recovery_ms_most: Math.round(largest(seen.recoveryMs)),
      resets: seen.resets,
      ...times.metrics(),
      ...outcomeMetrics([ledger]),
    },
  }
}

interface Observations {
  slowestMs: number
  resets: number
  readonly recoveryMs: number[]
  readonly complaints: string[]
}

interface LoadContext {
  readonly ledger: Ledger
  readonly random: Random
  readonly times: CallTimes
  readonly seen: Observations
}

/** Under load, nothing gets through for a while. Afterwards the service has to recover by itself. */
async function holdOnce(running: RunningService, proxy: Proxy, hand: LoadContext): Promise<void> {
  const until = new AbortController()
  const load = sendLoad(running, hand, until.signal)
  await pause(calmMs + hand.random.between(100, 400))
  hand.times.faultBegins()
  proxy.hold()
  await pause(holdMs)
  proxy.release()
  hand.times.faultEnds()
  hand.seen.recoveryMs.push(await waitForNewCard(running, hand.ledger, maxRecoveryMs))
  await pause(calmMs)
  until.abort()
  await load
}

/** Under load, the reply to COMMIT is lost several times: the outcome is unknown, and the service must report it as such. */
async function resetOften(running: RunningService, proxy: Proxy, hand: LoadContext): Promise<void> {
  const until = new AbortController()
  const load = sendLoad(running, hand, until.signal)
  hand.times.faultBegins()
  proxy.resetAtCommit(resetsPerCycle)
  for (let waited = 0; proxy.resetsLeft() > 0 && waited < 5000; waited += 50) await pause(50)
  hand.seen.resets += resetsPerCycle - proxy.resetsLeft()
  if (proxy.resetsLeft() > 0) hand.seen.complaints.push(`only ${resetsPerCycle - proxy.resetsLeft()} commits passed the proxy to be reset`)
  proxy.resetAtCommit(0)
  hand.times.faultEnds()
  hand.seen.recoveryMs.push(await waitForNewCard(running, hand.ledger, maxRecoveryMs))
  await pause(calmMs)
  until.abort()
  await load
}

async function sendLoad(running: RunningService, { ledger, random, times, seen }: LoadContext, until: AbortSignal): Promise<void> {
  const onReply = (outcome: CallOutcome, ms: number): void => {
    times.add(ms)
    seen.slowestMs = Math.max(seen.slowestMs, ms)
    if (ms > maxCallMs)
      seen.complaints.push(`a call took ${Math.round(ms)} ms: ${outcome.kind === 'refused' ? outcome.reason : outcome.kind}`)
    if (outcome.kind === 'refused' && !isRetryable(outcome))
      seen.complaints.push(`refused with ${outcome.reason}, status ${outcome.status}`)
    if (outcome.kind === 'lost') seen.complaints.push(`a call got no reply: ${outcome.why}`)
  }
  await runLoad({ ...running, connections: 8, ledger, random, until, onReply, maxPauseMs: 5 })
}

function isRetryable({ status, reason }: Extract<CallOutcome, { kind: 'refused' }>): boolean {
  return status === 503 && ['store_unavailable', 'outcome_unknown', 'overloaded'].includes(reason)
}

async function countConnections(serviceData: ServiceData): Promise<number> {
  const [row] = await queryDatabase(
    serviceData.databaseUrl ?? '',
    `select count(*)::int as open from pg_stat_activity where datname = current_database() and application_name = 'tessera'`,
  )
  return Number(row?.['open'])
}

/** The driver with its own defaults, on the same silent connection. */
async function hangWithDefaults(serviceData: ServiceData, proxy: Proxy): Promise<ExperimentResult['control']> {
  const client = new pg.Client({ connectionString: throughProxy(serviceData, proxy) })
  client.on('error', () => undefined)
  await client.connect()
  proxy.hold()
  const query = client.query('select 1').then(
    () => 'answered',
    () => 'refused',
  )
  const seen = await Promise.race([query, pause(maxCallMs + 1000, 'silent')])
  proxy.release()
  await query
  await client.end()
  return { what: "the driver's own defaults", isFound: seen === 'silent', details: `${seen} after ${maxCallMs + 1000} ms` }
}

function addressOf(serviceData: ServiceData): { host: string; port: number } {
  const { hostname, port } = new URL(serviceData.databaseUrl ?? '')
  return { host: hostname, port: Number(port) }
}

function throughProxy(serviceData: ServiceData, proxy: Proxy): string {
  const url = new URL(serviceData.databaseUrl ?? '')
  url.hostname = '127.0.0.1'
  url.port = String(proxy.port)
  return url.href
}

const holdMs = 5000
/** Before and after each fault. */
const calmMs = 500
const maxCallMs = 3000
const maxRecoveryMs = 15_000
const resetsPerCycle = 5
/** Four that write, two that read, the one of the keys, the one that looks at the server, and two for walks through whole tables. */
const maxConnections = 10
