import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { eventLoopMeasurement, readEventLoopDelays } from '../fault/event-loop-delays.ts'
import type { EventLoopDelays } from '../fault/measured-delays.ts'
import { startService, type RunningService } from '../fault/spawn.ts'
import { startLoadGenerator } from './load.ts'
import { loadTargetOf } from './compare.ts'
import type { Measure, Measurement } from './measurement.ts'
import type { BadLoad, BadLoadResult } from './stall-messages.ts'

/** Whether a malformed request can block all others. */
export const stalls: Measurement = {
  name: 'stalls',
  question: 'How long is the event loop blocked by malformed requests, and by valid ones?',
  async run(bench) {
    const serviceData = await bench.dataFactory.create('sqlite')
    const file = join(serviceData.folder, 'stalls.json')
    const running = await startService({
      flags: serviceData.flags,
      ...eventLoopMeasurement(file),
      logFile: join(serviceData.folder, 'log'),
    })
    try {
      const ms = bench.isQuick ? 3000 : 20_000
      await sendBad(running, 1000)
      await readEventLoopDelays(running, file)
      const end = await sendBad(running, ms)
      const bad = await readEventLoopDelays(running, file)
      await sendGood(running, ms / 4)
      const good = await readEventLoopDelays(running, file)
      bench.say(`${end.requests} bad requests, ${end.results} with a result, ${end.closed} connections closed`)
      return toMeasures(end, bad, good)
    } finally {
      await running.stop()
      await serviceData.remove()
    }
  },
}

function toMeasures(end: BadLoadResult, bad: EventLoopDelays, good: EventLoopDelays): Measure[] {
  const of = 'stalls sqlite'
  return [
    { of, name: 'bad requests', value: end.requests, unit: '' },
    { of, name: 'bad requests, longest', value: bad.longestMs, unit: 'ms', target: { most: 50 } },
    { of, name: 'bad requests, longest work', value: bad.longestWorkMs, unit: 'ms of CPU', target: { most: 50 } },
    { of, name: 'bad requests, p99.9', value: bad.p999Ms, unit: 'ms' },
    { of, name: 'bad requests, replies that are not JSON', value: end.invalid, unit: '', target: { most: 0 } },
    { of, name: 'good requests, longest', value: good.longestMs, unit: 'ms', target: { most: 50 } },
    { of, name: 'good requests, longest work', value: good.longestWorkMs, unit: 'ms of CPU', target: { most: 50 } },
    { of, name: 'good requests, p99.9', value: good.p999Ms, unit: 'ms' },
  ]
}

async function sendBad({ url, xAuth }: RunningService, ms: number): Promise<BadLoadResult> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('bad-load-child.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const load: BadLoad = { url, xAuth, connections: 32, ms, seed: ms }
  child.stdin.write(`${JSON.stringify(load)}\n`)
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
  await once(child, 'close')
  return JSON.parse(out) as BadLoadResult
}

async function sendGood(running: RunningService, ms: number): Promise<void> {
  const load = startLoadGenerator()
  await load.run({ order: 'run', target: loadTargetOf(running, 'create'), method: 'create', connections: 64, ms })
  await load.stop()
}
