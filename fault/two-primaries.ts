import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { CallOutcome } from './api-client.ts'
import type { FaultPhase } from './call-times.ts'
import { openDroppingHost } from './dropping-host.ts'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { findLost, longLifetimes } from './inspect.ts'
import { makeLedger, type Ledger, type UnknownOutcomes } from './ledger.ts'
import { runLoad, waitForNewCard } from './load.ts'
import { plantedFaults } from './planted-faults.ts'
import { endServiceConnections, startPair, type PostgresPair } from './postgres-pair.ts'
import { makeRandom } from './random.ts'
import { createServiceData, makeFolder, type ServiceData } from './service-data.ts'
import { runCommand, startService, type RunningService } from './spawn.ts'
import { largest, percentile } from './statistics.ts'
import { outcomeMetrics, resolveUnknownOutcomes } from './unknown-outcomes.ts'

/** A primary is cut off, its standby promoted, and then the old primary comes back and accepts writes too. */
export const twoPrimaries: Experiment = {
  name: 'two-primaries',
  question:
    'When an old primary comes back after a failover, is any acknowledged card denied, and does the service refuse until it is over?',
  stores: ['postgres'],
  cycles: 1,
  needs: [],
  async run(trial) {
    const found: TwoPrimariesResult[] = []
    for (let cycle = 0; cycle < trial.cycles; cycle++) found.push(await failOver(trial))
    return { ...summarize(found), control: await denyWithoutFence(trial) }
  },
}

export interface TwoPrimariesResult {
  readonly acknowledged: number
  readonly lost: readonly string[]
  readonly complaints: readonly string[]
  readonly outcomes: UnknownOutcomes
  /** Calls in which the sandbox's network could not use the database. */
  readonly networkErrors: number
  /** From the promotion to the first card on the new primary. */
  readonly followMs: number
  /** From the return of the old primary to the refusal. */
  readonly refusalMs: number
  readonly ms: Readonly<Record<FaultPhase, readonly number[]>>
}

/** Runs all of it once, under load. */
export async function failOver({ seed, say }: Trial): Promise<TwoPrimariesResult> {
  const { pair, serviceData, running, ledger, logFile } = await startOnPair()
  const seen: FailoverObservations = {
    phase: 'before',
    ms: { before: [], during: [], after: [] },
    networkErrors: 0,
    denied: [],
    complaints: [],
  }
  const until = new AbortController()
  const load = runLoad({
    ...running,
    connections: 4,
    ledger,
    random: makeRandom(seed),
    until: until.signal,
    onReply: observe(seen),
    maxPauseMs: 20,
  })
  try {
    await pause(1500)
    seen.phase = 'during'
    const followMs = await cutOffAndPromote(pair, running, ledger)
    say(`followed the promoted standby after ${Math.round(followMs)} ms`)
    await pause(1000)
    const refusalMs = await comeBack(pair, running)
    say(`refused ${Math.round(refusalMs)} ms after the old primary came back`)
    await pair.first.cluster.crash()
    await expectReady(running, 'the old primary was stopped', seen)
    say('followed the newer one by itself after the older one was stopped')
    await refuseOlder(pair, running, seen)
    say('refused the old primary while it was the only one')
    await choose(pair, running, serviceData, seen)
    say('followed the chosen one')
    seen.phase = 'after'
    await pause(1500)
    until.abort()
    await load
    const lost = [...seen.denied, ...(await findLost(running, ledger.cards))]
    await resolveUnknownOutcomes(running, { ...serviceData, databaseUrl: pair.second.cluster.url }, ledger)
    if (seen.complaints.length + seen.networkErrors > 0) say(`errors in the log:\n${readErrors(logFile).join('\n')}`)
    return {
      acknowledged: ledger.countAcknowledged(),
      lost,
      complaints: seen.complaints,
      outcomes: ledger.outcomes,
      networkErrors: seen.networkErrors,
      followMs,
      refusalMs,
      ms: seen.ms,
    }
  } finally {
    until.abort()
    await running.stop()
    await load
    await pair.stop()
    await serviceData.remove()
  }
}

interface FailoverObservations {
  phase: FaultPhase
  readonly ms: Record<FaultPhase, number[]>
  networkErrors: number
  readonly denied: string[]
  readonly complaints: string[]
}

/** A card that was acknowledged is never denied, and a refusal allows a retry. The network of the sandbox is in the same database, and fails with it. */
function observe(seen: FailoverObservations): (outcome: CallOutcome, ms: number) => void {
  return (outcome, ms) => {
    seen.ms[seen.phase].push(ms)
    if (ms > maxCallMs) seen.complaints.push(`a call took ${Math.round(ms)} ms`)
    if (outcome.kind !== 'refused') return
    if (outcome.reason === 'card_not_found') seen.denied.push('an acknowledged card was answered with card_not_found')
    else if (outcome.reason === 'system_error') seen.networkErrors += 1
    else if (outcome.status !== 503) seen.complaints.push(`refused with ${outcome.reason}, status ${outcome.status}`)
  }
}

async function startOnPair(imports: readonly URL[] = []) {
  const pair = await startPair()
  // A third host, named first, whose packets are dropped: it must delay neither replies nor the refusal.
  const dropping = await openDroppingHost()
  const serviceData = createServiceData(makeFolder(), pair.url.replace('@', `@127.0.0.1:${dropping.port},`))
  const logFile = join(serviceData.folder, 'log')
  const running = await startService({ flags: [...serviceData.flags, ...longLifetimes, '--limits=off'], imports, logFile })
  const stopPair = async (): Promise<void> => {
    await pair.stop()
    await dropping.close()
  }
  return { pair: { ...pair, stop: stopPair }, serviceData, running, ledger: makeLedger(), logFile }
}

