import { setTimeout as pause } from 'node:timers/promises'
import { openApiClient, tokenOf, type ApiClient, type CallOutcome } from './api-client.ts'
import { faultPhases, makeCallTimes, type CallTimes } from './call-times.ts'
import type { Experiment, Trial } from './experiment.ts'
import { setClock, startWithFakeClock } from './fake-clock.ts'
import { findLost } from './inspect.ts'
import { makeLedger, type Ledger } from './ledger.ts'
import { panWithOurOtp } from './load.ts'
import { plantedFaults } from './planted-faults.ts'
import type { ServiceData } from './service-data.ts'
import { runCommand, type RunningService } from './spawn.ts'

/** The wall clock is set ahead by more than a month, and put right again: nothing may be gone. */
export const clockJump: Experiment = {
  name: 'clock-jump',
  question: 'Is anything destroyed or moved because the wall clock jumps by forty days, also over a restart?',
  stores: ['sqlite', 'postgres'],
  cycles: 1,
  needs: ['faketime'],
  async run(trial) {
    // At the same time, since each waits for the jobs that run once a minute.
    const control = tryCase(trial, { name: 'without a guard', restarts: false, isGuarded: false })
    const [tried, behind] = await Promise.all([Promise.all(cases.map((one) => tryCase(trial, one))), tryBehind(trial)])
    const unguarded = await control
    return {
      acknowledged: tried.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
      lost: tried.reduce((sum, { lost }) => sum + lost.length, 0),
      cycles: tried.length,
      complaints: [...tried.flatMap(({ complaints, lost }) => [...complaints, ...lost]), ...behind],
      table: [
        ['case', 'acknowledged', 'destroyed or moved', '/readyz', 'clock status', 'cards.check p99 ms before', 'during', 'after'],
        ...[unguarded, ...tried].map(({ name, acknowledged, lost, state, exit, p99Ms }) =>
          [name, acknowledged, lost.length, state, exit, ...faultPhases.map((phase) => p99Ms[`p99_${phase}_ms`]?.toFixed(1))].map(String),
        ),
      ],
      metrics: { clock_ahead_days: daysAhead },
      control: {
        what: 'a service that trusts any clock',
        isFound: unguarded.lost.length > 0,
        details: `${String(unguarded.lost.length)} of ${String(unguarded.acknowledged)} destroyed or moved: ${unguarded.lost[0] ?? 'nothing'}`,
      },
    }
  },
}

interface Case {
  readonly name: string
  /** The service is restarted while the clock is wrong. */
  readonly restarts: boolean
  readonly isGuarded: boolean
}

const cases: readonly Case[] = [
  { name: 'a jump while running', restarts: false, isGuarded: true },
  { name: 'a jump, and a restart', restarts: true, isGuarded: true },
]

interface CaseResult {
  readonly name: string
  readonly acknowledged: number
  /** What was acknowledged and is gone, or was moved. */
  readonly lost: readonly string[]
  readonly complaints: readonly string[]
  readonly state: string
  /** Exit code of `tessera clock status`. */
  readonly exit: number | null
  /** Of cards.check, by phase. */
  readonly p99Ms: Readonly<Record<string, number>>
}

async function tryCase({ store, dataFactory, say }: Trial, { name, restarts, isGuarded }: Case): Promise<CaseResult> {
  const serviceData = await dataFactory.create(store)
  const start = (): Promise<RunningService> =>
    startWithFakeClock(serviceData, {
      flags: [],
      imports: isGuarded ? [] : [plantedFaults.trustAnyClock],
    })
  setClock(serviceData, '+0')
  let running = await start()
  try {
    const made = await createSubjects(running)
    const times = makeCallTimes()
    await checkCards(running, made.cards, { ms: calmMs, times })
    times.faultBegins()
    setClock(serviceData, `+${String(daysAhead)}d`)
    if (restarts) {
      // The refusal has to be noted before.
      await pause(3000)
      await running.stop()
      running = await start()
    }
    say(`${name}: waiting for the jobs that run once a minute`)
    await checkCards(running, made.cards, { ms: jobsMs, times })
    const state = await readState(running)
    const { code: exit } = await runCommand(['clock', 'status', ...dataFlags(serviceData)])
    setClock(serviceData, '+0')
    times.faultEnds()
    await checkCards(running, made.cards, { ms: calmMs, times })
    const lost = [...(await findLost(running, made.cards.cards)), ...(await findMoved(running, made.receipts))]
    const complaints =
      isGuarded && (state !== 'degraded' || exit !== 1) ? [`${name}: /readyz says ${state}, clock status ends with ${String(exit)}`] : []
    return { name, acknowledged: made.cards.cards.length + made.receipts.length, lost, complaints, state, exit, p99Ms: times.metrics() }
  } finally {
    await running.stop()
    await serviceData.remove()
  }
}

