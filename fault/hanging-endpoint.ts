import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openApiClient, type ApiClient, type CallOutcome } from './api-client.ts'
import type { Experiment, Trial } from './experiment.ts'
import { startHangingShop, type HangingShop } from './hanging-shop.ts'
import { dataFolderOf } from './inspect.ts'
import { callsBetween, countOutcomes, p99Ms, startOpenLoad, type RunningLoad } from './open-load.ts'
import { makeSavedTokens } from './payment-load.ts'
import { watchPeer } from './peer-watch.ts'
import { plantedFaults } from './planted-faults.ts'
import { runCommandHere } from './command-in-process.ts'
import { startService, type RunningService } from './spawn.ts'
import type { ServiceData } from './service-data.ts'

export interface HangScale {
  readonly beforeMs: number
  readonly hangMs: number
  /** Of the wanted payments; measured if it is not given. */
  readonly share?: number
}

export const hangingEndpoint: Experiment = {
  name: 'hanging-endpoint',
  question: "Do the payments of others go on while one merchant's endpoint hangs, and does its own money stay in state 3?",
  stores: ['sqlite', 'postgres'],
  cycles: 1,
  needs: [],
  async run(trial) {
    const scale = { beforeMs: 6000, hangMs: 10_000 }
    const bounded = await hangEndpoint(trial, scale)
    trial.say('once more, without bounds')
    const unbounded = await hangEndpoint(trial, { ...scale, beforeMs: 1000, share: 1 }, [plantedFaults.unboundedPeers])
    const ratio = bounded.p99DuringMs / bounded.p99BeforeMs
    return {
      acknowledged: bounded.acknowledged,
      lost: bounded.notPaid,
      cycles: 1,
      complaints: [
        ...findHangFaults(bounded),
        ...(bounded.openedAfterMs <= 5000 ? [] : [`the breaker opened after ${(bounded.openedAfterMs / 1000).toFixed(1)} s`]),
        ...(ratio <= 2 ? [] : [`payments of others took ${ratio.toFixed(1)} times as long as before (p99)`]),
      ],
      metrics: {
        payments_per_s: bounded.perSecond,
        opened_s: bounded.openedAfterMs / 1000,
        closed_s: bounded.closedAfterMs / 1000,
        others_p99_before_ms: bounded.p99BeforeMs,
        others_p99_during_ms: bounded.p99DuringMs,
        others_p99_after_ms: bounded.p99AfterMs,
        others_p99_during_to_before_ratio: ratio,
        refused_at_once: bounded.refusedAtOnce,
        unknown_outcomes: bounded.unknown,
        unknown_that_had_happened: bounded.unknownPerformed,
      },
      control: {
        what: 'no places and no breaker for endpoints',
        isFound: unbounded.othersRefused > 0,
        details: `${unbounded.othersRefused} payments of others refused`,
      },
    }
  },
}

export interface HangRun {
  /** Payments of both merchants. */
  readonly perSecond: number
  readonly acknowledged: number
  /** Of the other merchant's payments while the endpoint hung. */
  readonly othersRefused: number
  readonly p99BeforeMs: number
  readonly p99DuringMs: number
  readonly p99AfterMs: number
  readonly openedAfterMs: number
  readonly closedAfterMs: number
  readonly notReadyCount: number
  /** merchant_no_answer with retry_after: the endpoint was not called. */
  readonly refusedAtOnce: number
  /** Payments whose caller got merchant_closing, of these those that the shop had performed, and those that are not paid in the end. */
  readonly unknown: number
  readonly unknownPerformed: number
  readonly notPaid: number
  readonly cancelled: number
}

/** Pays at a merchant whose endpoint hangs for some time, and at another one. */
export async function hangEndpoint(trial: Trial, scale: HangScale, imports: readonly URL[] = []): Promise<HangRun> {
  const serviceData = await trial.dataFactory.create(trial.store)
  const flags = [...serviceData.flags, `--in-flight-max=${inFlightMax}`, `--address-in-flight-max=${inFlightMax}`, '--log-level=warn']
  const running = await startService({ flags, imports: [plantedFaults.shortLease, ...imports] })
  const shop = await startHangingShop()
  try {
    return await measure(running, shop, { scale, xAuth: await createMerchant(serviceData, shop) })
  } finally {
    shop.close()
    await running.kill()
    await serviceData.remove()
  }
}