function readErrors(logFile: string): string[] {
  return readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"level":"error"'))
    .slice(-maxErrorLines)
}

async function cutOffAndPromote(pair: PostgresPair, running: RunningService, ledger: Ledger): Promise<number> {
  pair.first.proxy.hold()
  await pair.promoteSecond()
  return waitForNewCard(running, ledger, maxWaitMs)
}

/** The old primary accepts writes again, as it did before it was cut off. */
async function comeBack(pair: PostgresPair, running: RunningService): Promise<number> {
  const startedAt = performance.now()
  pair.first.proxy.release()
  await awaitState(running, ({ state }) => state === 'primary_refused', 'the old primary came back')
  await expectAlarm(running, 1)
  return performance.now() - startedAt
}

/** The newer primary is away, and the old one is the only server that accepts writes. */
async function refuseOlder(pair: PostgresPair, running: RunningService, seen: FailoverObservations): Promise<void> {
  await pair.second.cluster.crash()
  await pair.first.cluster.start()
  await awaitState(running, ({ state }) => state === 'primary_refused', 'only the old primary was there')
  await endServiceConnections(pair.first)
  await pair.second.cluster.start()
  await awaitState(running, ({ reason = '' }) => reason.includes('two servers'), 'both were there').catch((err: unknown) => {
    seen.complaints.push(String(err))
  })
}

async function choose(pair: PostgresPair, running: RunningService, { flags }: ServiceData, seen: FailoverObservations): Promise<void> {
  const { code, out } = await runCommand(['store', 'choose-primary', pair.second.address, '--yes', ...flags])
  if (code !== 0) seen.complaints.push(`tessera store choose-primary ended with ${String(code)}: ${out}`)
  await expectReady(running, 'an operator chose the newer one', seen)
  await expectAlarm(running, 0)
}

async function expectReady(running: RunningService, after: string, seen: FailoverObservations): Promise<void> {
  await awaitState(running, ({ ready }) => ready, after).catch((err: unknown) => {
    seen.complaints.push(String(err))
  })
}

interface ReadyReply {
  readonly ready: boolean
  readonly state: string
  readonly reason?: string
}

async function awaitState({ adminUrl }: RunningService, isReached: (reply: ReadyReply) => boolean, after: string): Promise<void> {
  let last: ReadyReply | null = null
  const startedAt = performance.now()
  while (performance.now() - startedAt < maxWaitMs) {
    last = (await (await fetch(`${adminUrl}/readyz`)).json()) as ReadyReply
    if (isReached(last)) return
    await pause(50)
  }
  throw new Error(`after ${after}, /readyz said ${last?.state ?? 'nothing'}: ${last?.reason ?? ''}`)
}

async function expectAlarm({ adminUrl }: RunningService, value: 0 | 1): Promise<void> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
  if (!metrics.includes(`tessera_primary_refused{database="cards"} ${value}`)) throw new Error(`tessera_primary_refused is not ${value}`)
}

/** Without the fence, connections that break after the old primary came back may find it first. */
async function denyWithoutFence({ say, seed }: Trial): Promise<ExperimentResult['control']> {
  const { pair, serviceData, running, ledger } = await startOnPair([plantedFaults.firstPrimary])
  let denied: string[] = []
  try {
    await cutOffAndPromote(pair, running, ledger)
    const until = AbortSignal.timeout(1000)
    await runLoad({ ...running, connections: 4, ledger, random: makeRandom(seed), until })
    pair.first.proxy.release()
    for (let round = 0; round < maxControlRounds && denied.length === 0; round++) {
      await endServiceConnections(pair.second)
      await pause(500)
      denied = (await findLost(running, ledger.cards)).filter((text) => text.includes('card_not_found'))
      say(`control, round ${round + 1}: ${denied.length} of ${ledger.cards.length} acknowledged cards denied`)
    }
    const details = `${denied.length} of ${ledger.cards.length} acknowledged cards answered with card_not_found`
    return { what: 'the first server that accepts writes is used', isFound: denied.length > 0, details }
  } finally {
    await running.stop()
    await pair.stop()
    await serviceData.remove()
  }
}

function summarize(found: readonly TwoPrimariesResult[]): Omit<ExperimentResult, 'control'> {
  const sum = (read: (one: TwoPrimariesResult) => number): number => found.reduce((total, one) => total + read(one), 0)
  const p99 = (phase: FaultPhase): number =>
    Math.round(
      percentile(
        found.flatMap(({ ms }) => ms[phase]),
        0.99,
      ),
    )
  return {
    acknowledged: sum(({ acknowledged }) => acknowledged),
    lost: sum(({ lost }) => lost.length),
    cycles: found.length,
    complaints: found.flatMap(({ complaints, lost }) => [...complaints, ...lost]),
    metrics: {
      followed_ms: Math.round(largest(found.map(({ followMs }) => followMs))),
      refused_ms: Math.round(largest(found.map(({ refusalMs }) => refusalMs))),
      ...outcomeMetrics(found),
      network_errors: sum(({ networkErrors }) => networkErrors),
      slowest_during_ms: Math.round(largest(found.flatMap(({ ms }) => ms.during))),
      p99_before_ms: p99('before'),
      p99_during_ms: p99('during'),
      p99_after_ms: p99('after'),
    },
  }
}

const maxWaitMs = 15_000
const maxCallMs = 3000
const maxControlRounds = 12
const maxErrorLines = 20
