import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import {
  describeLoad,
  measureLoad,
  nameOfCommand,
  runLongCommand,
  type LoadBesideCommand,
  type LoadWithCommand,
} from '../fault/command-load.ts'
import { eventLoopMeasurement, plantStall, readEventLoopDelays } from '../fault/event-loop-delays.ts'
import { fillCards } from '../fault/fill-cards.ts'
import { longLifetimes } from '../fault/inspect.ts'
import type { StoreKind } from '../fault/service-data.ts'
import { plantedStallMs } from '../fault/measured-delays.ts'
import { startService } from '../fault/spawn.ts'

import type { Bench, Measure, Measurement } from './measurement.ts'
import { tokenOfNewCard } from './new-card.ts'

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
  const delaysFile = join(serviceData.folder, 'delays.json')
  const cards = Number(process.env['BENCH_COMMANDS_CARDS'] ?? (isQuick ? 5000 : 100_000))
  await fillCards(serviceData, { count: cards, flags: longLifetimes, say: (text) => say(`commands ${store}: ${text}`) })
  const running = await startService({
    flags: [...serviceData.flags, ...longLifetimes, '--log-level=warn'],
    ...eventLoopMeasurement(delaysFile),
    logFile: join(serviceData.folder, 'log'),
  })
  const measures: Measure[] = []
  try {
    const token = await tokenOfNewCard(running)
    const load: LoadBesideCommand = {
      perSecond: checksPerSecond,
      call: (client) => client.check(token),
      readDelays: () => readEventLoopDelays(running, delaysFile),
    }
    const alone = await measureLoad(running, load, () => pause(isQuick ? 5000 : 15_000, 0))
    say(`commands ${store}: ${String(cards)} cards, without a command: ${describeLoad(alone)}`)
    measures.push(...toMeasures(`no command ${store}`, alone))
    const planted = await measureLoad(running, load, async () => {
      await plantStall(running)
      return 0
    })
    say(`commands ${store}: planted stall: ${describeLoad(planted)}`)
    measures.push(...toPlantedMeasures(`planted stall ${store}`, planted))
    for (const command of commandLines) {
      const name = nameOfCommand(command)
      const beside = await measureLoad(running, load, () => runLongCommand(serviceData, running, { words: command }))
      say(`commands ${store}: ${name}: ${describeLoad(beside)}`)
      measures.push(...toMeasures(`${name} ${store}`, beside, alone))
    }
    return measures
  } finally {
    await running.stop()
    await serviceData.remove()
  }
}

function toMeasures(of: string, found: LoadWithCommand, alone?: LoadWithCommand): Measure[] {
  const compared =
    alone === undefined ? [] : [{ of, name: 'p99 of cards.check, compared', value: found.callsP99Ms / alone.callsP99Ms, unit: 'of alone' }]
  // The slowest commands at least have to show how far they are.
  const isWalk = /^(audit verify|store check) /.test(of) && found.seconds > 15
  const progress: Measure[] = isWalk ? [{ of, name: 'lines of progress', value: found.progressLines, unit: '', target: { least: 1 } }] : []
  return [
    { of, name: 'seconds', value: found.seconds, unit: 's' },
    ...progress,
    { of, name: 'longest stall', value: found.longestMs, unit: 'ms' },
    { of, name: 'longest stall, work', value: found.longestWorkMs, unit: 'ms of CPU', target: { most: 50 } },
    { of, name: 'slowest /healthz', value: found.slowestHealthMs, unit: 'ms' },
    { of, name: 'p99 of cards.check', value: found.callsP99Ms, unit: 'ms' },
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

const checksPerSecond = 50
