import { callBeside, type CallsBeside } from '../fault/calls-beside.ts'
import type { ServiceData } from '../fault/service-data.ts'
import type { RunningService } from '../fault/spawn.ts'

import { readCpuMs } from './cpu.ts'
import type { Measure } from './measurement.ts'
import { readPostgresUsage } from './postgres-usage.ts'

/** What calls noticed of work that was done meanwhile, and what both took. */
export interface CallsWithUsage extends CallsBeside {
  /** CPU time of the service, and of the PostgreSQL server. */
  readonly cpuMs: number
  readonly databaseCpuMs: number
}

/** Cards are created and checked at a fixed rate while `work` is done. */
export async function measureBeside(
  running: RunningService,
  serviceData: ServiceData,
  work: () => Promise<unknown>,
): Promise<CallsWithUsage> {
  const used = { service: 0, database: 0 }
  const calls = await callBeside(running, async () => {
    const before = await readCpu(running, serviceData)
    await work()
    const after = await readCpu(running, serviceData)
    used.service = after.service - before.service
    used.database = after.database - before.database
  })
  return { ...calls, cpuMs: used.service, databaseCpuMs: used.database }
}

/** What the work took for each of `count` changes, by the CPU time beyond that of the calls after it: before it, a service is still compiling. */
export function toBesideMeasures(
  of: string,
  count: number,
  { alone, beside, after }: { readonly alone: CallsWithUsage; readonly beside: CallsWithUsage; readonly after: CallsWithUsage },
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
