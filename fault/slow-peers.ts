import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isOutcomeUnknown, openApiClient, tokenOf, type ApiClient, type CallOutcome } from './api-client.ts'
import { faultPhases, type FaultPhase } from './call-times.ts'
import { peerSwitchVariable } from './doubles/peer-switch.ts'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { panWithNetworkOtp, panWithOurOtp } from './load.ts'
import { callsBetween, countOutcomes, p99Ms, startOpenLoad, type OpenLoad, type RunningLoad, type SentCall } from './open-load.ts'
import { watchPeer, type PeerWatch } from './peer-watch.ts'
import { plantedFaults } from './planted-faults.ts'
import type { ServiceData } from './service-data.ts'
import { startService, type RunningService } from './spawn.ts'
import { countSentCodes } from './statement.ts'

/** Of the size of one run: the bounds of the service scale with it. */
export interface SlowPeerScale {
  /** Calls a second that need the slow system. */
  readonly perSecond: number
  readonly inFlightMax: number
  /** How long the system responds before, and does not respond then. */
  readonly beforeMs: number
  readonly slowMs: number
  /** How long it then takes to answer. */
  readonly answerMs: number
  /** Settings of the breaker, in place of their defaults. */
  readonly flags?: readonly string[]
}

const fullScale: SlowPeerScale = { perSecond: 600, inFlightMax: 2000, beforeMs: 6000, slowMs: 10_000, answerMs: 10_000 }

/** The system that becomes slow: its calls, and the reply while its breaker is open. */
export interface SlowPeer {
  readonly peer: 'network' | 'sms'
  /** A card whose code needs the system. */
  readonly pan: string
  readonly code: number
  readonly reason: string
}

export const slowNetworkPeer: SlowPeer = { peer: 'network', pan: panWithNetworkOtp, code: -31002, reason: 'network_unavailable' }
const slowSmsPeer: SlowPeer = { peer: 'sms', pan: panWithOurOtp, code: -31110, reason: 'sms_not_sent' }

export const slowNetwork = slowPeerExperiment(
  'slow-network',
  slowNetworkPeer,
  'Do other calls go on while the card network answers after 10 s?',
)
export const slowSms = slowPeerExperiment('slow-sms', slowSmsPeer, 'Do other calls go on while the SMS gateway answers after 10 s?')

function slowPeerExperiment(name: string, peer: SlowPeer, question: string): Experiment {
  return { name, question, stores: ['sqlite', 'postgres'], cycles: 1, needs: [], run: (trial) => run(trial, peer) }
}

async function run(trial: Trial, peer: SlowPeer): Promise<ExperimentResult> {
  const bounded = await makeSlow(trial, peer, fullScale)
  trial.say('once more, without bounds')
  const unbounded = await makeSlow(trial, peer, { ...fullScale, beforeMs: 1000 }, [plantedFaults.unboundedPeers])
  const refused = unbounded.checks.during.refused
  return {
    acknowledged: bounded.acknowledged,
    lost: bounded.checks.during.refused + bounded.checks.after.refused,
    cycles: 1,
    complaints: [...findFaults(bounded), ...findLateness(bounded)],
    table: tableOf(bounded),
    metrics: {
      unknown_outcomes: bounded.unknown,
      unknown_that_had_happened: bounded.unknownHappened,
      opened_s: bounded.openedAfterMs / 1000,
      closed_s: bounded.closedAfterMs / 1000,
      checks_p99_before_ms: bounded.checks.before.p99Ms,
      checks_p99_during_ms: bounded.checks.during.p99Ms,
      checks_p99_after_ms: bounded.checks.after.p99Ms,
      checks_p99_during_to_before_ratio: bounded.checks.during.p99Ms / bounded.checks.before.p99Ms,
    },
    control: {
      what: 'no places and no breaker for the outside system',
      isFound: refused > 0,
      details: `${refused} of ${unbounded.checks.during.count} checks refused`,
    },
  }
}

export interface SlowPeerRun {
  readonly acknowledged: number
  /** Calls without a reply, or with one that says that their outcome is unknown. */
  readonly unknown: number
  /** Those of them that had sent a code: codes that the service stored as sent, and no caller was told of. */
  readonly unknownHappened: number
  readonly checks: Readonly<Record<FaultPhase, ChecksOfPhase>>
  /** The calls that needed the slow system, by outcome. */
  readonly outcomes: Readonly<Record<FaultPhase, ReadonlyMap<string, number>>>
  /** Refusals of those that were not the reply of an open breaker, or did not say when to try again. */
  readonly wrongReplies: readonly string[]
  /** From the moment the system became slow, or fast again. Infinity: never. */
  readonly openedAfterMs: number
  readonly closedAfterMs: number
  /** How often `/readyz` was not 200. */
  readonly notReadyCount: number
}

