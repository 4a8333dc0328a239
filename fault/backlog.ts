import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

import { callBeside, type CallsBeside } from './calls-beside.ts'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { fillCards } from './fill-cards.ts'
import { findLost, longLifetimes, stopAndVerify } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { countFailures, p99Ms } from './open-load.ts'
import { plantedFaults } from './planted-faults.ts'
import type { ServiceData } from './service-data.ts'
import { startService, type RunningService } from './spawn.ts'
import { findCardKey, readResealedCards, readSweptCards, runJsonCommand } from './work-off.ts'

/** Work that must finish: the numbers of many cards whose lifetime is over, and many cards under a key that is compromised. */
export const backlog: Experiment = {
  name: 'backlog',
  question: 'Do sweeper and tessera keys reseal work off many cards at a million an hour or faster, while calls go on?',
  stores: ['sqlite', 'postgres'],
  cycles: 1,
  needs: [],
  async run(trial) {
    const found = await workOffBoth(trial, { cards: 20_000, calmMs: 15_000, maxMs: 300_000 })
    trial.say('once more, at a constant speed')
    const slow = await workOffBoth(trial, { cards: 1000, calmMs: 1000, maxMs: 35_000 }, [plantedFaults.constantPace])
    const { reseal_per_second: reseal = 0, sweep_per_second: sweep = 0 } = slow.metrics
    return {
      ...found,
      control: {
        what: 'a hundred cards in thirty seconds, however many wait',
        isFound: reseal < minPerSecond && sweep < minPerSecond,
        details: `${reseal.toFixed(1)} cards a second resealed, ${sweep.toFixed(1)} swept`,
      },
    }
  },
}

export interface BacklogSize {
  readonly cards: number
  /** Without work, before and after. */
  readonly calmMs: number
  /** The work is measured for so long at most. */
  readonly maxMs: number
}

/** Fills a store, rotates the key and reseals, and then lets the lifetime of all cards end. */
export async function workOffBoth(
  { store, dataFactory, say }: Trial,
  { cards, calmMs, maxMs }: BacklogSize,
  imports: readonly URL[] = [],
): Promise<Omit<ExperimentResult, 'control'>> {
  const serviceData = await dataFactory.create(store)
  const ledger = makeLedger()
  try {
    await fillCards(serviceData, { count: cards, flags: longLifetimes, say })
    const flags = [...serviceData.flags, ...longLifetimes, '--log-level=warn']
    const running = await startService({ flags, imports, logFile: join(serviceData.folder, 'log') })
    const run: BacklogRun = { running, serviceData, ledger, maxMs }
    const calm = (): Promise<CallsBeside> => callBeside(running, () => pause(calmMs), ledger.addCard)
    // The code of a service that was just started is being compiled.
    await calm()
    const before = await calm()
    const reseal = await resealAll(run)
    say(`resealed: ${describeWork(reseal)}`)
    const lost = await findLost(running, ledger.cards)
    const sweep = await sweepAll(run, cards + ledger.cards.length)
    say(`swept: ${describeWork(sweep)}`)
    const after = await calm()
    const failed = [before, reseal.calls, sweep.calls, after].reduce((sum, calls) => sum + calls.failed, 0)
    return {
      acknowledged: ledger.countAcknowledged(),
      lost: lost.length,
      cycles: 1,
      complaints: [
        ...lost,
        ...[reseal, sweep].flatMap(findBacklogFaults),
        ...(failed === 0 ? [] : [`${failed} calls had no result`]),
        ...(await stopAndVerify(running, serviceData)),
      ],
      metrics: {
        reseal_per_second: reseal.perSecond,
        sweep_per_second: sweep.perSecond,
        p99_before_ms: before.p99Ms,
        p99_during_reseal_ms: p99Ms(reseal.calls.calls),
        p99_during_sweep_ms: p99Ms(sweep.calls.calls),
        p99_after_ms: after.p99Ms,
      },
    }
  } finally {
    await serviceData.remove()
  }
}

interface BacklogRun {
  readonly running: RunningService
  readonly serviceData: ServiceData
  readonly ledger: Ledger
  readonly maxMs: number
}

/** What became of a backlog, and what calls noticed of it. */
interface WorkedOff {
  readonly work: string
  readonly cards: number
  readonly left: number
  readonly perSecond: number
  readonly calls: Pick<CallsBeside, 'failed' | 'calls'>
}

/** A key is compromised: another one takes its place, and the command reseals its cards. */
async function resealAll({ running, serviceData, ledger, maxMs }: BacklogRun): Promise<WorkedOff> {
  const [merchantId = ''] = running.xAuth.split(':')
  const old = await findCardKey(serviceData, merchantId)
  const watched = { from: 0, to: 0, cards: 0, left: 0 }
  const calls = await callBeside(
    running,
    async () => {
      await runJsonCommand(serviceData, ['keys', 'rotate', 'card', merchantId])
      const before = await readResealedCards(running)
      watched.from = performance.now()
      const command = runJsonCommand(serviceData, ['keys', 'reseal', old])
      const left = command.then(
        (result) => (result as { readonly left: number }).left,
        (err: unknown) => err,
      )
      const end = await Promise.race([left, pause(maxMs, null, { ref: false })])
      if (end instanceof Error) throw end
      watched.to = performance.now()
      watched.left = typeof end === 'number' ? end : NaN
      watched.cards = (await readResealedCards(running)) - before
    },
    ledger.addCard,
  )
  return toWorkedOff('tessera keys reseal', watched, calls)
}

/** The clock of the test environment moves to when all cards have ended, and the sweeper deletes their numbers. It looks once a minute. */
async function sweepAll({ running, serviceData, maxMs }: BacklogRun, stored: number): Promise<WorkedOff> {
  const watched = { from: 0, to: 0, cards: 0, left: 0 }
  let due = stored
  const watch = async (): Promise<void> => {
    let last = await readSweptCards(running)
    const atFirst = last.swept
    const all = due
    await runJsonCommand(serviceData, ['sandbox', 'clock', '2d'])
    for (let next = last; last.swept < atFirst + all; last = next) {
      await pause(sampleMs)
      next = await readSweptCards(running)
      if (next.swept === atFirst) watched.from = next.at
      else if (next.at - watched.from > maxMs) break
    }
    watched.to = last.at
    watched.cards = last.swept - atFirst
    watched.left = Math.max(0, all - watched.cards)
  }
  const calls = await callBeside(running, watch, () => (due += 1))
  return toWorkedOff('the sweeper', watched, calls)
}

interface WatchedWork {
  readonly from: number
  readonly to: number
  readonly cards: number
  readonly left: number
}

/** With the calls that were sent while the work was done. */
function toWorkedOff(work: string, { from, to, cards, left }: WatchedWork, { calls }: CallsBeside): WorkedOff {
  const beside = calls.filter(({ sentAt }) => sentAt >= from && sentAt < to)
  return { work, cards, left, perSecond: (cards * 1000) / (to - from), calls: { failed: countFailures(beside), calls: beside } }
}

function findBacklogFaults({ work, perSecond, left }: WorkedOff): string[] {
  return [
    ...(perSecond >= minPerSecond ? [] : [`${work} worked off ${perSecond.toFixed(1)} cards a second`]),
    ...(left === 0 ? [] : [`${work} left cards (${left})`]),
  ]
}

function describeWork({ cards, perSecond, calls }: WorkedOff): string {
  return `${cards} cards, ${perSecond.toFixed(0)} a second, p99 of calls ${p99Ms(calls.calls).toFixed(1)} ms`
}

/** A million cards in an hour. */
const minPerSecond = 1_000_000 / 3600
const sampleMs = 200
