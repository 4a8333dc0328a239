import { setTimeout as pause } from 'node:timers/promises'
import { makeCallTimes, type CallTimes } from './call-times.ts'
import { plantedFaults } from './planted-faults.ts'
import {
  countUnknownPayments,
  judgeReceipt,
  type ReceiptRecord,
  type LedgerMovement,
  type ShopKind,
  type FinalReceipt,
} from './receipt-record.ts'
import { findUnknownTransactions, judgeShopTransaction, type ShopRecords } from './shop-records.ts'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { largest, median } from './statistics.ts'
import type { ServiceData } from './service-data.ts'
import { dataFolderOf, stopAndVerify, longLifetimes } from './inspect.ts'
import { minAcknowledged, untilAcknowledged, type KillPlan } from './kill-plan.ts'
import { makeSavedTokens, runPaymentLoad } from './payment-load.ts'
import { makeRandom, type Random } from './random.ts'
import { openShops, type Shops } from './shops.ts'
import { runCommandHere } from './command-in-process.ts'
import { startService, type RunningService, type ServiceOptions } from './spawn.ts'
import { countInProgress, countUnreconciled, readStatement } from './statement.ts'
import { openApiClient, type ApiClient } from './api-client.ts'

/** The process is killed repeatedly while money moves, and while interrupted payments are reconciled. */
export const money: Experiment = {
  name: 'money',
  question: 'Killed while it pays, holds, confirms and cancels, with replies lost: do network, receipts and merchants agree in the end?',
  stores: ['sqlite', 'postgres'],
  cycles: 200,
  needs: [],
  async run(trial) {
    const found = await killPayments(trial, { cycles: trial.cycles })
    const control = (fault: URL, scenarios?: readonly string[]): Promise<KillResult> =>
      killPayments(trial, { cycles: controlCycles, maxCycles: maxControlCycles, imports: [fault] }, scenarios)
    const early = await control(plantedFaults.acknowledgeMoneyEarly)
    const declining = await control(plantedFaults.declineUnknown, ['lose_answer'])
    const unnotified = await control(plantedFaults.skipNotification)
    const lost = [early.lost, declining.lost, unnotified.lost]
    const seen = [early, declining, unnotified].map(({ lost: wrong, cycles }) => `${wrong} receipts wrong in ${cycles} cycles`).join(', ')
    const what = 'money acknowledged 20 ms before COMMIT; a missing reply treated as a decline; merchants not notified'
    return { ...found, control: { what, isFound: lost.every((count) => count > 0), details: seen } }
  },
}

type KillResult = Omit<ExperimentResult, 'control'>

/**
 * Kills the service `cycles` times, waits until everything is reconciled, and compares the network's ledger with every receipt and every reply. A
 * control that has found nothing yet does all of it again.
 */
export async function killPayments(trial: Trial, kills: KillPlan, scenarios: readonly string[] = networkScenarios): Promise<KillResult> {
  const { store, seed, dataFactory } = trial
  const { cycles, maxCycles = cycles, imports = [] } = kills
  const serviceData = await dataFactory.create(store)
  const start = {
    flags: [...serviceData.flags, ...longLifetimes, '--network-timeout-ms=500'],
    imports: [plantedFaults.shortLease, plantedFaults.shortLateness, ...imports],
  }
  const run: Run = {
    trial,
    serviceData,
    start,
    scenarios,
    random: makeRandom(seed),
    receipts: [],
    complaints: [],
    startMs: [],
    times: makeCallTimes(afterMs),
    shops: null,
  }
  try {
    for (let killed = cycles; ; killed += cycles) {
      await killAmidPayments(run, kills)
      const { wrong, records, finalReceipts } = await judgeRun(run)
      if (wrong.length === 0 && killed + cycles <= maxCycles) continue
      const { receipts, complaints } = run
      const unknown = countUnknownPayments(receipts, finalReceipts)
      const metrics = { ...countOutcomes(receipts), ...unknown, ...countShopRecords(records), ...countStarts(run), ...run.times.metrics() }
      return {
        acknowledged: countAcknowledged(receipts),
        lost: wrong.length,
        cycles: killed,
        complaints: [...complaints, ...wrong],
        metrics,
      }
    }
  } finally {
    await run.shops?.opened.close()
    await serviceData.remove()
  }
}

/** The state of a run. */
interface Run {
  readonly trial: Trial
  readonly serviceData: ServiceData
  readonly start: ServiceOptions
  readonly scenarios: readonly string[]
  readonly random: Random
  readonly receipts: ReceiptRecord[]
  readonly complaints: string[]
  readonly startMs: number[]
  /** A kill is a fault until the next load begins. */
  readonly times: CallTimes
  shops: { readonly opened: Shops; readonly savedTokens: SavedTokens } | null
}

