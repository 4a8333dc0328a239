import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { openApiClient, tokenOf } from '../fault/api-client.ts'
import { panWithOurOtp } from '../fault/load.ts'
import { callsBetween, p99Ms, startOpenLoad } from '../fault/open-load.ts'
import { longLifetimes } from '../fault/inspect.ts'
import type { ServiceData, StoreKind } from '../fault/service-data.ts'
import { root, startService, type RunningService } from '../fault/spawn.ts'
import { largest } from '../fault/statistics.ts'

import { countFailures } from './beside.ts'
import { fillCards } from './fill-cards.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'
import { plantedStallMs, type EventLoopDelays } from './stall-messages.ts'
import { readStalls } from './stalls.ts'

/** Commands that go through whole tables, each beside the same load of calls and health requests, and that load alone. */
export const longCommands: Measurement = {
  name: 'commands',
  question: 'How long is the event loop blocked, and p99 of cards.check, while an operator runs a long command?',
  async run(bench) {
    const measures: Measure[] = []
    for (const store of bench.stores) measures.push(...(await measureCommands(bench, store)))
    return measures
  },
}

/** As they are typed, with `<merchant>` and `<file>` in place of their values. */
const commandLines: readonly (readonly string[])[] = [
  ['audit', 'verify'],
  ['audit', 'export', '<file>'],
  ['consents', 'export', '--merchant', '<merchant>'],
  ['store', 'check'],
  ['keys', 'status'],
]

async function measureCommands({ dataFactory, isQuick, say }: Bench, store: StoreKind): Promise<Measure[]> {
  const serviceData = await dataFactory.create(store)
  const stallsFile = join(serviceData.folder, 'stalls.json')
  const cards = Number(process.env['BENCH_COMMANDS_CARDS'] ?? (isQuick ? 5000 : 100_000))
  await fillCards(serviceData, { count: cards, flags: longLifetimes, say: (text) => say(`commands ${store}: ${text}`) })
  const running = await startService({
    flags: [...serviceData.flags, ...longLifetimes, '--log-level=warn'],
    imports: [new URL('./loop-delay.ts', import.meta.url)],
    env: { BENCH_STALLS_FILE: stallsFile },
    logFile: join(serviceData.folder, 'log'),
  })
  const measures: Measure[] = []
  try {
    const token = await createCard(running)
    const stalls = () => readStalls(running, stallsFile)
    const alone = await measureLoad(running, { token, stalls }, () => pause(isQuick ? 5000 : 15_000, 0))
    say(`commands ${store}: ${String(cards)} cards, without a command: ${describe(alone)}`)
    measures.push(...toMeasures(`no command ${store}`, alone))
    const planted = await measureLoad(running, { token, stalls }, async () => {
      process.kill(running.pid, 'SIGWINCH')
      await pause(1000)
      return 0
    })
    say(`commands ${store}: planted stall: ${describe(planted)}`)
    measures.push(...toPlantedMeasures(`planted stall ${store}`, planted))
    for (const command of commandLines) {
      const name = command.filter((word) => /^[a-z]+$/.test(word)).join(' ')
      const beside = await measureLoad(running, { token, stalls }, () => runTessera(serviceData, running, command))
      say(`commands ${store}: ${name}: ${describe(beside)}`)
      measures.push(...toMeasures(`${name} ${store}`, beside, alone))
    }
    return measures
  } finally {
    await running.stop()
    await serviceData.remove()
  }
}

interface LoadWithCommand extends EventLoopDelays {
  readonly seconds: number
  /** Lines of progress that the command printed: one every ten seconds. */
  readonly progressLines: number
  readonly checkP99Ms: number
  /** Calls without a result. */
  readonly failed: number
  readonly slowestHealthMs: number
}

interface LoadedService {
  readonly token: string
  readonly stalls: () => Promise<EventLoopDelays>
}

/** Calls and health requests at a fixed rate while `work` is done. */
async function measureLoad(
  running: RunningService,
  { token, stalls }: LoadedService,
  work: () => Promise<number>,
): Promise<LoadWithCommand> {
  const end = new AbortController()
  const load = startOpenLoad({ ...running, perSecond: checksPerSecond, call: (client) => client.check(token), until: end.signal })
  const health = watchHealth(running, end.signal)
  await pause(1000)
  await stalls()
  const from = performance.now()
  const progressLines = await work()
  const to = performance.now()
  const delays = await stalls()
  end.abort()
  await load.ended
  const calls = callsBetween(load, { from, to })
  return {
    ...delays,
    progressLines,
    seconds: (to - from) / 1000,
    checkP99Ms: p99Ms(calls),
    failed: countFailures(calls),
    slowestHealthMs: largest(await health),
  }
}