async function createMerchant(serviceData: ServiceData, { url }: HangingShop): Promise<string> {
  const data = `--data=${dataFolderOf(serviceData)}`
  const key = join(serviceData.folder, 'shop.key')
  writeFileSync(key, 'the key of the shop\n')
  const created = await runCommandHere(['merchants', 'create', '--name=Hangs', '--json', data])
  const { merchantId, password } = JSON.parse(created.out) as { merchantId: string; password: string }
  const set = await runCommandHere(['merchants', 'endpoint', 'set', merchantId, `--url=${url}`, `--password-file=${key}`, '--json', data])
  if (set.code !== 0) throw new Error(`the endpoint could not be set: ${set.out}`)
  return `${merchantId}:${password}`
}

interface Payer {
  readonly scale: HangScale
  /** Of the merchant with the endpoint. */
  readonly xAuth: string
}

async function measure(running: RunningService, shop: HangingShop, { scale, xAuth }: Payer): Promise<HangRun> {
  const { url } = running
  const [token = ''] = await makeSavedTokens({ url, xAuth }, 1)
  const [otherToken = ''] = await makeSavedTokens(running, 1)
  const unknown = new Set<string>()
  const stopping = new AbortController()
  const until = stopping.signal
  const watch = watchPeer(running, 'merchant_endpoint')
  const payOther = (client: ApiClient): Promise<CallOutcome> => pay(client, otherToken, new Set())
  const share = scale.share ?? (await measureShare(running, payOther))
  const payments = startOpenLoad({ url, xAuth, until, perSecond: share * perSecond, call: (client) => pay(client, token, unknown) })
  const others = startOpenLoad({ url, xAuth: running.xAuth, until, perSecond: share * othersPerSecond, call: payOther })
  await pause(warmUpMs)
  const startedAt = performance.now()
  await pause(scale.beforeMs)
  const hangsAt = performance.now()
  shop.mode = 'swallows'
  await pause(swallowMs)
  shop.mode = 'hangs'
  await pause(scale.hangMs - swallowMs)
  const performed = new Set(shop.performed)
  shop.mode = 'responds'
  const respondsAt = performance.now()
  await watch.untilClosed(maxPauseMs)
  const closedAt = performance.now()
  await pause(Math.min(scale.beforeMs, 3000))
  const endedAt = performance.now()
  stopping.abort()
  await Promise.all([payments.ended, others.ended])
  await watch.stop()
  return {
    perSecond: Math.round(share * (perSecond + othersPerSecond)),
    ...summarize(payments, others, { startedAt, hangsAt, respondsAt, closedAt, endedAt }),
    openedAfterMs: watch.openedAt - hangsAt,
    closedAfterMs: watch.closedAt - respondsAt,
    notReadyCount: watch.notReadyCount,
    unknown: unknown.size,
    unknownPerformed: [...unknown].filter((id) => performed.has(id)).length,
    notPaid: await countNotPaid({ url, xAuth }, unknown),
    cancelled: shop.cancelled.size,
  }
}

/**
 * The share of the wanted payments that are at most half of what the service takes on this machine now: more than it takes wait for each other, and how long
 * says nothing about the endpoint.
 */
async function measureShare(running: RunningService, call: (client: ApiClient) => Promise<CallOutcome>): Promise<number> {
  let paid = 0
  const work = async (until: AbortSignal): Promise<void> => {
    const client = await openApiClient(running)
    while (!until.aborted) if ((await call(client)).kind === 'result') paid++
    client.close()
  }
  let takenPerSecond = 0
  // The first rounds are slower: the code is not compiled yet.
  for (let round = 0; round < 3; round++) {
    paid = 0
    const startedAt = performance.now()
    const until = AbortSignal.timeout(1000)
    await Promise.all(Array.from({ length: 16 }, () => work(until)))
    takenPerSecond = (paid * 1000) / (performance.now() - startedAt)
  }
  return Math.max(leastShare, Math.min(1, takenPerSecond / 2 / (perSecond + othersPerSecond)))
}

