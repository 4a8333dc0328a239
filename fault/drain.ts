import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { openBalancer, openIdleConnection, runBalancedLoad, type BalancedCalls, type Balancer } from './balancer.ts'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { dataFolderOf } from './inspect.ts'
import { createServiceData, makeFolder, queryDatabase, type ServiceData } from './service-data.ts'
import { startService, type RunningService } from './spawn.ts'
import { percentile } from './statistics.ts'

/**
 * One process takes over from another while calls arrive over keep-alive connections. The clients are a load balancer: they ask /readyz four times a
 * second, and open a new connection where it says that calls may be sent. Only on PostgreSQL: an embedded database belongs to one process.
 */
export const drain: Experiment = {
  name: 'drain',
  question: 'Does a client notice when another process takes over and the first one stops?',
  stores: ['postgres'],
  cycles: 3,
  needs: [],
  async run(trial) {
    const withLameDuck = await replaceProcesses(trial, trial.cycles, lameDuckSeconds)
    const without = await replaceProcesses(trial, 1, 0)
    const { calls, complaints } = withLameDuck
    return {
      acknowledged: calls.acknowledged.length,
      lost: withLameDuck.missing,
      cycles: trial.cycles,
      complaints: [
        ...complaints,
        ...calls.failures.slice(0, 5).map((why) => `a call failed: ${why}`),
        ...(calls.failures.length > 0 ? [`${calls.failures.length} of ${countCalls(calls)} calls failed`] : []),
      ],
      table: [headings, row(`lame duck ${lameDuckSeconds} s`, withLameDuck), row('lame duck off', without)],
      metrics: { calls: countCalls(calls), failed: calls.failures.length },
      control: {
        what: 'a stop that closes its listener at once',
        isFound: without.calls.failures.length > 0,
        details: `${without.calls.failures.length} of ${countCalls(without.calls)} calls failed`,
      },
    } satisfies ExperimentResult
  },
}

interface Replacements {
  readonly calls: BalancedCalls
  /** Acknowledged cards that the last process does not find. */
  readonly missing: number
  /** Cards that were created by calls without a reply. */
  readonly createdUnnoticed: number
  readonly complaints: readonly string[]
}

async function replaceProcesses({ dataFactory, say, seed }: Trial, times: number, seconds: number): Promise<Replacements> {
  const first = await dataFactory.create('postgres')
  const second = shareDatabase(first)
  const flags = [`--lame-duck-seconds=${seconds}`]
  let running = await startService({ flags: [...first.flags, ...flags] })
  shareKeyEncryptionKey(first, second)
  const complaints: string[] = []
  const balancer = openBalancer(probeEveryMs)
  const ending = new AbortController()
  try {
    balancer.add(running)
    const load = runBalancedLoad({ balancer, seed, connections, until: ending.signal })
    await pause(settleMs)
    for (let at = 0; at < times; at++) {
      const data = at % 2 === 0 ? second : first
      const next = await startService({ flags: [...data.flags, ...flags] })
      balancer.add(next)
      await pause(settleMs)
      complaints.push(...(await stopOne(running, balancer, seconds)))
      running = next
      say(`lame duck ${seconds} s: process ${at + 1} of ${times} replaced`)
    }
    await pause(settleMs)
    ending.abort()
    const calls = await load
    const missing = await countMissing(running, calls.acknowledged)
    const [stored] = await queryDatabase(first.databaseUrl ?? '', 'select count(*)::int as cards from cards')
    return { calls, missing, createdUnnoticed: Number(stored?.['cards']) - calls.acknowledged.length, complaints }
  } finally {
    ending.abort()
    balancer.close()
    await running.stop()
    await second.remove()
    await first.remove()
  }
}

/** Stops a process and watches two connections on which nothing is asked. Returns what is wrong. */
async function stopOne(running: RunningService, balancer: Balancer, seconds: number): Promise<string[]> {
  const idle = await Promise.all([openIdleConnection(running.url), openIdleConnection(running.url)])
  const startedAt = performance.now()
  balancer.setPhase('during')
  const code = await running.stop()
  balancer.remove(running)
  balancer.setPhase('after')
  const ends = await Promise.all(idle.map(({ ended }) => ended))
  return [
    ...(code === 0 ? [] : [`the process ended with ${String(code)}`]),
    ...ends.filter(({ how }) => how !== 'closed').map(({ how }) => `an idle connection was ended by ${how}`),
    ...ends
      .map(({ at }) => at - startedAt)
      .filter((ms) => ms < seconds * 1000 - toleranceMs)
      .map((ms) => `an idle connection was closed after ${Math.round(ms)} ms, within the lame duck time`),
  ]
}

/** Another data folder on the same database, for a second process. */
export function shareDatabase({ databaseUrl }: ServiceData): ServiceData {
  const shared = createServiceData(makeFolder(), databaseUrl)
  mkdirSync(dataFolderOf(shared), { mode: 0o700 })
  return shared
}

/** The second process needs the first one's key encryption key, which that one creates when it starts. */
export function shareKeyEncryptionKey(first: ServiceData, second: ServiceData): void {
  copyFileSync(join(dataFolderOf(first), kekFile), join(dataFolderOf(second), kekFile))
}

async function countMissing(running: RunningService, tokens: readonly string[]): Promise<number> {
  let missing = 0
  for (let at = 0; at < tokens.length; at += checkedAtOnce) {
    const found = await Promise.all(tokens.slice(at, at + checkedAtOnce).map((token) => hasCard(running, token)))
    missing += found.filter((isThere) => !isThere).length
  }
  return missing
}

async function hasCard({ url, xAuth }: RunningService, token: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'cards.check', params: { token } })
  const reply = await fetch(`${url}/api/cards.check`, { method: 'POST', headers: { 'x-auth': xAuth }, body })
  return 'result' in ((await reply.json()) as object)
}

function countCalls({ acknowledged, failures }: BalancedCalls): number {
  return acknowledged.length + failures.length
}

const headings = ['', 'calls', 'no reply', 'of them done', 'no listener', 'refused', 'p99 ms before', 'during', 'after']

function row(name: string, { calls, createdUnnoticed }: Replacements): string[] {
  const p99 = (phase: 'before' | 'during' | 'after'): string => percentile(calls.ms[phase], 0.99).toFixed(0)
  const counts = [countCalls(calls), calls.withoutReply, createdUnnoticed, calls.withoutListener, calls.refused].map(String)
  return [name, ...counts, p99('before'), p99('during'), p99('after')]
}

const kekFile = 'development.kek'
const lameDuckSeconds = 2
const probeEveryMs = 250
const settleMs = 700
const connections = 24
const checkedAtOnce = 32
/** Timers of two processes. */
const toleranceMs = 100
