import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { median } from '../fault/statistics.ts'
import type { ServiceDataFactory } from '../fault/service-data.ts'
import { root, startService } from '../fault/spawn.ts'
import { readResidentMib } from './cpu.ts'
import { startLoadGenerator } from './load.ts'
import type { Measure, Measurement } from './measurement.ts'
import { loadTargetOf } from './compare.ts'

/** From the start of the process until it reports that it is ready. */
export const start: Measurement = {
  name: 'start',
  question: 'How long does a start take, on a new folder and on an existing one?',
  async run({ dataFactory, stores, isQuick }) {
    const measures: Measure[] = []
    for (const store of stores) {
      const [first, second]: [number[], number[]] = [[], []]
      for (let round = 0; round < (isQuick ? 2 : 5); round++) {
        const serviceData = await dataFactory.create(store)
        for (const durations of [first, second]) {
          const running = await startService({ flags: serviceData.flags })
          durations.push(running.startMs)
          await running.stop()
        }
        await serviceData.remove()
      }
      measures.push({ of: `start ${store}`, name: 'new folder', value: median(first), unit: 'ms' })
      measures.push({ of: `start ${store}`, name: 'again', value: median(second), unit: 'ms', target: { most: 2000 } })
    }
    const durations: number[] = []
    for (let round = 0; round < (isQuick ? 1 : 5); round++) durations.push(await timeNpmStart(dataFactory))
    return [...measures, { of: 'npm start', name: 'again', value: median(durations), unit: 'ms', target: { most: 2000 } }]
  },
}

/** The command of the README on an existing folder, including npm itself and the check of what is installed. */
async function timeNpmStart(dataFactory: ServiceDataFactory): Promise<number> {
  const serviceData = await dataFactory.create('sqlite')
  await (await startService({ flags: serviceData.flags })).stop()
  const startedAt = performance.now()
  const args = ['start', '--silent', '--', '--json', '--port=0', '--admin-port=0', ...serviceData.flags]
  const npm = spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  const ended = once(npm, 'exit')
  for await (const line of createInterface({ input: npm.stdout })) if (line.startsWith('{"ready"')) break
  const took = performance.now() - startedAt
  if (npm.pid !== undefined) process.kill(-npm.pid, 'SIGTERM')
  await ended
  await serviceData.remove()
  return took
}

/** Resident memory of an idle process, before and after load, with one worker and with several. */
export const memory: Measurement = {
  name: 'memory',
  question: 'How much memory does an idle service use, before and after load, with one, two and four workers?',
  async run({ dataFactory, stores, isQuick }) {
    const measures: Measure[] = []
    for (const store of stores)
      for (const workers of [1, 2, 4]) {
        const serviceData = await dataFactory.create(store)
        const flags = [...serviceData.flags, `--workers=${String(workers)}`]
        // The first start creates the store; the measured one is like all later ones.
        await (await startService({ flags })).stop()
        const running = await startService({ flags })
        const load = startLoadGenerator()
        await pause(quietMs)
        const of = `memory ${store}, ${workers === 1 ? 'one worker' : `${String(workers)} workers`}`
        const target = workers === 1 ? { target: { most: 150 } } : {}
        measures.push({ of, name: 'idle', value: readResidentMib(running.pid), unit: 'MiB', ...target })
        const loaded = loadTargetOf(running, 'create')
        await load.run({
          order: 'run',
          target: loaded,
          method: 'create',
          connections: 64,
          ms: isQuick ? 2000 : 10_000,
          repeatsRefused: true,
        })
        await pause(quietMs)
        measures.push({ of, name: 'idle after load', value: readResidentMib(running.pid), unit: 'MiB' })
        await load.stop()
        await running.stop()
        await serviceData.remove()
      }
    return measures
  },
}

const quietMs = 3000