interface ChecksOfPhase {
  readonly count: number
  readonly refused: number
  readonly p99Ms: number
}

/** Requests codes at a fixed rate, makes the system slow for some time, and looks at other calls before, during and after. */
export async function makeSlow(trial: Trial, peer: SlowPeer, scale: SlowPeerScale, imports: readonly URL[] = []): Promise<SlowPeerRun> {
  const serviceData = await trial.dataFactory.create(trial.store)
  const switches = join(serviceData.folder, 'switches')
  mkdirSync(switches)
  const running = await startService({
    flags: [...serviceData.flags, ...flagsOf(scale), '--log-level=warn'],
    imports: [plantedFaults.slowPeers, ...imports],
    env: { [peerSwitchVariable]: switches },
  })
  try {
    return await measure(running, { serviceData, peer, scale, switchFile: join(switches, peer.peer), say: (text) => trial.say(text) })
  } finally {
    await running.kill()
    await serviceData.remove()
  }
}

/** All calls come from one address here; it stands for the callers of many. A message may take as long as a call of the network. */
function flagsOf({ inFlightMax, flags = [] }: SlowPeerScale): string[] {
  return [
    `--in-flight-max=${inFlightMax}`,
    `--address-in-flight-max=${inFlightMax}`,
    '--address-connections-max=8192',
    '--resend-wait-seconds=1',
    '--sms-timeout-ms=12000',
    ...flags,
  ]
}

interface Measurement {
  readonly serviceData: ServiceData
  readonly peer: SlowPeer
  readonly scale: SlowPeerScale
  readonly switchFile: string
  say(text: string): void
}

async function measure(running: RunningService, { serviceData, peer, scale, switchFile, say }: Measurement): Promise<SlowPeerRun> {
  const tokens = await createTokens(running, peer.pan, scale.perSecond * 3)
  const watch = watchPeer(running, peer.peer)
  const stopping = new AbortController()
  const start = (load: Pick<OpenLoad, 'perSecond' | 'call'>): RunningLoad =>
    startOpenLoad({ ...load, url: running.url, xAuth: running.xAuth, until: stopping.signal })
  let next = 0
  const codes = start({ perSecond: scale.perSecond, call: (client) => client.requestCode(tokens[next++ % tokens.length] ?? '') })
  const checks = start({ perSecond: checksPerSecond, call: (client) => client.check(tokens[0] ?? '') })
  await pause(warmUpMs)
  const startedAt = performance.now()
  await pause(scale.beforeMs)
  writeFileSync(switchFile, String(scale.answerMs))
  const slowAt = performance.now()
  say(`${scale.perSecond} codes a second, and the ${peer.peer} is slow`)
  await pause(scale.slowMs)
  rmSync(switchFile)
  const fastAt = performance.now()
  await watch.untilClosed(maxPauseMs)
  const closedAt = performance.now()
  await pause(Math.min(scale.beforeMs, 3000))
  const endedAt = performance.now()
  stopping.abort()
  await Promise.all([codes.ended, checks.ended])
  await watch.stop()
  const phases = {
    before: { from: startedAt, to: slowAt },
    during: { from: slowAt, to: fastAt },
    after: { from: closedAt, to: endedAt },
  }
  return summarize({ codes, checks, phases, peer, watch, sentCodes: await countSentCodes(serviceData) })
}

/** Distinct cards, each of which may request a code a second. */
async function createTokens(running: RunningService, pan: string, count: number): Promise<string[]> {
  const clients = await Promise.all(Array.from({ length: 8 }, () => openApiClient(running)))
  const tokens: string[] = []
  await Promise.all(clients.map((client) => createUntil(client, pan, { tokens, count })))
  for (const client of clients) client.close()
  return tokens
}

async function createUntil(client: ApiClient, pan: string, { tokens, count }: { tokens: string[]; count: number }): Promise<void> {
  while (tokens.length < count) {
    const created = await client.create(pan)
    if (created.kind !== 'result') throw new Error(`no card could be created: ${JSON.stringify(created)}`)
    tokens.push(tokenOf(created.result))
  }
}

interface Observations {
  readonly codes: RunningLoad
  readonly checks: RunningLoad
  readonly phases: Readonly<Record<FaultPhase, { readonly from: number; readonly to: number }>>
  readonly peer: SlowPeer
  readonly watch: PeerWatch
  /** As the service stored it. */
  readonly sentCodes: number
}

