import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { makeCallTimes, type CallTimes } from './call-times.ts'
import { createServiceData, type ServiceData } from './service-data.ts'
import { longLifetimes, reopen } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { runLoad } from './load.ts'
import { mountExt4, type PoweredDisk } from './mount.ts'
import { makeRandom, type Random } from './random.ts'
import { startService } from './spawn.ts'
import { outcomeMetrics } from './unknown-outcomes.ts'

/** The power fails: what was not synced is gone. */
export const powerCut: Experiment = {
  name: 'power-cut',
  question: 'Is anything acknowledged lost, or the store unreadable, when the power is cut under load?',
  stores: ['sqlite'],
  cycles: 20,
  needs: ['root', 'perl', 'mkfs.ext4', 'strace'],
  async run(trial) {
    const found = await cutOften(trial, trial.cycles)
    const wrong = await cutOften(trial, 2, lyingDisk)
    const seen = `${wrong.lost} of ${wrong.acknowledged} lost in 2 cuts; ${wrong.complaints.find((text) => text.startsWith(didNotOpen))?.slice(0, 90) ?? 'it opened'}`
    return { ...found, control: { what: 'a disk that reports a sync that it did not do', isFound: wrong.lost > 0, details: seen } }
  },
}

async function cutOften({ seed, say }: Trial, cuts: number, under: readonly string[] = []): Promise<Omit<ExperimentResult, 'control'>> {
  const random = makeRandom(seed)
  const disk = mountExt4(diskMegabytes)
  const [lost, complaints]: [string[], string[]] = [[], []]
  let [acknowledged, startMs] = [0, 0]
  let [serviceData, ledger] = makeNew(disk, 0)
  const ledgers = new Set([ledger])
  const times = makeCallTimes(afterCutMs)
  try {
    for (let cut = 0; cut < cuts; cut++) {
      // With an empty store from time to time: its first keys and files have to be durable as well.
      if (cut % cutsPerStore === 0) [serviceData, ledger] = makeNew(disk, cut)
      ledgers.add(ledger)
      const before = ledger.countAcknowledged()
      await cutOnce({ disk, serviceData, ledger, random, times, under })
      acknowledged += ledger.countAcknowledged() - before
      const seen = await reopen(serviceData, ledger).catch((err: unknown) => explainUnopened(err, ledger))
      lost.push(...seen.lost)
      complaints.push(...seen.complaints)
      startMs = Math.max(startMs, seen.startMs)
      say(`${cut + 1} of ${cuts} cuts, ${acknowledged} acknowledged, ${lost.length} lost`)
    }
  } finally {
    disk.remove()
  }
  const metrics = {
    start_ms_most: Math.round(startMs),
    stores: Math.ceil(cuts / cutsPerStore),
    ...times.metrics(),
    ...outcomeMetrics([...ledgers]),
  }
  return { acknowledged, lost: lost.length, cycles: cuts, complaints: [...complaints, ...lost], metrics }
}

interface PowerCutContext {
  readonly disk: PoweredDisk
  readonly serviceData: ServiceData
  readonly ledger: Ledger
  readonly random: Random
  readonly times: CallTimes
  readonly under: readonly string[]
}

async function cutOnce({ disk, serviceData, ledger, random, times, under }: PowerCutContext): Promise<void> {
  const running = await startService({ flags: [...serviceData.flags, ...longLifetimes], wrapper: under })
  let isCutting = false
  times.faultEnds()
  const load = runLoad({
    ...running,
    connections: 8,
    ledger,
    random,
    until: AbortSignal.timeout(maxLoadMs * 2),
    isUncertain: () => isCutting,
    onReply: (_, ms) => times.add(ms),
  })
  await pause(random.between(minLoadMs, maxLoadMs))
  isCutting = true
  times.faultBegins()
  await disk.cutPower()
  await pause(cutDurationMs)
  isCutting = false
  // A reply that still comes within this time would acknowledge what cannot be durable any more.
  await pause(afterMs)
  await running.kill()
  await load
  disk.restorePower()
}

function makeNew(disk: PoweredDisk, number: number): [ServiceData, Ledger] {
  return [createServiceData(join(disk.folder, `home-${number}`), null), makeLedger()]
}

/** Everything is lost where the store does not open. */
function explainUnopened(err: unknown, ledger: Ledger): { lost: string[]; complaints: string[]; startMs: number } {
  const lost = ledger.cards.map(({ token }) => `card ${token.slice(0, 24)} is in a store that does not open`)
  return { lost, complaints: [`${didNotOpen}: ${err instanceof Error ? err.message : String(err)}`], startMs: 0 }
}

const didNotOpen = 'the store did not open'
/** Every sync returns success without being done. */
const lyingDisk = [
  'strace',
  '-D',
  '-f',
  '-qq',
  '-o',
  '/dev/null',
  '--seccomp-bpf',
  '-e',
  'trace=fsync,fdatasync',
  '-e',
  'inject=fsync,fdatasync:retval=0',
]
const diskMegabytes = 256
const cutsPerStore = 4
const minLoadMs = 50
const maxLoadMs = 600
const afterMs = 150
/** The first calls after a start; a load takes 0.05 to 0.6 s. */
const afterCutMs = 200
/**
 * A sync that is in progress when ext4 is shut down returns success and stores nothing: a simple loop of append and fdatasync loses its last record
 * in one cut of twenty here. A machine without power sends no replies, so a reply in this time does not count as an acknowledgement.
 */
const cutDurationMs = 25
