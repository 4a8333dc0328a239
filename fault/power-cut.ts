import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Experiment, Finding, Trial } from './experiment.ts'
import { makeHome, type Home } from './home.ts'
import { lives, reopen } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { runLoad } from './load.ts'
import { mountExt4, type PoweredDisk } from './mount.ts'
import { makeRandom, type Random } from './random.ts'
import { startTessera } from './spawn.ts'

/** The power goes: what the disk was not told to keep is gone. */
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
    return { ...found, control: { what: 'a disk that only says that it has synced', isFound: wrong.lost > 0, seen } }
  },
}

async function cutOften({ seed, say }: Trial, cuts: number, under: readonly string[] = []): Promise<Omit<Finding, 'control'>> {
  const random = makeRandom(seed)
  const disk = mountExt4(diskMegabytes)
  const [lost, complaints]: [string[], string[]] = [[], []]
  let [acknowledged, startMs] = [0, 0]
  let [home, ledger] = makeNew(disk, 0)
  try {
    for (let cut = 0; cut < cuts; cut++) {
      // Anew from time to time: the first keys and files of a home have to be durable as well.
      if (cut % cutsAHome === 0) [home, ledger] = makeNew(disk, cut)
      const before = ledger.countAcknowledged()
      await cutOnce({ disk, home, ledger, random, under })
      acknowledged += ledger.countAcknowledged() - before
      const seen = await reopen(home, ledger).catch((err: unknown) => explainUnopened(err, ledger))
      lost.push(...seen.lost)
      complaints.push(...seen.complaints)
      startMs = Math.max(startMs, seen.startMs)
      say(`${cut + 1} of ${cuts} cuts, ${acknowledged} acknowledged, ${lost.length} lost`)
    }
  } finally {
    disk.remove()
  }
  const figures = { start_ms_most: Math.round(startMs), homes: Math.ceil(cuts / cutsAHome) }
  return { acknowledged, lost: lost.length, cycles: cuts, complaints: [...complaints, ...lost], figures }
}

interface Cut {
  readonly disk: PoweredDisk
  readonly home: Home
  readonly ledger: Ledger
  readonly random: Random
  readonly under: readonly string[]
}

async function cutOnce({ disk, home, ledger, random, under }: Cut): Promise<void> {
  const running = await startTessera({ flags: [...home.flags, ...lives], under })
  let isCutting = false
  const load = runLoad({
    ...running,
    connections: 8,
    ledger,
    random,
    until: AbortSignal.timeout(loadMsMost * 2),
    isDoubted: () => isCutting,
  })
  await pause(random.between(loadMsLeast, loadMsMost))
  isCutting = true
  await disk.cutPower()
  await pause(cuttingMs)
  isCutting = false
  // An answer that still comes within this time would be one for what can no longer be durable.
  await pause(afterMs)
  await running.kill()
  await load
  disk.restorePower()
}

function makeNew(disk: PoweredDisk, number: number): [Home, Ledger] {
  return [makeHome(join(disk.folder, `home-${number}`), null), makeLedger()]
}

/** All of it is lost where nothing opens. */
function explainUnopened(err: unknown, ledger: Ledger): { lost: string[]; complaints: string[]; startMs: number } {
  const lost = ledger.fates.map(({ token }) => `card ${token.slice(0, 24)} lies in a store that does not open`)
  return { lost, complaints: [`${didNotOpen}: ${err instanceof Error ? err.message : String(err)}`], startMs: 0 }
}

const didNotOpen = 'the store did not open'
/** Every sync is answered with success and not done. */
const lyingDisk = [
  ...['strace', '-D', '-f', '-qq', '-o', '/dev/null', '--seccomp-bpf'],
  ...['-e', 'trace=fsync,fdatasync', '-e', 'inject=fsync,fdatasync:retval=0'],
]
const diskMegabytes = 256
const cutsAHome = 4
const loadMsLeast = 50
const loadMsMost = 600
const afterMs = 150
/**
 * A sync that is under way when ext4 is shut down returns success and keeps nothing: a bare loop of append and fdatasync loses its last record
 * in one cut of twenty here. A machine without power tells nobody of it, so what is answered meanwhile counts as asked for.
 */
const cuttingMs = 25