function summarize({ codes, checks, phases, peer, watch, sentCodes }: Observations): SlowPeerRun {
  const ofPhase = <T>(load: RunningLoad, view: (calls: readonly SentCall[]) => T): Record<FaultPhase, T> => ({
    before: view(callsBetween(load, phases.before)),
    during: view(callsBetween(load, phases.during)),
    after: view(callsBetween(load, phases.after)),
  })
  return {
    acknowledged: [...codes.calls, ...checks.calls].filter(({ outcome }) => outcome.kind === 'result').length,
    unknown: [...codes.calls, ...checks.calls].filter(({ outcome }) => isOutcomeUnknown(outcome)).length,
    unknownHappened: sentCodes - codes.calls.filter(({ outcome }) => outcome.kind === 'result').length,
    checks: ofPhase(checks, (calls) => ({ count: calls.length, refused: calls.filter(isNoResult).length, p99Ms: p99Ms(calls) })),
    outcomes: ofPhase(codes, countOutcomes),
    wrongReplies: codes.calls.flatMap(({ outcome }) => findWrongReply(outcome, peer)),
    openedAfterMs: watch.openedAt - phases.during.from,
    closedAfterMs: watch.closedAt - phases.during.to,
    notReadyCount: watch.notReadyCount,
  }
}

function isNoResult({ outcome }: SentCall): boolean {
  return outcome.kind !== 'result'
}

/**
 * A code that was requested again too early, or that a disk busy with other work could not store, is a fault of the machine. Each code needs the network
 * first, whose places a machine that stalls can fill for a moment. So many codes can also be more than the store completes, or arrive at once after a stall:
 * `overloaded`, as a JSON-RPC error or as a problem. The same with all places full, which is the fault that is looked for, refuses the checks as well, and
 * they are counted apart.
 */
function findWrongReply(outcome: CallOutcome, { code, reason }: SlowPeer): string[] {
  if (outcome.kind === 'result' || (outcome.kind === 'refused' && machineFaults.has(outcome.reason))) return []
  if (outcome.kind === 'lost') return [outcome.why]
  const isOfPeer = [slowNetworkPeer, { code, reason }].some((peer) => outcome.code === peer.code && outcome.reason === peer.reason)
  const isRight = isOfPeer || overloadReasons.has(outcome.reason)
  return isRight && (outcome.retryAfterMs ?? 0) > 0
    ? []
    : [`${outcome.code} ${outcome.reason}, retry_after ${String(outcome.retryAfterMs)}`]
}

/** Everything that is wrong but for the duration of calls, which depends on the machine. */
export function findFaults({ checks, outcomes, openedAfterMs, closedAfterMs, notReadyCount, wrongReplies }: SlowPeerRun): string[] {
  return [
    ...(Number.isFinite(openedAfterMs) ? [] : ['the breaker did not open']),
    ...(Number.isFinite(closedAfterMs) ? [] : ['the breaker did not close']),
    ...(notReadyCount === 0 ? [] : [`/readyz was not 200 ${notReadyCount} times`]),
    ...(checks.during.refused === 0 ? [] : [`${checks.during.refused} of ${checks.during.count} checks were refused`]),
    ...((outcomes.after.get('result') ?? 0) > 0 ? [] : ['no code was sent after the breaker had closed']),
    ...[...new Set(wrongReplies)].map((reply) => `a reply was ${reply}`),
  ]
}

function findLateness({ checks, openedAfterMs }: SlowPeerRun): string[] {
  const ratio = checks.during.p99Ms / checks.before.p99Ms
  return [
    ...(openedAfterMs <= 5000 ? [] : [`the breaker opened after ${(openedAfterMs / 1000).toFixed(1)} s`]),
    ...(ratio <= 2 ? [] : [`cards.check took ${ratio.toFixed(1)} times as long as before (p99)`]),
  ]
}

function tableOf({ checks, outcomes }: SlowPeerRun): string[][] {
  const rows = faultPhases.map((phase) => {
    const { count, refused, p99Ms: p99 } = checks[phase]
    const codes = [...outcomes[phase]].map(([name, calls]) => `${name} ${calls}`).join(', ')
    return [phase, String(count), String(refused), p99.toFixed(1), codes]
  })
  return [['', 'cards.check', 'refused', 'p99 ms', 'cards.get_verify_code'], ...rows]
}

const overloadReasons: ReadonlySet<string> = new Set(['overloaded', 'http_503: Too many requests are arriving at once: try again later.'])
const machineFaults: ReadonlySet<string> = new Set(['resend_too_soon', 'store_unavailable'])
const checksPerSecond = 40
const warmUpMs = 500
/** The longest pause of a breaker, and some. */
const maxPauseMs = 40_000