async function killAmidPayments(run: Run, kills: KillPlan): Promise<void> {
  const { trial, serviceData, start, scenarios: scenarios, random, receipts, complaints, startMs } = run
  const { cycles } = kills
  for (let cycle = 0; cycle < cycles; cycle++) {
    const running = await startService(start)
    startMs.push(running.startMs)
    const shops = (run.shops ??= await openWithTokens(running, run))
    await setNetworkScenario(serviceData, scenarios[random.between(0, scenarios.length - 1)] ?? 'none')
    const least = cycle < cycles - 1 ? 0 : minAcknowledged(kills)
    complaints.push(...(await payAndKill(running, { receipts, random, times: run.times, least, ...shops })))
    if (cycle % 10 === 9) trial.say(`${cycle + 1} of ${cycles} kills, ${receipts.length} receipts`)
  }
}

/** Starts without a fault, waits until everything is reconciled, and returns what is wrong. */
async function judgeRun({ serviceData, start, receipts, complaints, shops }: Run): Promise<Judgement> {
  const running = await startService(start)
  await setNetworkScenario(serviceData, 'none')
  if (shops === null) throw new Error('a run takes at least one cycle')
  const finalReceipts = await waitUntilReconciled({ running, serviceData, shops: shops.opened }, receipts)
  complaints.push(...(await stopAndVerify(running, serviceData)))
  const records = await shops.opened.readRecords()
  const wrong = [
    ...judgeReceipts(receipts, finalReceipts, await readStatement(serviceData)),
    ...judgeShopRecords(receipts, finalReceipts, records),
    ...(await findAbandoned(serviceData)),
  ]
  return { wrong, records, finalReceipts }
}

interface Judgement {
  readonly wrong: string[]
  readonly records: ShopRecords
  readonly finalReceipts: ReadonlyMap<string, FinalReceipt>
}

async function openWithTokens(running: RunningService, { serviceData, trial: { seed } }: Run): Promise<NonNullable<Run['shops']>> {
  const opened = await openShops(running, { serviceData, seed })
  return { opened, savedTokens: await saveTokens(running, opened) }
}

type SavedTokens = Readonly<Record<ShopKind, readonly string[]>>

async function saveTokens(running: RunningService, shops: Shops): Promise<SavedTokens> {
  const save = (shop: ShopKind): Promise<string[]> => makeSavedTokens({ ...running, xAuth: shops.xAuth[shop] }, savedCount)
  return { plain: await save('plain'), withEndpoint: await save('withEndpoint') }
}

interface PaymentLoadBeforeKill {
  readonly receipts: ReceiptRecord[]
  readonly savedTokens: SavedTokens
  readonly random: Random
  readonly times: CallTimes
  readonly opened: Shops
  /** What has to be acknowledged in all before the kill. */
  readonly least: number
}

/** Half of the connections belong to a merchant with an endpoint, half to one without. */
async function payAndKill(
  running: RunningService,
  { receipts, savedTokens, random, times, opened, least }: PaymentLoadBeforeKill,
): Promise<string[]> {
  const ending = new AbortController()
  times.faultEnds()
  const open = receipts.slice(-maxRetried).filter(({ pay }) => pay === 'sent' || pay === 'unknown')
  const loads = shopKinds.map((shop) => {
    const again = open.filter((receipt) => receipt.shop === shop)
    const merchant = { url: running.url, xAuth: opened.xAuth[shop], shop, savedTokens: savedTokens[shop] }
    return runPaymentLoad({ ...merchant, connections: 4, receipts, random, retried: again, until: ending.signal, onReply: times.add })
  })
  await pause(random.between(minLoadMs, maxLoadMs))
  await untilAcknowledged(least, () => countAcknowledged(receipts), running)
  times.faultBegins()
  await running.kill()
  ending.abort()
  const unexpected = (await Promise.all(loads)).flatMap((each) => [...each])
  return unexpected.map(([reason, times]) => `unexpected reply under load: ${reason} (${times} times)`)
}

/** Sets how the network behaves from now on. */
async function setNetworkScenario(serviceData: ServiceData, step: string): Promise<void> {
  const { code, out } = await runCommandHere(['sandbox', 'step', 'network', step, `--data=${dataFolderOf(serviceData)}`])
  if (code !== 0) throw new Error(`the network scenario ${step} could not be set: ${out}`)
}

/** Waits until nothing is in progress, and reads the final state of each receipt. What is not reconciled in time is returned as it is. */
async function waitUntilReconciled(
  { running, serviceData, shops }: ReconcileContext,
  receipts: readonly ReceiptRecord[],
): Promise<Map<string, FinalReceipt>> {
  const until = performance.now() + reconcileMaxMs
  while ((await countInProgress(serviceData)) > 0 && performance.now() < until) await pause(500)
  const finalReceipts = new Map<string, FinalReceipt>()
  for (const shop of shopKinds) {
    const client = await openApiClient({ url: running.url, xAuth: shops.xAuth[shop] })
    for (const receipt of receipts)
      if (receipt.shop === shop) finalReceipts.set(receipt.receiptId, await getReceipt(client, receipt.receiptId))
    client.close()
  }
  return finalReceipts
}

