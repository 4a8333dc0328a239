import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { longLifetimes } from '../fault/inspect.ts'
import type { StoreKind } from '../fault/service-data.ts'
import { startService } from '../fault/spawn.ts'
import { findCardKey, runJsonCommand } from '../fault/work-off.ts'

import { measureBeside, toBesideMeasures } from './beside.ts'
import { fillCards } from '../fault/fill-cards.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'

/** A key is compromised: how fast its cards are resealed by command while calls go on, and what the calls notice. */
export const reseal: Measurement = {
  name: 'reseal',
  question: 'How many cards a second does tessera keys reseal beside a load of calls, and how much slower are these?',
  async run(bench) {
    const measures: Measure[] = []
    for (const store of bench.stores) measures.push(...(await measureReseal(bench, store)))
    return measures
  },
}

async function measureReseal({ dataFactory, isQuick, say }: Bench, store: StoreKind): Promise<Measure[]> {
  const serviceData = await dataFactory.create(store)
  const of = `reseal ${store}`
  const cards = Number(process.env['BENCH_RESEAL_CARDS'] ?? (isQuick ? 5000 : 50_000))
  await fillCards(serviceData, { count: cards, flags: longLifetimes, say: (text) => say(`${of}: ${text}`) })
  const flags = [...serviceData.flags, ...longLifetimes, '--log-level=warn']
  const running = await startService({ flags, logFile: join(serviceData.folder, 'log') })
  try {
    const alone = await measureBeside(running, serviceData, () => pause(isQuick ? 5000 : 15_000))
    const [merchantId = ''] = running.xAuth.split(':')
    const old = await findCardKey(serviceData, merchantId)
    await runJsonCommand(serviceData, ['keys', 'rotate', 'card', merchantId])
    let resealed = 0
    const beside = await measureBeside(running, serviceData, async () => {
      resealed = ((await runJsonCommand(serviceData, ['keys', 'reseal', old, ...shareFlags])) as { readonly resealed: number }).resealed
    })
    const after = await measureBeside(running, serviceData, () => pause(isQuick ? 5000 : 15_000))
    const perSecond = resealed / beside.seconds
    say(
      `${of}: ${String(resealed)} cards in ${beside.seconds.toFixed(1)} s; p99 of calls ${alone.p99Ms.toFixed(1)} ms alone, ${beside.p99Ms.toFixed(1)} ms beside it`,
    )
    return [
      { of, name: 'cards', value: resealed, unit: '' },
      { of, name: 'cards a second', value: perSecond, unit: '/s', target: { least: cardsInAnHour / 3600 } },
      { of, name: 'a million cards', value: cardsInAnHour / perSecond / 60, unit: 'min' },
      ...toBesideMeasures(of, resealed, { alone, beside, after }),
    ]
  } finally {
    await running.stop()
    await serviceData.remove()
  }
}

const cardsInAnHour = 1_000_000
/** Of the time, in percent: what an operator says whose key is compromised. Default: that of the command. */
const share = process.env['BENCH_RESEAL_SHARE']
const shareFlags = share === undefined ? [] : ['--share', share]
