import { setTimeout as pause } from 'node:timers/promises'
import type { Experiment, Finding, Trial } from './experiment.ts'
import { largest, median } from './figures.ts'
import { endWell, findLost, findLostCodes, lives } from './inspect.ts'
import { acknowledgedLeast, untilAcknowledged, type Kills } from './kills.ts'
import { makeLedger } from './ledger.ts'
import { runLoad, type Load } from './load.ts'
import { makeRandom } from './random.ts'
import { startTessera, type Running } from './spawn.ts'

/** The process is killed again and again, in the middle of its work. */
export const kill9: Experiment = {
  name: 'kill9',
  question: 'Does anything acknowledged get lost when the process is killed (SIGKILL) under load?',
  stores: ['sqlite', 'postgres'],
  cycles: 100,
  needs: [],
  async run(trial) {
    const found = await killOften(trial, { cycles: trial.cycles })
    const imports = [new URL('./doubles/acknowledge-early.ts', import.meta.url)]
    const wrong = await killOften(trial, { cycles: controlCycles, cyclesMax: controlCyclesMax, imports })
    return { ...found, control: { what: 'acknowledging 20 ms before COMMIT', ...seenOf(wrong) } }
  },
}

type Killed = Omit<Finding, 'control'>

function seenOf({ lost, acknowledged, cycles }: Killed): { isFound: boolean; seen: string } {
  return { isFound: lost > 0, seen: `${lost} of ${acknowledged} lost in ${cycles} cycles` }
}

/** Starts on a new home, and kills and starts again as often as told; at last everything is looked at once more. */
export async function killOften({ store, seed, homes, say }: Trial, kills: Kills): Promise<Killed> {
  const { cycles, cyclesMax = cycles, imports = [] } = kills
  const random = makeRandom(seed)
  const home = await homes.make(store)
  const ledger = makeLedger()
  const complaints: string[] = []
  const lost = new Set<string>()
  const startMs: number[] = []
  let cycle = 0
  try {
    for (; ; cycle++) {
      const running = await startTessera({ flags: [...home.flags, ...lives], imports })
      startMs.push(running.startMs)
      const seen = ledger.fates.slice(cycle >= cycles ? 0 : -checkedMax)
      for (const fault of [...(await findLostCodes(running, seen)), ...(await findLost(running, seen))]) lost.add(fault)
      if (cycle >= cyclesMax || (cycle >= cycles && lost.size > 0)) {
        complaints.push(...(await endWell(running, home)))
        break
      }
      const least = cycle < cycles - 1 ? 0 : acknowledgedLeast(kills)
      complaints.push(...(await loadAndKill(running, { ledger, random, least })))
      if (cycle % 10 === 9) say(`${cycle + 1} of ${cycles} cycles, ${ledger.countAcknowledged()} acknowledged, ${lost.size} lost`)
    }
  } finally {
    await home.remove()
  }
  const figures = { start_ms_median: Math.round(median(startMs)), start_ms_most: Math.round(largest(startMs)), cards: ledger.fates.length }
  return { acknowledged: ledger.countAcknowledged(), lost: lost.size, cycles: cycle, complaints: [...complaints, ...lost], figures }
}

/** Refusals under this load would be a fault of their own: every card is one that succeeds. */
async function loadAndKill(running: Running, { ledger, random, least }: Loading): Promise<string[]> {
  const ending = new AbortController()
  const load = runLoad({ ...running, connections: 8, ledger, random, until: ending.signal })
  await pause(random.between(loadMsLeast, loadMsMost))
  await untilAcknowledged(least, () => ledger.countAcknowledged(), running)
  await running.kill()
  ending.abort()
  return [...(await load)].map(([reason, times]) => `refused under load: ${reason} (${times} times)`)
}

interface Loading extends Pick<Load, 'ledger' | 'random'> {
  /** What has to be acknowledged in all before the kill. */
  readonly least: number
}

/** Cards of the last cycles that are looked at after each start; at the end all of them are. */
const checkedMax = 1000
const loadMsLeast = 20
const loadMsMost = 800
const [controlCycles, controlCyclesMax] = [5, 20]
