import { setTimeout as pause } from 'node:timers/promises'

import { openApiClient, tokenOf } from './api-client.ts'
import { runCrowd } from './client-crowd.ts'
import type { Experiment, Trial } from './experiment.ts'
import { longLifetimes } from './inspect.ts'
import { panWithOurOtp } from './load.ts'
import { findRefusalFaults, latePercent, readRefusals, type MeasuredRefusals } from './overload-refusals.ts'
import { plantedFaults } from './planted-faults.ts'
import { startService, type RunningService } from './spawn.ts'
import { percentile } from './statistics.ts'

/** Five times as many calls as the event loop can handle: docs/decisions/0064-loop-overload.md. */
export const overloadLoop: Experiment = {
  name: 'overload-loop',
  question:
    'At five times the capacity of its event loop, does the service still do at least 80 % of that capacity in time, refuse within 50 ms, with its timers on time, and nothing without an overload?',
  stores: ['sqlite', 'postgres'],
  cycles: 1,
  needs: [],
  async run(trial) {
    const found = await overloadOnce(trial, [])
    const control = await overloadOnce(trial, [plantedFaults.noTurns])
    const { before, stopped, during, after, refusals } = found
    const goodput = during.goodPerSecond / capacity
    const complaints = findRefusalFaults(refusals)
    if (before.goodPerSecond < minGoodput * before.clients)
      complaints.push('the machine is too busy: also without an overload less than 80 % of the calls were done in time')
    for (const { name, clients, refused } of [before, stopped, after])
      if (refused > 0) complaints.push(`${refused} calls of ${clients} clients were refused without an overload (${name})`)
    if (goodput < minGoodput) complaints.push(`at five times the capacity ${percent(goodput)} of it was done in time`)
    if (during.healthP99Ms > maxHealthMs) complaints.push(`/healthz took ${during.healthP99Ms.toFixed(0)} ms`)
    return {
      acknowledged: before.good + stopped.good + during.good + after.good,
      lost: 0,
      cycles: 1,
      complaints,
      control: {
        what: 'every call is begun in the turn in which it arrives',
        isFound: control.during.healthP99Ms > maxHealthMs && control.during.goodPerSecond < minGoodput * capacity,
        details: `p99 of /healthz ${control.during.healthP99Ms.toFixed(0)} ms, ${percent(control.during.goodPerSecond / capacity)} of the capacity in time`,
      },
      table: [
        ['', 'clients', 'in time/s', 'p99', 'refused', 'without reply', '/healthz p99'],
        ...[before, stopped, during, after].map(describe),
      ],
      metrics: {
        goodput_percent: goodput * 100,
        refused_later_than_50_ms_percent: latePercent(refusals),
        health_p99_ms: during.healthP99Ms,
      },
    }
  },
}

interface LoopOverload {
  readonly before: Round
  /** The same clients, while the process does not run for a moment. */
  readonly stopped: Round
  readonly during: Round
  readonly after: Round
  readonly refusals: MeasuredRefusals
}

interface Round {
  readonly name: string
  readonly clients: number
  /** Calls whose result came within a second. */
  readonly good: number
  readonly goodPerSecond: number
  readonly p99Ms: number
  readonly refused: number
  readonly withoutReply: number
  /** A timer and a request of another listener, on the same event loop. */
  readonly healthP99Ms: number
}

async function overloadOnce({ store, dataFactory, say }: Trial, imports: readonly URL[]): Promise<LoopOverload> {
  const serviceData = await dataFactory.create(store)
  try {
    const running = await startService({
      flags: [...serviceData.flags, ...longLifetimes, '--log-level=warn'],
      imports: [plantedFaults.slowProcessor, ...imports],
    })
    const token = await createCard(running)
    const run = async (name: string, clients: number, ms: number): Promise<Round> => {
      const round = await checkCards(running, token, { name, clients, ms })
      say(describe(round).join(' · '))
      return round
    }
    await run('warming', capacity / 2, 3000)
    const before = await run('before', capacity * 0.8, 4000)
    const stopped = (await Promise.all([run('stopped', capacity * 0.8, 4000), stopFor(running.pid, 300)]))[0]
    const during = await run('during', capacity * 5, 12_000)
    const refusals = await readRefusals(running)
    const after = await run('after', capacity / 2, 3000)
    await running.stop()
    return { before, stopped, during, after, refusals }
  } finally {
    await serviceData.remove()
  }
}

async function stopFor(pid: number, ms: number): Promise<void> {
  await pause(1500)
  process.kill(pid, 'SIGSTOP')
  await pause(ms)
  process.kill(pid, 'SIGCONT')
}

interface Pace {
  readonly name: string
  readonly clients: number
  readonly ms: number
}

async function checkCards({ url, adminUrl, xAuth }: RunningService, token: string, { name, clients, ms }: Pace): Promise<Round> {
  const durations: number[] = []
  let refused = 0
  const { host } = new URL(url)
  const body = `{"id":1,"method":"cards.check","params":{"token":"${token}"}}`
  const next = (): string =>
    `POST /api/cards.check HTTP/1.1\r\nhost: ${host}\r\nx-auth: ${xAuth}\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  const onReply = (reply: string, tookMs: number): void => {
    if (reply.includes('"result":')) durations.push(tookMs)
    else refused++
  }
  const end = new AbortController()
  const health = watchHealth(adminUrl, end.signal)
  const { withoutReply } = await runCrowd({ url, clients, ms, next, onReply })
  end.abort()
  const healthMs = await health
  const good = durations.filter((tookMs) => tookMs <= goodMs).length
  const times = { p99Ms: durations.length === 0 ? 0 : percentile(durations, 0.99), healthP99Ms: percentile(healthMs, 0.99) }
  return { name, clients, good, goodPerSecond: good / (ms / 1000), refused, withoutReply, ...times }
}

async function watchHealth(adminUrl: string, until: AbortSignal): Promise<number[]> {
  const times: number[] = []
  while (!until.aborted) {
    const sentAt = performance.now()
    await (await fetch(`${adminUrl}/healthz`)).text()
    times.push(performance.now() - sentAt)
    await pause(50)
  }
  return times
}

async function createCard(running: RunningService): Promise<string> {
  const client = await openApiClient(running)
  const created = await client.create(panWithOurOtp)
  client.close()
  if (created.kind !== 'result') throw new Error(`a card was refused: ${JSON.stringify(created)}`)
  return tokenOf(created.result)
}

function describe({ name, clients, goodPerSecond, p99Ms, refused, withoutReply, healthP99Ms }: Round): string[] {
  const [good, p99, health] = [goodPerSecond, p99Ms, healthP99Ms].map((value) => value.toFixed(0))
  return [name, String(clients), good ?? '', `${p99 ?? ''} ms`, String(refused), String(withoutReply), `${health ?? ''} ms`]
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

/** Calls a second of the double of the processor. */
const capacity = 100
/** A reply after a second is worth nothing. */
const goodMs = 1000
const minGoodput = 0.8
/** A turn of the event loop has ten milliseconds of calls, and reads what has arrived. */
const maxHealthMs = 250