async function watchHealth({ adminUrl }: RunningService, until: AbortSignal): Promise<number[]> {
  const times: number[] = []
  while (!until.aborted) {
    const sentAt = performance.now()
    await (await fetch(new URL('/healthz', adminUrl))).text()
    times.push(performance.now() - sentAt)
    await pause(20)
  }
  return times
}

/** Runs a command of `tessera` to its end, and returns how many lines of progress it printed. A finding is not expected. */
async function runTessera({ folder, flags }: ServiceData, { xAuth }: RunningService, words: readonly string[]): Promise<number> {
  const [merchantId = ''] = xAuth.split(':')
  const args = words.map((word) =>
    word === '<merchant>' ? merchantId : word === '<file>' ? join(folder, `export-${String(Date.now())}`) : word,
  )
  const data = flags.filter((flag) => flag.startsWith('--data='))
  const child = spawn(process.execPath, ['service/bin/tessera.mjs', ...args, ...data], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let progressLines = 0
  child.stderr.on('data', (text: Buffer) => (progressLines += text.toString().match(/ \(\d+ %\)/g)?.length ?? 0))
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (out = `${out}${text}`.slice(-2000)))
  await once(child, 'close')
  if (child.exitCode !== 0) throw new Error(`tessera ${args.join(' ')} ended with ${String(child.exitCode)}: ${out}`)
  return progressLines
}

async function createCard(running: RunningService): Promise<string> {
  const client = await openApiClient(running)
  const created = await client.create(panWithOurOtp)
  client.close()
  if (created.kind !== 'result') throw new Error(`a card was refused: ${JSON.stringify(created)}`)
  return tokenOf(created.result)
}

function toMeasures(of: string, found: LoadWithCommand, alone?: LoadWithCommand): Measure[] {
  const compared =
    alone === undefined ? [] : [{ of, name: 'p99 of cards.check, compared', value: found.checkP99Ms / alone.checkP99Ms, unit: 'of alone' }]
  // The slowest commands at least have to show how far they are.
  const isWalk = /^(audit verify|store check) /.test(of) && found.seconds > 15
  const progress: Measure[] = isWalk ? [{ of, name: 'lines of progress', value: found.progressLines, unit: '', target: { least: 1 } }] : []
  return [
    { of, name: 'seconds', value: found.seconds, unit: 's' },
    ...progress,
    { of, name: 'longest stall', value: found.longestMs, unit: 'ms' },
    { of, name: 'longest stall, work', value: found.longestWorkMs, unit: 'ms of CPU', target: { most: 50 } },
    { of, name: 'slowest /healthz', value: found.slowestHealthMs, unit: 'ms' },
    { of, name: 'p99 of cards.check', value: found.checkP99Ms, unit: 'ms' },
    ...compared,
    { of, name: 'calls without a result', value: found.failed, unit: '', target: { most: 0 } },
  ]
}

/** The control: a stall beyond the target of the commands has to be seen. By CPU time only: a busy machine alone makes the others as long. */
function toPlantedMeasures(of: string, found: LoadWithCommand): Measure[] {
  return [
    { of, name: 'longest stall', value: found.longestMs, unit: 'ms' },
    { of, name: 'longest stall, work, seen', value: found.longestWorkMs, unit: 'ms of CPU', target: { least: plantedStallMs * 0.9 } },
    { of, name: 'slowest /healthz', value: found.slowestHealthMs, unit: 'ms' },
  ]
}

function describe({ seconds, longestMs, longestWorkMs, slowestHealthMs, checkP99Ms }: LoadWithCommand): string {
  const [took, stall, work, health, check] = [seconds, longestMs, longestWorkMs, slowestHealthMs, checkP99Ms].map((value) =>
    value.toFixed(1),
  )
  return `${String(took)} s, longest stall ${String(stall)} ms (${String(work)} ms of CPU), /healthz ${String(health)} ms, p99 of cards.check ${String(check)} ms`
}

const checksPerSecond = 50
