import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Experiment, Trial } from './experiment.ts'
import type { Home } from './home.ts'
import { findLost } from './inspect.ts'
import { makeLedger } from './ledger.ts'
import { networkSendsPan, sandboxCode, weSendPan } from './load.ts'
import { findFaketimeLibrary } from './needs.ts'
import { startTessera, type Running } from './spawn.ts'
import { openWire, tokenOf, type Outcome } from './wire.ts'

/** Somebody sets the wall clock, or it runs wrong, while codes live. Lives are ten seconds here instead of 180. */
export const clock: Experiment = {
  name: 'clock',
  question: 'Is a code ever accepted after its true life, or a token lost, when the wall clock jumps or runs wrong?',
  stores: ['sqlite', 'postgres'],
  cycles: 1,
  needs: ['faketime'],
  async run(trial) {
    const starts = { ...trial, inTurn: makeTurns() }
    const believing = tryCase(starts, shortJump, [new URL('./doubles/believe-wall-clock.ts', import.meta.url)])
    const tried = await Promise.all(cases.map((one) => tryCase(starts, one)))
    const wrong = await believing
    return {
      acknowledged: tried.length * cardsACase,
      lost: tried.reduce((sum, { lost }) => sum + lost.length, 0),
      cycles: tried.length,
      complaints: tried.flatMap(({ complaints, lost }) => [...complaints, ...lost]),
      figures: { otp_life_s: lifeSeconds },
      control: {
        what: 'a life measured by the wall clock alone',
        isFound: wrong.complaints.length > 0,
        seen: wrong.complaints[0] ?? 'nothing',
      },
    }
  },
}

/** What is done between asking for a code and submitting it, and whether the code may count then. */
interface Case {
  readonly name: string
  /** In libfaketime's words: `-2h` is two hours back, `+0 x0.5` half as fast. */
  readonly clock: string
  readonly restarts: boolean
  /** Before the clock is set, and after it. */
  readonly waitsSeconds: readonly [number, number]
  readonly isAccepted: boolean
  /** A code's, where it is not that of the others. */
  readonly lifeSeconds?: number
}

const lifeSeconds = 10
const afterLife = lifeSeconds + 1
const jump = { restarts: false, isAccepted: false }
/** A slow machine comes to the submitting in time, however late. */
const within = { lifeSeconds: 60, isAccepted: true }
/** What a life measured by the wall clock alone does not see: by the wall it is three seconds old, in truth eleven. */
const shortJump: Case = { ...jump, name: 'back by 8 s, after the life', clock: '-8s', waitsSeconds: [8, 3] }

const cases: readonly Case[] = [
  { ...within, name: 'the clock is right, within the life', clock: '+0', restarts: false, waitsSeconds: [0, 1] },
  { name: 'the clock is right, after the life', clock: '+0', restarts: false, waitsSeconds: [0, afterLife], isAccepted: false },
  { ...jump, name: 'back by 2 h, after the life', clock: '-2h', waitsSeconds: [0, afterLife] },
  { ...jump, name: 'back by 2 h, at once', clock: '-2h', waitsSeconds: [0, 1] },
  { ...jump, name: 'ahead by 12 h, at once', clock: '+12h', waitsSeconds: [0, 1] },
  { ...jump, name: 'ahead by 1 d, at once', clock: '+1d', waitsSeconds: [0, 1] },
  shortJump,
  { ...jump, name: 'half as fast, after the life', clock: '+0 x0.5', waitsSeconds: [0, afterLife] },
  { ...jump, name: 'back by 2 h over a restart, after the life', clock: '-2h', restarts: true, waitsSeconds: [0, afterLife] },
]

/** The waits of all cases overlap; their starts do not: ten services that start at once are each slower than one is waited for. */
interface Starts extends Trial {
  inTurn<T>(start: () => Promise<T>): Promise<T>
}

function makeTurns(): Starts['inTurn'] {
  let last: Promise<unknown> = Promise.resolve()
  return (start) => {
    const started = last.then(start, start)
    last = started
    return started
  }
}

async function tryCase(
  { store, homes, inTurn }: Starts,
  one: Case,
  imports: readonly URL[] = [],
): Promise<{ complaints: string[]; lost: string[] }> {
  const home = await homes.make(store)
  const ledger = makeLedger()
  setClock(home, '+0')
  let running = await inTurn(() => startFaked(home, one, imports))
  try {
    const verified = ledger.created(await makeCode(running, networkSendsPan))
    expectResult(await submit(running, verified.token))
    verified.verify = 'acknowledged'
    const open = [await makeCode(running, networkSendsPan), await makeCode(running, weSendPan)]
    const [before, after] = one.waitsSeconds
    await pause(before * 1000)
    if (one.restarts) await running.stop()
    setClock(home, one.clock)
    if (one.restarts) running = await inTurn(() => startFaked(home, one, imports))
    await pause(after * 1000)
    const complaints: string[] = []
    for (const token of open) {
      const outcome = await submit(running, token)
      if ((outcome.kind === 'result') !== one.isAccepted) complaints.push(`${one.name}: a code was answered ${tell(outcome)}`)
    }
    return { complaints, lost: await findLost(running, ledger.fates) }
  } finally {
    await running.stop()
    await home.remove()
  }
}

function startFaked(home: Home, one: Case, imports: readonly URL[]): Promise<Running> {
  const library = findFaketimeLibrary()
  if (library === null) throw new Error('libfaketime is not installed')
  // The monotonic clock stays true: it is what the kernel would tell, and what timers run by.
  const env = { LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: clockFileOf(home), FAKETIME_NO_CACHE: '1', DONT_FAKE_MONOTONIC: '1' }
  const lives = [`--otp-life-seconds=${one.lifeSeconds ?? lifeSeconds}`, '--unverified-life-minutes=1440']
  return startTessera({ flags: [...home.flags, ...lives], env, imports })
}

function setClock(home: Home, text: string): void {
  writeFileSync(clockFileOf(home), `${text}\n`)
}

function clockFileOf(home: Home): string {
  return join(home.folder, 'clock')
}

async function makeCode(running: Running, pan: string): Promise<string> {
  const wire = await openWire(running)
  try {
    const token = tokenOf(expectResult(await wire.create(pan)))
    expectResult(await wire.askCode(token))
    return token
  } finally {
    wire.close()
  }
}

async function submit(running: Running, token: string): Promise<Outcome> {
  const wire = await openWire(running)
  try {
    return await wire.verify(token, sandboxCode)
  } finally {
    wire.close()
  }
}

function expectResult(outcome: Outcome): Readonly<Record<string, unknown>> {
  if (outcome.kind !== 'result') throw new Error(`a call that has to succeed was answered ${tell(outcome)}`)
  return outcome.result
}

function tell(outcome: Outcome): string {
  return outcome.kind === 'refused' ? outcome.reason : outcome.kind === 'lost' ? 'not at all' : 'a verified card'
}

const cardsACase = 3
