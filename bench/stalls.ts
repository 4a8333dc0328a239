import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startTessera, type Running } from '../fault/spawn.ts'
import { startLoadGenerator } from './load.ts'
import { targetOf } from './compare.ts'
import type { Figure, Measurement } from './measurement.ts'
import type { BadLoad, BadLoadEnd, Stalls } from './stall-words.ts'

/** Whether any request, however bad, holds up all others. */
export const stalls: Measurement = {
  name: 'stalls',
  question: 'How long does the event loop stand still under requests made to be bad, and under good ones?',
  async run(bench) {
    const home = await bench.homes.make('sqlite')
    const file = join(home.folder, 'stalls.json')
    const imports = [new URL('./loop-delay.ts', import.meta.url)]
    const running = await startTessera({ flags: home.flags, imports, env: { BENCH_STALLS_FILE: file }, logFile: join(home.folder, 'log') })
    try {
      const ms = bench.isQuick ? 3000 : 20_000
      await sendBad(running, 1000)
      await readStalls(running, file)
      const end = await sendBad(running, ms)
      const bad = await readStalls(running, file)
      await sendGood(running, ms / 4)
      const good = await readStalls(running, file)
      bench.say(`${end.requests} bad requests, ${end.results} of them answered with a result, ${end.closed} connections closed`)
      return tell(end, bad, good)
    } finally {
      await running.stop()
      await home.remove()
    }
  },
}

function tell(end: BadLoadEnd, bad: Stalls, good: Stalls): Figure[] {
  const of = 'stalls sqlite'
  return [
    { of, name: 'bad requests', value: end.requests, unit: '' },
    { of, name: 'bad requests, longest', value: bad.longestMs, unit: 'ms', aim: { most: 50 } },
    { of, name: 'bad requests, longest work', value: bad.longestWorkMs, unit: 'ms of CPU', aim: { most: 50 } },
    { of, name: 'bad requests, p99.9', value: bad.p999Ms, unit: 'ms' },
    { of, name: 'bad requests, replies that are no JSON', value: end.invalid, unit: '', aim: { most: 0 } },
    { of, name: 'good requests, longest', value: good.longestMs, unit: 'ms', aim: { most: 50 } },
    { of, name: 'good requests, longest work', value: good.longestWorkMs, unit: 'ms of CPU', aim: { most: 50 } },
    { of, name: 'good requests, p99.9', value: good.p999Ms, unit: 'ms' },
  ]
}

async function sendBad({ url, xAuth }: Running, ms: number): Promise<BadLoadEnd> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('bad-load-child.ts', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const load: BadLoad = { url, xAuth, connections: 32, ms, seed: ms }
  child.stdin.write(`${JSON.stringify(load)}\n`)
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk))
  await once(child, 'close')
  return JSON.parse(out) as BadLoadEnd
}

async function sendGood(running: Running, ms: number): Promise<void> {
  const load = startLoadGenerator()
  await load.obey({ order: 'run', target: targetOf(running, 'create'), method: 'create', connections: 64, ms })
  await load.end()
}

/** Asks the watch in the service for what it saw since it was last asked. */
async function readStalls(running: Running, file: string): Promise<Stalls> {
  rmSync(file, { force: true })
  process.kill(running.pid, 'SIGUSR2')
  for (let waited = 0; waited < 100; waited++) {
    await pause(20)
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Stalls
    } catch {
      // Not written yet.
    }
  }
  throw new Error('the watch in the service did not answer')
}
