import { join } from 'node:path'

import { plantedFaults } from '../fault/planted-faults.ts'
import type { StoreKind } from '../fault/service-data.ts'
import { startService, type RunningService } from '../fault/spawn.ts'
import { ObjectVersions } from '../service/src/domain/freshness/object-versions.ts'

import { measureSpeed } from './compare.ts'
import { readCpuMs, readCpuMsWhenIdle } from './cpu.ts'
import { measureOfRounds } from './interval.ts'
import { startLoadGenerator } from './load.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'

/** The service beside itself without the following of the audit, alternating in one run; and the versions of a million objects in memory. */
export const freshness: Measurement = {
  name: 'freshness',
  question: 'What does it cost to notice an older row that was put back?',
  async run(bench) {
    const measures: Measure[] = []
    for (const store of bench.stores) measures.push(...(await compare(bench, store)))
    return [...measures, ...measureVersions(bench.isQuick ? 100_000 : 1_000_000)]
  },
}

async function compare({ dataFactory, isQuick, say }: Bench, store: StoreKind): Promise<Measure[]> {
  const [ownData, bareData] = [await dataFactory.create(store), await dataFactory.create(store)]
  const own = await startService({ flags: ownData.flags, logFile: join(ownData.folder, 'log') })
  const bare = await startService({ flags: bareData.flags, logFile: join(bareData.folder, 'log'), imports: [plantedFaults.skipFreshness] })
  const load = startLoadGenerator()
  const requests = isQuick ? 1000 : 4000
  /** CPU time per request, in µs, with what is read after the last reply. */
  const measureOne = async (running: RunningService, count: number): Promise<number> => {
    const before = readCpuMs(running.pid)
    await measureSpeed(running, load, { method: 'create', connections: 16, roundMs: 120_000, requests: count })
    return (((await readCpuMsWhenIdle(running.pid)) - before) * 1000) / count
  }
  try {
    for (const running of [own, bare]) await measureOne(running, requests * 2)
    const ratios: number[] = []
    for (let round = 0; round < (isQuick ? 4 : 12); round++) {
      const pair = round % 2 === 0 ? [own, bare] : [bare, own]
      const costs = new Map<RunningService, number>()
      for (const running of pair) costs.set(running, await measureOne(running, requests))
      ratios.push((costs.get(own) ?? 0) / (costs.get(bare) ?? 1))
      say(`freshness ${store}: round ${String(round + 1)}`)
    }
    return [measureOfRounds(ratios, { of: `create ${store}`, name: 'CPU per request', unit: 'of without', target: { most: 1.05 } })]
  } finally {
    await load.stop()
    await Promise.all([own.stop(), bare.stop()])
    await ownData.remove()
    await bareData.remove()
  }
}

function measureVersions(count: number): Measure[] {
  const versions = new ObjectVersions()
  const ids = Array.from({ length: 10_000 }, (_id, n) => n.toString(16).padStart(24, '0'))
  for (let n = 0; n < count; n++) versions.raise((n + 2 ** 40).toString(16).padStart(24, '0'), 2)
  const rounds = 100
  const startedAt = performance.now()
  let isNoneKnown = true
  for (let round = 0; round < rounds; round++) for (const id of ids) isNoneKnown &&= versions.get(id) === 0
  const ns = ((performance.now() - startedAt) * 1e6) / (rounds * ids.length)
  if (!isNoneKnown) throw new Error('an id that was never stored has a version')
  const bytes = versions.toBytes().length / count
  return [
    { of: `${String(count)} objects`, name: 'one look at the newest version', value: ns, unit: 'ns' },
    { of: `${String(count)} objects`, name: 'stored versions', value: bytes, unit: 'bytes an object' },
  ]
}
