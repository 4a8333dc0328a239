import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { isOutcomeUnknown, openApiClient, tokenOf, type ApiClient, type CallOutcome } from './api-client.ts'
import { faultPhases, type FaultPhase } from './call-times.ts'
import { ConnectionLost } from './http-connection.ts'
import { panWithNetworkOtp } from './load.ts'
import type { RunningService } from './spawn.ts'
import { largest, percentile } from './statistics.ts'

/** One measured call. */
interface MeasuredCall {
  /** `during` for every call that the fault met: one that was in progress when it began waits as one that was sent later. */
  readonly phase: FaultPhase
  readonly ms: number
  readonly outcome: 'result' | 'unknown' | 'refused'
}

/** What a load saw while the fault came and went. */
export interface StuckLoad {
  phase: FaultPhase
  readonly writes: MeasuredCall[]
  readonly reads: MeasuredCall[]
  /** Milliseconds of GET /healthz, which needs no database: how long the answering thread stood still. */
  readonly health: MeasuredCall[]
  /** Cards whose creation was acknowledged, by the key of the call. */
  readonly acknowledged: Map<string, string>
  /** Keys of calls of unknown outcome. */
  readonly unknown: Set<string>
  readonly complaints: string[]
  /** Whether /readyz said that the service is not ready, in each phase. */
  readonly notReady: Set<FaultPhase>
}

export function makeStuckLoad(): StuckLoad {
  const [acknowledged, unknown, notReady] = [new Map<string, string>(), new Set<string>(), new Set<FaultPhase>()]
  return { phase: 'before', writes: [], reads: [], health: [], acknowledged, unknown, complaints: [], notReady }
}

/** Creates cards, each under its own key, checks known ones, and asks for health and readiness, until it is aborted. */
export async function runStuckLoad(running: RunningService, load: StuckLoad, until: AbortSignal): Promise<void> {
  const known = await createKnown(running, load)
  const repeat = (run: (client: ApiClient) => Promise<void>) => async (): Promise<void> => {
    const client = await openApiClient(running)
    while (!until.aborted) {
      await run(client)
      await pause(callPauseMs)
    }
    client.close()
  }
  const write = repeat((client) => createKeyed(client, load, randomUUID()))
  const read = repeat((client) => checkKnown(client, load, known[Math.floor(Math.random() * known.length)] ?? ''))
  await Promise.all([...Array.from({ length: writers }, write), ...Array.from({ length: readers }, read), probe(running, load, until)])
}

/** Resolves when every client has had a reply: before that, on a busy machine, a fault would meet the preparation of the load only. */
export async function awaitLoad(load: StuckLoad): Promise<void> {
  const isRunning = (): boolean => load.reads.length >= readers && load.writes.length >= knownCards + writers
  for (let waitedMs = 0; waitedMs < maxLoadWaitMs; waitedMs += probePauseMs) {
    if (isRunning()) return
    await pause(probePauseMs)
  }
  throw new Error(
    `after ${maxLoadWaitMs} ms the load has had ${load.writes.length} replies to cards.create and ${load.reads.length} to cards.check`,
  )
}

async function createKnown(running: RunningService, load: StuckLoad): Promise<string[]> {
  const client = await openApiClient(running)
  for (let count = 0; count < knownCards; count++) await createKeyed(client, load, randomUUID())
  client.close()
  return [...load.acknowledged.values()]
}

/** Creates a card; called again with the key of an unknown outcome, it finds out. */
export async function createKeyed(client: ApiClient, load: StuckLoad, key: string): Promise<void> {
  const card = { number: panWithNetworkOtp, expire: '0399' }
  const outcome = await measureCall(load, load.writes, () => client.call('cards.create', { card, save: true }, key))
  if (outcome.kind === 'result') {
    load.acknowledged.set(key, tokenOf(outcome.result))
    load.unknown.delete(key)
  } else if (isOutcomeUnknown(outcome)) load.unknown.add(key)
}

async function checkKnown(client: ApiClient, load: StuckLoad, token: string): Promise<void> {
  await measureCall(load, load.reads, () => client.check(token))
}

