import { setTimeout as pause } from 'node:timers/promises'
import type { Experiment, Trial } from './experiment.ts'
import { plantedFaults } from './planted-faults.ts'
import type { ServiceData } from './service-data.ts'
import { findLost } from './inspect.ts'
import { makeLedger } from './ledger.ts'
import { panWithNetworkOtp, testOtp, panWithOurOtp } from './load.ts'
import { setClock, startWithFakeClock } from './fake-clock.ts'
import type { RunningService } from './spawn.ts'
import { openApiClient, tokenOf, type CallOutcome } from './api-client.ts'

/** The wall clock is set, or runs wrong, while codes are valid. A code is valid for ten seconds here instead of 180. */
export const clock: Experiment = {
  name: 'clock',
  question: 'Is a code ever accepted after its true lifetime, or a token lost, when the wall clock jumps or runs wrong?',
  stores: ['sqlite', 'postgres'],
  cycles: 1,
  needs: ['faketime'],
  async run(trial) {
    const starts = { ...trial, inTurn: createQueue() }
    const believing = tryCase(starts, shortJump, [plantedFaults.useWallClock])
    const tried = await Promise.all(cases.map((one) => tryCase(starts, one)))
    const wrong = await believing
    return {
      acknowledged: tried.length * cardsPerCase,
      lost: tried.reduce((sum, { lost }) => sum + lost.length, 0),
      cycles: tried.length,
      complaints: tried.flatMap(({ complaints, lost }) => [...complaints, ...lost]),
      metrics: { otp_lifetime_s: lifetimeSeconds },
      control: {
        what: 'a lifetime measured by the wall clock alone',
        isFound: wrong.complaints.length > 0,
        details: wrong.complaints[0] ?? 'nothing',
      },
    }
  },
}

/** What happens between requesting a code and submitting it, and whether the code may be accepted then. */
interface Case {
  readonly name: string
  /** As libfaketime takes it: `-2h` is two hours back, `+0 x0.5` half as fast. */
  readonly clock: string
  readonly restarts: boolean
  /** Before the clock is set, and after it. */
  readonly waitsSeconds: readonly [number, number]
  readonly isAccepted: boolean
  /** The code's lifetime, where it differs. */
  readonly lifetimeSeconds?: number
}

const lifetimeSeconds = 10
const afterLifetime = lifetimeSeconds + 1
const jump = { restarts: false, isAccepted: false }
/** Long enough for a slow machine to submit in time. */
const within = { lifetimeSeconds: 60, isAccepted: true }
/** Not noticed by a lifetime measured by the wall clock alone: there the code is three seconds old, in truth eleven. */
const shortJump: Case = { ...jump, name: 'back by 8 s, after the lifetime', clock: '-8s', waitsSeconds: [8, 3] }

const cases: readonly Case[] = [
  { ...within, name: 'the clock is right, within the lifetime', clock: '+0', restarts: false, waitsSeconds: [0, 1] },
  { name: 'the clock is right, after the lifetime', clock: '+0', restarts: false, waitsSeconds: [0, afterLifetime], isAccepted: false },
  { ...jump, name: 'back by 2 h, after the lifetime', clock: '-2h', waitsSeconds: [0, afterLifetime] },
  { ...jump, name: 'back by 2 h, at once', clock: '-2h', waitsSeconds: [0, 1] },
  { ...jump, name: 'ahead by 12 h, at once', clock: '+12h', waitsSeconds: [0, 1] },
  { ...jump, name: 'ahead by 1 d, at once', clock: '+1d', waitsSeconds: [0, 1] },
  shortJump,
  { ...jump, name: 'half as fast, after the lifetime', clock: '+0 x0.5', waitsSeconds: [0, afterLifetime] },
  { ...jump, name: 'back by 2 h over a restart, after the lifetime', clock: '-2h', restarts: true, waitsSeconds: [0, afterLifetime] },
]

/** The waits of all cases overlap, their starts do not: ten services that start at once would each exceed the start timeout. */
interface Starts extends Trial {
  inTurn<T>(start: () => Promise<T>): Promise<T>
}

function createQueue(): Starts['inTurn'] {
  let last: Promise<unknown> = Promise.resolve()
  return (start) => {
    const started = last.then(start, start)
    last = started
    return started
  }
}

async function tryCase(
  { store, dataFactory, inTurn }: Starts,
  one: Case,
  imports: readonly URL[] = [],
): Promise<{ complaints: string[]; lost: string[] }> {
  const serviceData = await dataFactory.create(store)
  const ledger = makeLedger()
  setClock(serviceData, '+0')
  let running = await inTurn(() => startFaked(serviceData, one, imports))
  try {
    const verified = ledger.addCard(await createCode(running, panWithNetworkOtp))
    expectResult(await submit(running, verified.token))
    verified.verify = 'acknowledged'
    const open = [await createCode(running, panWithNetworkOtp), await createCode(running, panWithOurOtp)]
    const [before, after] = one.waitsSeconds
    await pause(before * 1000)
    if (one.restarts) await running.stop()
    setClock(serviceData, one.clock)
    if (one.restarts) running = await inTurn(() => startFaked(serviceData, one, imports))
    await pause(after * 1000)
    const complaints: string[] = []
    for (const token of open) {
      const outcome = await submit(running, token)
      if ((outcome.kind === 'result') !== one.isAccepted)
        complaints.push(`${one.name}: the reply to a code was ${describeOutcome(outcome)}`)
    }
    return { complaints, lost: await findLost(running, ledger.cards) }
  } finally {
    await running.stop()
    await serviceData.remove()
  }
}

function startFaked(serviceData: ServiceData, one: Case, imports: readonly URL[]): Promise<RunningService> {
  const lifetimes = [`--otp-lifetime-seconds=${one.lifetimeSeconds ?? lifetimeSeconds}`, '--unverified-lifetime-minutes=1440']
  return startWithFakeClock(serviceData, { flags: lifetimes, imports })
}

async function createCode(running: RunningService, pan: string): Promise<string> {
  const client = await openApiClient(running)
  try {
    const token = tokenOf(expectResult(await client.create(pan)))
    expectResult(await client.requestCode(token))
    return token
  } finally {
    client.close()
  }
}

async function submit(running: RunningService, token: string): Promise<CallOutcome> {
  const client = await openApiClient(running)
  try {
    return await client.verify(token, testOtp)
  } finally {
    client.close()
  }
}

function expectResult(outcome: CallOutcome): Readonly<Record<string, unknown>> {
  if (outcome.kind !== 'result') throw new Error(`the reply to a call that has to succeed was ${describeOutcome(outcome)}`)
  return outcome.result
}

function describeOutcome(outcome: CallOutcome): string {
  return outcome.kind === 'refused' ? outcome.reason : outcome.kind === 'lost' ? 'none' : 'a verified card'
}

const cardsPerCase = 3
