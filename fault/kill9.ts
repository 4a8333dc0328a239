import { setTimeout as pause } from 'node:timers/promises'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { plantedFaults } from './planted-faults.ts'
import { makeCallTimes, type CallTimes } from './call-times.ts'
import { largest, median } from './statistics.ts'
import { stopAndVerify, findLost, findLostCodes, longLifetimes } from './inspect.ts'
import { minAcknowledged, untilAcknowledged, type KillPlan } from './kill-plan.ts'
import { makeLedger } from './ledger.ts'
import { runLoad, type Load } from './load.ts'
import { makeRandom } from './random.ts'
import { startService, type RunningService } from './spawn.ts'
import { outcomeMetrics, resolveUnknownOutcomes } from './unknown-outcomes.ts'

/** The process is killed repeatedly under load. */
export const kill9: Experiment = {
  name: 'kill9',
  question: 'Does anything acknowledged get lost when the process is killed (SIGKILL) under load?',
  stores: ['sqlite', 'postgres'],
  cycles: 100,
  needs: [],
  async run(trial) {
    const found = await killOften(trial, { cycles: trial.cycles })
    const imports = [plantedFaults.acknowledgeEarly]
    const wrong = await killOften(trial, { cycles: controlCycles, maxCycles: maxControlCycles, imports })
    return { ...found, control: { what: 'acknowledging 20 ms before COMMIT', ...describeControl(wrong) } }
  },
}

type KillResult = Omit<ExperimentResult, 'control'>

function describeControl({ lost, acknowledged, cycles }: KillResult): { isFound: boolean; details: string } {
  return { isFound: lost > 0, details: `${lost} of ${acknowledged} lost in ${cycles} cycles` }
}

/** Starts with an empty store, kills and restarts `cycles` times, and at last checks every card once more. */
export async function killOften({ store, seed, dataFactory, say }: Trial, kills: KillPlan): Promise<KillResult> {
  const { cycles, maxCycles: cyclesMax = cycles, imports = [], workers = 1 } = kills
  const random = makeRandom(seed)
  const serviceData = await dataFactory.create(store)
  const ledger = makeLedger()
  const complaints: string[] = []
  const lost = new Set<string>()
  const startMs: number[] = []
  const times = makeCallTimes(afterMs)
  let cycle = 0
  try {
    for (; ; cycle++) {
      const running = await startService({ flags: [...serviceData.flags, ...longLifetimes, `--workers=${workers}`], imports })
      startMs.push(running.startMs)
      await resolveUnknownOutcomes(running, serviceData, ledger)
      const seen = ledger.cards.slice(cycle >= cycles ? 0 : -maxChecked)
      for (const fault of [...(await findLostCodes(running, seen)), ...(await findLost(running, seen))]) lost.add(fault)
      if (cycle >= cyclesMax || (cycle >= cycles && lost.size > 0)) {
        complaints.push(...(await stopAndVerify(running, serviceData)))
        break
      }
      const least = cycle < cycles - 1 ? 0 : minAcknowledged(kills)
      complaints.push(...(await loadAndKill(running, { ledger, random, times, least })))
      if (cycle % 10 === 9) say(`${cycle + 1} of ${cycles} cycles, ${ledger.countAcknowledged()} acknowledged, ${lost.size} lost`)
    }
  } finally {
    await serviceData.remove()
  }
  const metrics = {
    start_ms_median: Math.round(median(startMs)),
    start_ms_most: Math.round(largest(startMs)),
    cards: ledger.cards.length,
    ...times.metrics(),
    ...outcomeMetrics([ledger]),
  }
  return {
    acknowledged: ledger.countAcknowledged(),
    lost: lost.size,
    cycles: cycle,
    complaints: [...complaints, ...lost],
    metrics,
  }
}

/** Any refusal under this load is a fault: every card is one that succeeds. */
async function loadAndKill(running: RunningService, { ledger, random, times, least }: LoadBeforeKill): Promise<string[]> {
  const ending = new AbortController()
  times.faultEnds()
  const onReply = (_: unknown, ms: number): void => times.add(ms)
  const load = runLoad({ ...running, connections: 8, ledger, random, until: ending.signal, onReply })
  await pause(random.between(minLoadMs, maxLoadMs))
  await untilAcknowledged(least, () => ledger.countAcknowledged(), running)
  times.faultBegins()
  await running.kill()
  ending.abort()
  return [...(await load)].map(([reason, times]) => `refused under load: ${reason} (${times} times)`)
}

interface LoadBeforeKill extends Pick<Load, 'ledger' | 'random'> {
  /** A kill is a fault until the next load begins. */
  readonly times: CallTimes
  /** How much has to be acknowledged in all before the kill. */
  readonly least: number
}

/** How many of the newest cards are checked after each start; at the end all of them are. */
const maxChecked = 1000
/** The first calls after a start; a load takes 0.02 to 0.8 s. */
const afterMs = 200
const minLoadMs = 20
const maxLoadMs = 800
const [controlCycles, maxControlCycles] = [5, 20]
