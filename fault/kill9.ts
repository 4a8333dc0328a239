import { setTimeout as pause } from 'node:timers/promises'
import type { Experiment, Finding, Trial } from './experiment.ts'
import { largest, median } from './figures.ts'
import { endWell, findLost, findLostCodes, lives } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { runLoad } from './load.ts'
import { makeRandom, type Random } from './random.ts'
import { startTessera, type Running } from './spawn.ts'

/** The process is killed again and again, in the middle of its work. */
export const kill9: Experiment = {
  name: 'kill9',
  question: 'Does anything acknowledged get lost when the process is killed (SIGKILL) under load?',
  stores: ['sqlite', 'postgres'],
  cycles: 100,
  needs: [],
  async run(trial) {
    const found = await killOften(trial, trial.cycles)
    const wrong = await killOften(trial, controlCycles, [new URL('./doubles/acknowledge-early.ts', import.meta.url)])
    return { ...found, control: { what: 'acknowledging 20 ms before COMMIT', ...seenOf(wrong) } }
  },
}

type Killed = Omit<Finding, 'control'>

function seenOf({ lost, acknowledged, cycles }: Killed): { isFound: boolean; seen: string } {
  return { isFound: lost > 0, seen: `${lost} of ${acknowledged} lost in ${cycles} cycles` }
}

/** Starts on a new home, and kills and starts again as often as told; at last everything is looked at once more. */
export async function killOften({ store, seed, homes, say }: Trial, cycles: number, imports: readonly URL[] = []): Promise<Killed> {
  const random = makeRandom(seed)
  const home = await homes.make(store)
  const ledger = makeLedger()
  const complaints: string[] = []
  const lost = new Set<string>()
  const startMs: number[] = []
  try {
    for (let cycle = 0; cycle <= cycles; cycle++) {
      const running = await startTessera({ flags: [...home.flags, ...lives], imports })
      startMs.push(running.startMs)
      const seen = ledger.fates.slice(cycle === cycles ? 0 : -checkedMax)
      for (const fault of [...(await findLostCodes(running, seen)), ...(await findLost(running, seen))]) lost.add(fault)
      if (cycle === cycles) complaints.push(...(await endWell(running, home)))
      else complaints.push(...(await loadAndKill(running, ledger, random)))
      if (cycle % 10 === 9) say(`${cycle + 1} of ${cycles} cycles, ${ledger.countAcknowledged()} acknowledged, ${lost.size} lost`)
    }
  } finally {
    await home.remove()
  }
  const figures = { start_ms_median: Math.round(median(startMs)), start_ms_most: Math.round(largest(startMs)), cards: ledger.fates.length }
  return { acknowledged: ledger.countAcknowledged(), lost: lost.size, cycles, complaints: [...complaints, ...lost], figures }
}

/** Refusals under this load would be a fault of their own: every card is one that succeeds. */
async function loadAndKill(running: Running, ledger: Ledger, random: Random): Promise<string[]> {
  const ending = new AbortController()
  const load = runLoad({ ...running, connections: 8, ledger, random, until: ending.signal })
  await pause(random.between(loadMsLeast, loadMsMost))
  await running.kill()
  ending.abort()
  return [...(await load)].map(([reason, times]) => `refused under load: ${reason} (${times} times)`)
}

/** Cards of the last cycles that are looked at after each start; at the end all of them are. */
const checkedMax = 1000
const loadMsLeast = 20
const loadMsMost = 800
const controlCycles = 5
