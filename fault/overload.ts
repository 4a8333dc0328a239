import { runCardCrowd, type CardCrowdResult } from './card-crowd.ts'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { longLifetimes, reopen } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { findRefusalFaults, latePercent, readRefusals, type MeasuredRefusals } from './overload-refusals.ts'
import { plantedFaults } from './planted-faults.ts'
import { startService } from './spawn.ts'
import { outcomeMetrics } from './unknown-outcomes.ts'

/** Five times as many writes as the store can take. */
export const overload: Experiment = {
  name: 'overload',
  question:
    'At five times the capacity of its store, does the service still do at least 80 % of that capacity in time, and refuse the rest within 50 ms?',
  stores: ['sqlite', 'postgres'],
  cycles: 1,
  needs: [],
  async run(trial) {
    const found = await overloadOnce(trial, [])
    const control = await overloadOnce(trial, withoutShedding)
    const isFound = control.goodput < minGoodput
    const details = `${percent(control.goodput)} of the capacity in time, p99 ${control.p99Ms.toFixed(0)} ms`
    return { ...judge(found), control: { what: 'calls are never refused for the time that they would wait', isFound, details } }
  },
}

interface OverloadRun {
  readonly ledger: Ledger
  readonly lost: readonly string[]
  readonly complaints: readonly string[]
  readonly rounds: readonly CardCrowdResult[]
  /** Cards created in time during overload, against what the store can take. */
  readonly goodput: number
  readonly p99Ms: number
  readonly refusals: MeasuredRefusals
}

async function overloadOnce({ store, dataFactory, say }: Trial, flags: readonly string[]): Promise<OverloadRun> {
  const serviceData = await dataFactory.create(store)
  const ledger = makeLedger()
  try {
    const running = await startService({
      flags: [...serviceData.flags, ...longLifetimes, '--log-level=warn', ...flags],
      imports: [plantedFaults.slowWrites],
    })
    const run = async (name: string, clients: number, ms: number): Promise<CardCrowdResult> => {
      const round = await runCardCrowd({ ...running, name, clients, ms }, ledger)
      say(describe(round).join(' · '))
      return round
    }
    await run('warming', capacity, 1500)
    const before = await run('before', capacity * 0.9, 3000)
    const during = await run('during', capacity * 5, 6000)
    const refusals = await readRefusals(running)
    const after = await run('after', capacity / 2, 2000)
    await running.stop()
    const { lost, complaints } = await reopen(serviceData, ledger)
    const goodput = during.goodPerSecond / capacity
    return { ledger, lost, complaints, rounds: [before, during, after], goodput, p99Ms: during.p99Ms, refusals }
  } finally {
    await serviceData.remove()
  }
}

function judge({ ledger, lost, complaints, rounds, goodput, refusals }: OverloadRun): Omit<ExperimentResult, 'control'> {
  const found = [...complaints, ...lost, ...findRefusalFaults(refusals)]
  if (goodput < minGoodput) found.push(`at five times the capacity ${percent(goodput)} of it was done in time`)
  return {
    acknowledged: ledger.countAcknowledged(),
    lost: lost.length,
    cycles: 1,
    complaints: found,
    table: [['', 'clients', 'in time/s', 'p99', 'refused', 'without reply'], ...rounds.map(describe)],
    metrics: { goodput_percent: goodput * 100, refused_later_than_50_ms_percent: latePercent(refusals), ...outcomeMetrics([ledger]) },
  }
}

function describe({ name, clients, goodPerSecond, p99Ms, refused, withoutReply }: CardCrowdResult): string[] {
  return [name, String(clients), goodPerSecond.toFixed(0), `${p99Ms.toFixed(0)} ms`, String(refused), String(withoutReply)]
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

/** Writes a second of the double of the store: the peak. */
const capacity = 50
const minGoodput = 0.8
const withoutShedding = ['--commit-wait-ms=600000']