/** A start whose clock stands behind what the service has noted: refused until it is confirmed. */
async function tryBehind({ store, dataFactory }: Trial): Promise<string[]> {
  const serviceData = await dataFactory.create(store)
  setClock(serviceData, '+0')
  await (await startWithFakeClock(serviceData, { flags: [] })).stop()
  setClock(serviceData, '-1h')
  const running = await startWithFakeClock(serviceData, { flags: [] })
  try {
    const refused = await readState(running)
    const confirmed = await runCommand([
      'clock',
      'confirm',
      '--time',
      new Date(Date.now() - 3_600_000).toISOString(),
      ...dataFlags(serviceData),
    ])
    const after = await readState(running)
    return refused === 'degraded' && confirmed.code === 0 && after === 'ready'
      ? []
      : [`a clock an hour behind: /readyz says ${refused}, clock confirm ends with ${String(confirmed.code)}, then ${after}`]
  } finally {
    await running.stop()
    await serviceData.remove()
  }
}

interface Subjects {
  readonly cards: Ledger
  /** Ids of receipts that nobody has paid. */
  readonly receipts: readonly string[]
}

/** Cards that live for half an hour, and receipts that may be paid for twelve. */
async function createSubjects(running: RunningService): Promise<Subjects> {
  const cards = makeLedger()
  const receipts: string[] = []
  const client = await openApiClient(running)
  try {
    for (let at = 0; at < subjectsPerCase; at++) {
      cards.addCard(tokenOf(expectResult(await client.create(panWithOurOtp))))
      const created = expectResult(await client.call('receipts.create', { amount: 500_000, account: { order_id: String(at) } }))
      receipts.push((created['receipt'] as { _id: string })._id)
    }
    return { cards, receipts }
  } finally {
    client.close()
  }
}

/** A card every 20 ms for some time. */
async function checkCards(running: RunningService, { cards }: Ledger, { ms, times }: { ms: number; times: CallTimes }): Promise<void> {
  const client = await openApiClient(running)
  const until = performance.now() + ms
  for (let sent = 0; performance.now() < until; sent++) {
    const sentAt = performance.now()
    await client.check(cards[sent % cards.length]?.token ?? '')
    times.add(performance.now() - sentAt)
    await pause(20)
  }
  client.close()
}

async function findMoved(running: RunningService, receipts: readonly string[]): Promise<string[]> {
  const client = await openApiClient(running)
  try {
    const moved: string[] = []
    for (const id of receipts) {
      const state = await readReceiptState(client, id)
      if (state !== 0) moved.push(`receipt ${id} is in state ${String(state)}`)
    }
    return moved
  } finally {
    client.close()
  }
}

async function readReceiptState(client: ApiClient, id: string): Promise<number> {
  return (expectResult(await client.call('receipts.check', { id }))['state'] ?? -1) as number
}

async function readState({ adminUrl }: RunningService): Promise<string> {
  const readiness = (await (await fetch(new URL('/readyz', adminUrl))).json()) as { state: string }
  return readiness.state
}

function dataFlags({ flags }: ServiceData): string[] {
  return flags.filter((flag) => flag.startsWith('--data='))
}

function expectResult(outcome: CallOutcome): Readonly<Record<string, unknown>> {
  if (outcome.kind !== 'result') throw new Error(`a call that has to succeed: ${JSON.stringify(outcome)}`)
  return outcome.result
}

const daysAhead = 40
const subjectsPerCase = 25
/** The sweeper runs once a minute. */
const jobsMs = 70_000
/** Less than the second for which calls count as after the jump. */
const calmMs = 800
