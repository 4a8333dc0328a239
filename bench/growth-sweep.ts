import { setTimeout as pause } from 'node:timers/promises'

import { fillCards } from '../fault/fill-cards.ts'
import type { ServiceData } from '../fault/service-data.ts'
import { startService } from '../fault/spawn.ts'
import { readSweptCards } from '../fault/work-off.ts'

import type { Measure } from './measurement.ts'

/** Adds cards that end after a minute to a store of cards that do not, and measures how fast the sweeper works them off. It begins a minute after a start. */
export async function measureSweepAmong(serviceData: ServiceData, flags: readonly string[], of: string): Promise<Measure[]> {
  await fillCards(serviceData, { count: endedCards, flags: ['--unverified-lifetime-minutes=1'] })
  const running = await startService({ flags })
  try {
    const giveUpAt = performance.now() + maxWaitMs
    let last = await readSweptCards(running)
    let before = last
    while (last.swept < endedCards) {
      if (performance.now() > giveUpAt) throw new Error(`after ten minutes ${String(last.swept)} of ${String(endedCards)} cards are swept`)
      await pause(sampleMs)
      if (last.swept === 0) before = last
      last = await readSweptCards(running)
    }
    return [
      {
        of: `sweep ${of}`,
        name: 'speed',
        value: endedCards / ((last.at - before.at) / 1000),
        unit: 'cards a second',
        target: { least: 278 },
      },
    ]
  } finally {
    await running.stop()
  }
}

const endedCards = 10_000
const sampleMs = 50
const maxWaitMs = 600_000
