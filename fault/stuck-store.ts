import { setTimeout as pause } from 'node:timers/promises'
import type { Control, Experiment, ExperimentResult, Trial } from './experiment.ts'
import { longLifetimes, reopen } from './inspect.ts'
import { makeLedger } from './ledger.ts'
import { startService } from './spawn.ts'
import { type StuckCase, stuckCases, type StuckPlace } from './stuck-store-cases.ts'
import {
  awaitLoad,
  callHeadings,
  formatCalls,
  makeStuckLoad,
  maxCallMs,
  resolveUnknown,
  runStuckLoad,
  slowestMs,
  type StuckLoad,
} from './stuck-store-load.ts'

/** The database answers nobody: a frozen disk, a lock, a recovery. */
export const stuckStore: Experiment = {
  name: 'stuck-store',
  question: 'While the database answers nobody, does every call end within 3 s, do reads go on where they can, and does readiness say so?',
  stores: ['sqlite', 'postgres'],
  cycles: 1,
  needs: ['root', 'mkfs.ext4'],
  run: (trial) =>
    runStuckCases(
      trial,
      stuckCases.filter(({ store }) => store === trial.store),
      defaultTimes,
    ),
}

export interface StuckTimes {
  readonly calmMs: number
  readonly faultMs: number
}

/** Runs the cases one after the other, and each once more with its planted fault. */
export async function runStuckCases(trial: Trial, cases: readonly StuckCase[], times: StuckTimes): Promise<ExperimentResult> {
  const results: CaseResult[] = []
  const controls: Control[] = []
  for (const stuckCase of cases) {
    for (let cycle = 0; cycle < trial.cycles; cycle++) results.push(await runCase(stuckCase, trial, times, []))
    controls.push(await runControl(stuckCase, trial, times))
    trial.say(`${stuckCase.name}: ${results.at(-1)?.complaints.length ?? 0} complaints, ${controls.at(-1)?.details ?? ''}`)
  }
  const sum = (value: (result: CaseResult) => number): number => results.reduce((total, result) => total + value(result), 0)
  return {
    acknowledged: sum(({ load }) => load.acknowledged.size),
    lost: sum(({ lost }) => lost),
    cycles: results.length,
    complaints: results.flatMap(({ name, complaints }) => complaints.map((text) => `${name}: ${text}`)),
    control: {
      what: cases.map(({ control }) => control.what).join('; '),
      isFound: controls.every(({ isFound }) => isFound),
      details: controls.map(({ details }) => details).join('; '),
    },
    table: [callHeadings, ...results.flatMap(tableOf)],
    metrics: { unknown_outcomes: sum(({ unknown }) => unknown), unknown_that_had_happened: sum(({ happened }) => happened) },
  }
}

interface CaseResult {
  readonly name: string
  readonly load: StuckLoad
  /** Calls of unknown outcome, and how many of them had in truth happened. */
  readonly unknown: number
  readonly happened: number
  readonly lost: number
  readonly complaints: readonly string[]
}

async function runCase(stuckCase: StuckCase, trial: Trial, times: StuckTimes, imports: readonly URL[]): Promise<CaseResult> {
  const place = await stuckCase.open(trial.dataFactory)
  const load = makeStuckLoad()
  try {
    const running = await startService({ flags: [...place.serviceData.flags, ...longLifetimes], imports })
    const until = new AbortController()
    const loaded = runStuckLoad(running, load, until.signal)
    await awaitLoad(load)
    await pause(times.calmMs)
    load.phase = 'during'
    await place.breakFor(times.faultMs)
    await pause(settleMs)
    load.phase = 'after'
    await pause(times.calmMs)
    until.abort()
    await loaded
    const { status } = await fetch(`${running.adminUrl}/readyz`)
    if (status !== 200) load.complaints.push(`/readyz says ${status} after the fault`)
    const unknown = load.unknown.size
    const happened = (await place.countCards()) - load.acknowledged.size
    await resolveUnknown(running, load)
    const doubles = (await place.countCards()) - load.acknowledged.size
    await running.stop()
    const lost = imports.length > 0 ? [] : await findMissing(place, load)
    const found = [...load.complaints, ...complainAbout(stuckCase, load), ...lost]
    if (doubles !== 0) found.push(`${doubles} cards more than were acknowledged`)
    return { name: stuckCase.name, load, unknown, happened, lost: lost.length, complaints: found }
  } finally {
    await place.close()
  }
}

/** Starts once more, and asks for every acknowledged card. */
async function findMissing(place: StuckPlace, load: StuckLoad): Promise<string[]> {
  const ledger = makeLedger()
  for (const token of load.acknowledged.values()) ledger.addCard(token)
  const { lost, complaints } = await reopen(place.serviceData, ledger)
  return [...lost, ...complaints]
}

function complainAbout({ mustServeReads, mustNotBeReady }: StuckCase, load: StuckLoad): string[] {
  const found: string[] = []
  const reads = load.reads.filter(({ phase }) => phase === 'during')
  const refused = reads.filter(({ outcome }) => outcome !== 'result').length
  if (mustServeReads && (refused > 0 || reads.length === 0)) found.push(`${refused} of ${reads.length} reads were refused`)
  if (mustServeReads && slowestMs(load.reads) > maxReadMs) found.push(`a read took ${Math.round(slowestMs(load.reads))} ms`)
  if (slowestMs(load.health) > maxReadMs) found.push(`the service did not answer /healthz for ${Math.round(slowestMs(load.health))} ms`)
  if (mustNotBeReady && !load.notReady.has('during')) found.push('/readyz said that the service is ready')
  return found
}

/** The same with a planted fault; it is found when a call takes longer than it may, or the service stands still. */
async function runControl(stuckCase: StuckCase, trial: Trial, times: StuckTimes): Promise<Control> {
  const { what, imports } = stuckCase.control
  const { load } = await runCase(stuckCase, trial, times, imports)
  const [call, health] = [Math.max(slowestMs(load.writes), slowestMs(load.reads)), slowestMs(load.health)]
  const details = `${stuckCase.name} with ${what}: slowest call ${Math.round(call)} ms, /healthz ${Math.round(health)} ms`
  return { what, isFound: call > maxCallMs || health > maxReadMs, details }
}

function tableOf({ name, load, unknown, happened }: CaseResult): string[][] {
  return [
    formatCalls(`${name}: cards.create`, load.writes),
    formatCalls(`${name}: cards.check`, load.reads),
    formatCalls(`${name}: /healthz`, load.health),
    [`${name}: of ${unknown} unknown outcomes ${happened} had happened`],
  ]
}

const defaultTimes: StuckTimes = { calmMs: 3000, faultMs: 8000 }
/** Calls that were sent at the very end of the fault still belong to it. */
const settleMs = 500
/** On a busy machine; the faults last several times as long. */
const maxReadMs = 1500
