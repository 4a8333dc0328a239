import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { median } from '../fault/figures.ts'
import type { Homes } from '../fault/home.ts'
import { root, startTessera } from '../fault/spawn.ts'
import { readResidentMib } from './cpu.ts'
import { startLoadGenerator } from './load.ts'
import type { Figure, Measurement } from './measurement.ts'
import { targetOf } from './compare.ts'

/** From the start of the process to its word that it is ready. */
export const start: Measurement = {
  name: 'start',
  question: 'How long does a start take, on a new folder and on one that is there?',
  async run({ homes, stores, isQuick }) {
    const figures: Figure[] = []
    for (const store of stores) {
      const [first, second]: [number[], number[]] = [[], []]
      for (let round = 0; round < (isQuick ? 2 : 5); round++) {
        const home = await homes.make(store)
        for (const spans of [first, second]) {
          const running = await startTessera({ flags: home.flags })
          spans.push(running.startMs)
          await running.stop()
        }
        await home.remove()
      }
      figures.push({ of: `start ${store}`, name: 'new folder', value: median(first), unit: 'ms' })
      figures.push({ of: `start ${store}`, name: 'again', value: median(second), unit: 'ms', aim: { most: 2000 } })
    }
    const spans: number[] = []
    for (let round = 0; round < (isQuick ? 1 : 5); round++) spans.push(await timeNpmStart(homes))
    return [...figures, { of: 'npm start', name: 'again', value: median(spans), unit: 'ms', aim: { most: 2000 } }]
  },
}

/** The command of the README, on a folder that is there: npm itself and the look at what is installed are in it. */
async function timeNpmStart(homes: Homes): Promise<number> {
  const home = await homes.make('sqlite')
  await (await startTessera({ flags: home.flags })).stop()
  const startedAt = performance.now()
  const args = ['start', '--silent', '--', '--json', '--port=0', '--admin-port=0', ...home.flags]
  const npm = spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  const ended = once(npm, 'exit')
  for await (const line of createInterface({ input: npm.stdout })) if (line.startsWith('{"ready"')) break
  const took = performance.now() - startedAt
  if (npm.pid !== undefined) process.kill(-npm.pid, 'SIGTERM')
  await ended
  await home.remove()
  return took
}

/** Memory that the process holds when nothing is asked of it, and after work. */
export const memory: Measurement = {
  name: 'memory',
  question: 'How much memory does an idle service hold, before and after work?',
  async run({ homes, stores, isQuick }) {
    const figures: Figure[] = []
    for (const store of stores) {
      const home = await homes.make(store)
      // The first start compiles; the one that is measured is like all that follow.
      await (await startTessera({ flags: home.flags })).stop()
      const running = await startTessera({ flags: home.flags })
      const load = startLoadGenerator()
      await pause(settleMs)
      figures.push({ of: `memory ${store}`, name: 'idle', value: readResidentMib(running.pid), unit: 'MiB', aim: { most: 150 } })
      const target = targetOf(running, 'create')
      await load.obey({ order: 'run', target, method: 'create', connections: 64, ms: isQuick ? 1000 : 10_000 })
      await pause(settleMs)
      figures.push({ of: `memory ${store}`, name: 'idle after work', value: readResidentMib(running.pid), unit: 'MiB' })
      await load.end()
      await running.stop()
      await home.remove()
    }
    return figures
  },
}

const settleMs = 3000