type Times = Readonly<Record<'startedAt' | 'hangsAt' | 'respondsAt' | 'closedAt' | 'endedAt', number>>

function summarize(payments: RunningLoad, others: RunningLoad, { startedAt, hangsAt, respondsAt, closedAt, endedAt }: Times) {
  const p99Between = (from: number, to: number): number => p99Ms(callsBetween(others, { from, to }))
  const during = callsBetween(others, { from: hangsAt, to: respondsAt })
  return {
    acknowledged: (countOutcomes(payments.calls).get('result') ?? 0) + (countOutcomes(others.calls).get('result') ?? 0),
    othersRefused: during.filter(({ outcome }) => outcome.kind !== 'result').length,
    p99BeforeMs: p99Between(startedAt, hangsAt),
    p99DuringMs: p99Between(hangsAt, respondsAt),
    p99AfterMs: p99Between(closedAt, endedAt),
    refusedAtOnce: countRefusedAtOnce(payments),
  }
}

/** Creates a receipt and pays it. */
async function pay(client: ApiClient, token: string, unknown: Set<string>): Promise<CallOutcome> {
  const created = await client.call('receipts.create', { amount: 500, account: { order_id: '197' } })
  if (created.kind !== 'result') return created
  const id = (created.result['receipt'] as { _id: string })._id
  const paid = await client.call('receipts.pay', { id, token })
  if (paid.kind === 'refused' && paid.reason === 'merchant_closing') unknown.add(id)
  return paid
}

function countRefusedAtOnce({ calls }: RunningLoad): number {
  return calls.filter(
    ({ outcome }) => outcome.kind === 'refused' && outcome.reason === 'merchant_no_answer' && outcome.retryAfterMs !== undefined,
  ).length
}

/** Waits until the endpoint has confirmed every payment that was debited, and returns how many it has not. */
async function countNotPaid(start: { url: string; xAuth: string }, ids: ReadonlySet<string>): Promise<number> {
  const client = await openApiClient(start)
  const open = new Set(ids)
  const endsAt = performance.now() + maxConfirmMs
  while (open.size > 0 && performance.now() < endsAt) {
    for (const id of open) {
      const checked = await client.call('receipts.check', { id })
      if (checked.kind === 'result' && checked.result['state'] === 4) open.delete(id)
    }
    if (open.size > 0) await pause(250)
  }
  client.close()
  return open.size
}

/** Everything that is wrong but for the duration of calls, which depends on the machine. */
export function findHangFaults(run: HangRun): string[] {
  return [
    ...(Number.isFinite(run.openedAfterMs) ? [] : ['the breaker did not open']),
    ...(Number.isFinite(run.closedAfterMs) ? [] : ['the breaker did not close']),
    ...(run.notReadyCount === 0 ? [] : [`/readyz was not 200 ${run.notReadyCount} times`]),
    ...(run.othersRefused === 0 ? [] : [`${run.othersRefused} payments of others were refused`]),
    ...(run.refusedAtOnce > 0 ? [] : ['no payment was refused with retry_after']),
    ...(run.unknown > 0 ? [] : ['no payment was debited and not confirmed, so nothing was shown about them']),
    ...(run.notPaid === 0 ? [] : [`${run.notPaid} debited payments were not confirmed in the end`]),
    ...(run.cancelled === 0 ? [] : [`${run.cancelled} payments were cancelled at the merchant`]),
  ]
}

const inFlightMax = 200
/** Where the machine takes twice as many with those of the other merchant. */
const perSecond = 60
const othersPerSecond = 20
/** With fewer, the endpoint does not get enough calls for its breaker to open in time. */
const leastShare = 0.25
const warmUpMs = 500
/** Long enough that some payments are debited, and not confirmed when the endpoint hangs. */
const swallowMs = 300
const maxPauseMs = 40_000
const maxConfirmMs = 30_000
