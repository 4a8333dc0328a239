import { setTimeout as pause } from 'node:timers/promises'

import { tokenOf } from '../fault/api-client.ts'
import { panWithOurOtp } from '../fault/load.ts'
import { callsBetween, countOutcomes, p99Ms, startOpenLoad, type SentCall } from '../fault/open-load.ts'
import type { ServiceData } from '../fault/service-data.ts'
import type { RunningService } from '../fault/spawn.ts'

import { readCpuMs } from './cpu.ts'
import type { Measure } from './measurement.ts'
import { readPostgresUsage } from './postgres-usage.ts'

/** What calls noticed of work that was done meanwhile, and what both took. */
export interface CallsBeside {
  readonly seconds: number
  readonly p99Ms: number
  /** Calls without a result. */
  readonly failed: number
  /** CPU time of the service, and of the PostgreSQL server. */
  readonly cpuMs: number
  readonly databaseCpuMs: number
}

/** Cards are created and checked at a fixed rate while `work` is done. */
export async function measureBeside(running: RunningService, serviceData: ServiceData, work: () => Promise<unknown>): Promise<CallsBeside> {
  const end = new AbortController()
  const load = startOpenLoad({
    ...running,
    perSecond: callsPerSecond / 2,
    until: end.signal,
    async call(client) {
      const created = await client.create(panWithOurOtp)
      return created.kind === 'result' ? client.check(tokenOf(created.result)) : created
    },
  })
  await pause(warmUpMs)
  const [from, before] = [performance.now(), await readCpu(running, serviceData)]
  await work()
  const [to, after] = [performance.now(), await readCpu(running, serviceData)]
  end.abort()
  await load.ended
  const calls = callsBetween(load, { from, to })
  return {
    seconds: (to - from) / 1000,
    p99Ms: p99Ms(calls),
    failed: countFailures(calls),
    cpuMs: after.service - before.service,
    databaseCpuMs: after.database - before.database,
  }
}

/** Calls without a result. What they got instead is printed, because a busy machine alone makes some fail. */
export function countFailures(calls: readonly SentCall[]): number {
  const { result = 0, ...failures } = Object.fromEntries(countOutcomes(calls))
  if (result < calls.length) process.stderr.write(`        calls that failed: ${JSON.stringify(failures)}\n`)
  return calls.length - result
}

/** What the work took for each of `count` changes, by the CPU time beyond that of the calls after it: before it, a service is still compiling. */
export function toBesideMeasures(
  of: string,
  count: number,
  { alone, beside, after }: { readonly alone: CallsBeside; readonly beside: CallsBeside; readonly after: CallsBeside },
): Measure[] {
  const perCard = (name: 'cpuMs' | 'databaseCpuMs'): number =>
    ((beside[name] - (after[name] / after.seconds) * beside.seconds) * 1000) / count
  return [
    { of, name: 'CPU of the service a card', value: perCard('cpuMs'), unit: 'µs' },
    { of, name: 'CPU of PostgreSQL a card', value: perCard('databaseCpuMs'), unit: 'µs' },
    { of, name: 'p99 of calls alone', value: alone.p99Ms, unit: 'ms' },
    { of, name: 'p99 of calls beside it', value: beside.p99Ms, unit: 'ms' },
    { of, name: 'p99 of calls after it', value: after.p99Ms, unit: 'ms' },
    { of, name: 'p99 of calls, compared', value: beside.p99Ms / alone.p99Ms, unit: 'of alone', target: { most: 2 } },
    { of, name: 'calls without a result', value: alone.failed + beside.failed + after.failed, unit: '', target: { most: 0 } },
  ]
}

async function readCpu(
  { pid }: RunningService,
  { databaseUrl }: ServiceData,
): Promise<{ readonly service: number; readonly database: number }> {
  return { service: readCpuMs(pid), database: databaseUrl === null ? 0 : (await readPostgresUsage(databaseUrl)).cpuMs }
}

const callsPerSecond = 40
/** The code of a service that was just started is being compiled. */
const warmUpMs = 5000
