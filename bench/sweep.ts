import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import type { StoreKind } from '../fault/service-data.ts'
import { startService, type RunningService } from '../fault/spawn.ts'
import { readSweptCards, type SweepSample } from '../fault/work-off.ts'

import { measureBeside, toBesideMeasures } from './beside.ts'
import { fillCards } from '../fault/fill-cards.ts'
import type { Bench, Measure, Measurement } from './measurement.ts'

/** Many cards end within one minute: how fast the sweeper works them off, as its metrics say. */
export const sweep: Measurement = {
  name: 'sweep',
  question: 'How many ended cards a second does the sweeper work off, when there are many?',
  async run(bench) {
    const measures: Measure[] = []
    for (const store of bench.stores) measures.push(...(await measureSweep(bench, store)))
    return measures
  },
}

async function measureSweep({ dataFactory, isQuick, say }: Bench, store: StoreKind): Promise<Measure[]> {
  const serviceData = await dataFactory.create(store)
  const of = `sweep ${store}`
  const cards = Number(process.env['BENCH_SWEEP_CARDS'] ?? (isQuick ? 10_000 : 50_000))
  await fillCards(serviceData, { count: cards, flags: shortLifetime, say: (text) => say(`${of}: ${text}`) })
  const flags = [...serviceData.flags, ...shortLifetime, '--log-level=warn']
  const running = await startService({ flags, logFile: join(serviceData.folder, 'log') })
  try {
    // The sweeper begins a minute after the start.
    const alone = await measureBeside(running, serviceData, () => readSamples(running))
    while ((await readSweptCards(running)).swept === 0) await pause(1000)
    const samples: SweepSample[] = []
    const beside = await measureBeside(running, serviceData, async () => {
      for (let last = await readSweptCards(running); last.swept < cards; last = await readSweptCards(running)) {
        samples.push(last)
        if (samples.length > maxSamples)
          throw new Error(`after ${String(maxSamples)} s ${String(last.swept)} of ${String(cards)} cards are swept`)
        await pause(sampleMs)
      }
      samples.push(await readSweptCards(running))
    })
    const after = await measureBeside(running, serviceData, () => readSamples(running))
    const perSecond = speedOf(samples)
    say(`${of}: ${String(cards)} cards, ${perSecond.toFixed(0)}/s while there was a backlog`)
    const swept = (samples.at(-1)?.swept ?? 0) - (samples[0]?.swept ?? 0)
    return [
      { of, name: 'cards', value: cards, unit: '' },
      { of, name: 'cards a second', value: perSecond, unit: '/s', target: { least: cardsInAnHour / 3600 } },
      { of, name: 'a million cards', value: cardsInAnHour / perSecond / 60, unit: 'min' },
      ...toBesideMeasures(of, swept, { alone, beside, after }),
    ]
  } finally {
    await running.stop()
    await serviceData.remove()
  }
}

/** Reads the metrics as often as while cards are swept, since calls wait for that, too. */
async function readSamples(running: RunningService): Promise<void> {
  for (let waitedMs = 0; waitedMs < 15_000; waitedMs += sampleMs) {
    await readSweptCards(running)
    await pause(sampleMs)
  }
}

/** Over the time in which it worked all along: not the first and last samples of a run, which it began and ended in between. */
function speedOf(samples: readonly SweepSample[]): number {
  const isWorking = (i: number): boolean => (samples[i]?.swept ?? 0) > (samples[i - 1]?.swept ?? Infinity)
  let [swept, ms] = [0, 0]
  for (const [i, sample] of samples.entries()) {
    const before = samples[i - 1]
    if (before === undefined || !isWorking(i - 1) || !isWorking(i) || !isWorking(i + 1)) continue
    swept += sample.swept - before.swept
    ms += sample.at - before.at
  }
  if (ms < minWorkMs) throw new Error(`the sweeper worked for ${String(Math.round(ms))} ms only: end more cards`)
  return (swept / ms) * 1000
}

const cardsInAnHour = 1_000_000
const maxSamples = 7200
const sampleMs = 500
const shortLifetime = ['--unverified-lifetime-minutes=1']
/** A speed over less says nothing. */
const minWorkMs = 5000
