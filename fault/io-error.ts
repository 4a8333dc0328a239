import { setTimeout as pause } from 'node:timers/promises'
import type { Experiment, Finding, Trial } from './experiment.ts'
import type { Home } from './home.ts'
import { lives, reopen } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { runLoad } from './load.ts'
import { makeRandom, type Random } from './random.ts'
import { startTessera } from './spawn.ts'
import type { Outcome } from './wire.ts'

/** The disk fails while a commit is made durable: nothing is known any more, and the one honest answer is to stop. */
export const ioError: Experiment = {
  name: 'io-error',
  question: 'When the disk fails within a commit (EIO), does the service end without acknowledging, and open clean afterwards?',
  stores: ['sqlite'],
  cycles: 6,
  needs: ['strace'],
  async run(trial) {
    const found = await failOften(trial, trial.cycles)
    const wrong = await failOften(trial, 1, [new URL('./doubles/ignore-io-errors.ts', import.meta.url)])
    const survived = wrong.complaints.some((text) => text.startsWith(goesOn))
    const seen = survived ? 'it went on' : `it ended: ${wrong.complaints.join('; ')}`
    return { ...found, control: { what: 'taking a failed fsync for a busy database', isFound: survived, seen } }
  },
}

async function failOften(
  { store, seed, homes, say }: Trial,
  cycles: number,
  imports: readonly URL[] = [],
): Promise<Omit<Finding, 'control'>> {
  const random = makeRandom(seed)
  const home = await homes.make(store)
  const ledger = makeLedger()
  const lost: string[] = []
  const complaints: string[] = []
  let startMs = 0
  try {
    // Without a fault first, so that what comes later is commits under load and no migration.
    await (await startTessera({ flags: home.flags })).stop()
    for (let cycle = 0; cycle < cycles; cycle++) {
      const call = cycle % 3 === 2 ? writes : syncs
      complaints.push(...(await failOnce(home, { ledger, random, call, imports })))
      const seen = await reopen(home, ledger)
      lost.push(...seen.lost)
      complaints.push(...seen.complaints)
      startMs = Math.max(startMs, seen.startMs)
      say(`${cycle + 1} of ${cycles} failures of ${call}, ${ledger.countAcknowledged()} acknowledged, ${lost.length} lost`)
    }
  } finally {
    await home.remove()
  }
  const figures = { start_ms_most: Math.round(startMs) }
  return { acknowledged: ledger.countAcknowledged(), lost: lost.length, cycles, complaints: [...complaints, ...lost], figures }
}

interface Failure {
  readonly ledger: Ledger
  readonly random: Random
  readonly call: string
  readonly imports: readonly URL[]
}

/**
 * One start, whose n-th call of some kind fails in the thread that commits. The load goes on until the service is gone, or a call succeeds after
 * one that failed: a slow machine takes its time to come to the n-th.
 */
async function failOnce(home: Home, { ledger, random, call, imports }: Failure): Promise<string[]> {
  const inject = `inject=${call}:error=EIO:when=${random.between(10, 60)}`
  const under = ['strace', '-D', '-f', '-qq', '-o', '/dev/null', '--seccomp-bpf', '-e', `trace=${call}`, '-e', inject]
  const running = await startTessera({ flags: [...home.flags, ...lives], under, imports })
  const ending = new AbortController()
  const late = setTimeout(() => ending.abort(), loadSecondsMax * 1000)
  let refused = 0
  const answered = ({ kind }: Outcome): void => {
    if (kind === 'refused') refused += 1
    if (kind === 'result' && refused > 0) ending.abort()
  }
  const refusals = await runLoad({ ...running, connections: 8, ledger, random, until: ending.signal, answered })
  clearTimeout(late)
  const code = await Promise.race([running.ended, pause(imports.length === 0 ? graceMs : controlGraceMs, 'runs' as const, { ref: false })])
  await running.kill()
  if (code !== 'runs')
    return code === ioErrorExit ? [] : [`it ended with ${String(code)} and not ${ioErrorExit}: ${running.said().slice(-300)}`]
  return [refusals.size > 0 ? `${goesOn} (refused: ${[...refusals.keys()].join(', ')})` : `no commit failed in ${loadSecondsMax} s of load`]
}

const syncs = 'fsync,fdatasync'
const writes = 'pwrite64'
const goesOn = 'it goes on after a failed commit'
const loadSecondsMax = 60
const graceMs = 10_000
/** A service that goes on uses up all of it. */
const controlGraceMs = 1000
/** EX_IOERR of sysexits.h. */
const ioErrorExit = 74