async function measureCall(load: StuckLoad, calls: MeasuredCall[], call: () => Promise<CallOutcome>): Promise<CallOutcome> {
  const sentIn = load.phase
  const startedAt = performance.now()
  const outcome = await call()
  const ms = performance.now() - startedAt
  calls.push({
    phase: phaseOf(sentIn, load),
    ms,
    outcome: outcome.kind === 'result' ? 'result' : isOutcomeUnknown(outcome) ? 'unknown' : 'refused',
  })
  if (ms > maxCallMs) load.complaints.push(`a call took ${Math.round(ms)} ms: ${describe(outcome)}`)
  if (outcome.kind === 'lost' || (outcome.kind === 'refused' && !isRetryable(outcome)))
    load.complaints.push(`a call ended with ${describe(outcome)}`)
  return outcome
}

/** The clients that have a call in progress when the fault begins may be all of them; then none is sent before the fault is over. */
function phaseOf(sentIn: FaultPhase, { phase }: StuckLoad): FaultPhase {
  return sentIn === phase ? sentIn : 'during'
}

/** HTTP 503 that says when to call again. */
function isRetryable({ status, reason, retryAfterMs = 0 }: Extract<CallOutcome, { kind: 'refused' }>): boolean {
  return status === 503 && retryAfterMs > 0 && ['store_unavailable', 'outcome_unknown', 'overloaded'].includes(reason)
}

function describe(outcome: CallOutcome): string {
  return outcome.kind === 'refused'
    ? `${outcome.reason}, status ${outcome.status}, retry after ${String(outcome.retryAfterMs)} ms`
    : outcome.kind === 'lost'
      ? outcome.why
      : 'a result'
}

async function probe(running: RunningService, load: StuckLoad, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    const sentIn = load.phase
    const startedAt = performance.now()
    await fetch(`${running.adminUrl}/healthz`)
    load.health.push({ phase: phaseOf(sentIn, load), ms: performance.now() - startedAt, outcome: 'result' })
    const { status } = await fetch(`${running.adminUrl}/readyz`)
    if (status === 503) load.notReady.add(sentIn)
    await pause(probePauseMs)
  }
}

/** Repeats every call of unknown outcome under its key, until it is known. */
export async function resolveUnknown(running: RunningService, load: StuckLoad): Promise<void> {
  const client = await openApiClient(running)
  for (const key of [...load.unknown]) {
    for (let attempts = 0; load.unknown.has(key) && attempts < maxAttempts; attempts++) {
      await createKeyed(client, load, key).catch((err: unknown) => {
        if (!(err instanceof ConnectionLost)) throw err
      })
      if (load.unknown.has(key)) await pause(100)
    }
  }
  client.close()
}

/** A row of the report for one kind of call: p99 before, during and after the fault, and the slowest call during it. */
export function formatCalls(name: string, calls: readonly MeasuredCall[]): string[] {
  const of = (phase: FaultPhase): MeasuredCall[] => calls.filter((call) => call.phase === phase)
  const during = of('during')
  const count = (outcome: MeasuredCall['outcome']): string => String(during.filter((call) => call.outcome === outcome).length)
  const p99s = faultPhases.map((phase) => p99(of(phase).map(({ ms }) => ms)))
  return [name, ...p99s, `${Math.round(slowestMs(calls))} ms`, count('result'), count('unknown'), count('refused')]
}

export const callHeadings = [
  'calls',
  'p99 before',
  'during',
  'after',
  'slowest during',
  'results during',
  'unknown during',
  'refused during',
]

/** The slowest call that the fault met. */
export function slowestMs(calls: readonly MeasuredCall[]): number {
  return largest(calls.filter(({ phase }) => phase === 'during').map(({ ms }) => ms))
}

function p99(durations: readonly number[]): string {
  return durations.length === 0 ? '—' : `${Math.round(percentile(durations, 0.99))} ms`
}

export const maxCallMs = 3000
const writers = 24
const readers = 8
const knownCards = 20
const callPauseMs = 4
const probePauseMs = 50
const maxAttempts = 50
const maxLoadWaitMs = 60_000