interface ReconcileContext {
  readonly running: RunningService
  readonly serviceData: ServiceData
  readonly shops: Shops
}

/** A receipt that was acknowledged and cannot be found is in no state at all. */
async function getReceipt(client: ApiClient, id: string): Promise<FinalReceipt> {
  const outcome = await client.call('receipts.get', { id })
  if (outcome.kind !== 'result') return { state: -1, amountTiyin: 0 }
  const { state, amount } = outcome.result['receipt'] as { state: number; amount: number }
  return { state, amountTiyin: amount }
}

function judgeReceipts(
  receipts: readonly ReceiptRecord[],
  finalReceipts: ReadonlyMap<string, FinalReceipt>,
  statement: readonly LedgerMovement[],
): string[] {
  const moved = Map.groupBy(statement, ({ receiptId }) => receiptId)
  const unknown = moved.get(null) ?? []
  const wrong = receipts.flatMap((receipt) => {
    const fault = judgeReceipt(
      receipt,
      finalReceipts.get(receipt.receiptId) ?? { state: -1, amountTiyin: 0 },
      moved.get(receipt.receiptId) ?? [],
    )
    return fault === null ? [] : [`receipt ${receipt.receiptId} ${fault}; the replies to its payment: ${receipt.replies.join(', ')}`]
  })
  return [
    ...wrong,
    ...unknown.map(({ kind, networkRef }) => `the network made a ${kind} of which the service knows nothing (${networkRef})`),
  ]
}

/** Receipts and operations that are not final, and that the service will not look at again. */
async function findAbandoned(serviceData: ServiceData): Promise<string[]> {
  const abandoned = await countUnreconciled(serviceData)
  return abandoned === 0 ? [] : [`${abandoned} receipts and operations are not final, and the service does not look at them any more`]
}

function judgeShopRecords(
  receipts: readonly ReceiptRecord[],
  finalReceipts: ReadonlyMap<string, FinalReceipt>,
  records: ShopRecords,
): string[] {
  const entries = new Map(records.transactions.map((entry) => [entry.id, entry]))
  const wrong = receipts.flatMap((receipt) => {
    if (receipt.shop === 'plain') return []
    const fault = judgeShopTransaction(
      receipt,
      finalReceipts.get(receipt.receiptId) ?? { state: -1, amountTiyin: 0 },
      entries.get(receipt.receiptId),
    )
    return fault === null ? [] : [`receipt ${receipt.receiptId} ${fault}`]
  })
  return [...wrong, ...findUnknownTransactions(receipts, records)]
}

function countShopRecords({ transactions, checks, refused, lost }: ShopRecords): Record<string, number> {
  const performed = transactions.filter(({ state }) => state === 2).length
  return {
    shop_checks: checks,
    shop_transactions: transactions.length,
    shop_performed: performed,
    shop_taken_back: transactions.length - performed,
    shop_refused: refused,
    shop_lost: lost,
  }
}

function countOutcomes(receipts: readonly ReceiptRecord[]): Record<string, number> {
  const count = (is: (receipt: ReceiptRecord) => boolean): number => receipts.filter(is).length
  return {
    receipts: receipts.length,
    paid: count(({ pay }) => pay === 'paid'),
    without_reply: count(({ pay }) => pay === 'sent'),
    unknown: count(({ pay }) => pay === 'unknown'),
    confirmed: count(({ confirm }) => confirm === 'acknowledged'),
    cancelled: count(({ cancel }) => cancel === 'acknowledged'),
  }
}

function countStarts({ startMs }: Run): Record<string, number> {
  return { start_ms_median: Math.round(median(startMs)), start_ms_most: Math.round(largest(startMs)) }
}

function countAcknowledged(receipts: readonly ReceiptRecord[]): number {
  const { paid = 0, confirmed = 0, cancelled = 0 } = countOutcomes(receipts)
  return receipts.length + paid + confirmed + cancelled
}

/** How the network behaves: one scenario per cycle, lost replies most often. */
const networkScenarios = [
  'none',
  'none',
  'lose_answer',
  'lose_answer',
  'lose_request',
  'approve_late',
  'answer_twice',
  'insufficient_funds',
]
const savedCount = 6
const shopKinds = ['plain', 'withEndpoint'] as const
/** Among this many of the last receipts, payments without a final reply are retried. */
const maxRetried = 200
const [minLoadMs, maxLoadMs] = [50, 900]
/** Longer than a lease, a late approval and the waits between two attempts. */
const reconcileMaxMs = 120_000
const [controlCycles, maxControlCycles] = [6, 24]
/** The first calls after a start. */
const afterMs = 200
