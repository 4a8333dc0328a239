import { setTimeout as pause } from 'node:timers/promises'
import { judgeBill, type Bill, type Movement, type ShopKind, type ToldReceipt } from './bill.ts'
import { findStrangers, judgeEntry, type ShopBook } from './book.ts'
import type { Experiment, Finding, Trial } from './experiment.ts'
import { largest, median } from './figures.ts'
import type { Home } from './home.ts'
import { dataFolderOf, endWell, lives } from './inspect.ts'
import { acknowledgedLeast, untilAcknowledged, type Kills } from './kills.ts'
import { makeSavedTokens, runMoneyLoad } from './money-load.ts'
import { makeRandom, type Random } from './random.ts'
import { openShops, type Shops } from './shops.ts'
import { runTessera, startTessera, type Running, type Start } from './spawn.ts'
import { countUnderWay, countUnsettled, readStatement } from './statement.ts'
import { openWire, type Wire } from './wire.ts'

/** The process is killed again and again while money moves, and while what fell is being settled. */
export const money: Experiment = {
  name: 'money',
  question: 'Killed while it pays, holds, confirms and cancels, with answers lost: do network, receipts and merchants agree in the end?',
  stores: ['sqlite', 'postgres'],
  cycles: 200,
  needs: [],
  async run(trial) {
    const found = await killPayments(trial, { cycles: trial.cycles })
    const control = (wrong: string, rehearsals?: readonly string[]): Promise<Killed> =>
      killPayments(trial, { cycles: controlCycles, cyclesMax: controlCyclesMax, imports: [double(wrong)] }, rehearsals)
    const early = await control('acknowledge-money-early')
    const forgetful = await control('forget-unknown', ['lose_answer'])
    const untold = await control('tell-no-merchant')
    const lost = [early.lost, forgetful.lost, untold.lost]
    const seen = [early, forgetful, untold].map(({ lost: wrong, cycles }) => `${wrong} receipts wrong in ${cycles} cycles`).join(', ')
    const what = 'money acknowledged 20 ms before COMMIT; silence taken for a refusal; merchants not told'
    return { ...found, control: { what, isFound: lost.every((count) => count > 0), seen } }
  },
}

type Killed = Omit<Finding, 'control'>

/**
 * Kills as often as told, then lets everything be settled, and holds the network's ledger against every receipt and every answer; a control that
 * has found nothing yet does all of it again.
 */
export async function killPayments(trial: Trial, kills: Kills, rehearsals: readonly string[] = everyRehearsal): Promise<Killed> {
  const { store, seed, homes } = trial
  const { cycles, cyclesMax = cycles, imports = [] } = kills
  const home = await homes.make(store)
  const start = {
    flags: [...home.flags, ...lives, '--network-timeout-ms=500'],
    imports: [double('short-lease'), double('short-lateness'), ...imports],
  }
  const run: Run = { trial, home, start, rehearsals, random: makeRandom(seed), bills: [], complaints: [], startMs: [], shops: null }
  try {
    for (let killed = cycles; ; killed += cycles) {
      await killAmidPayments(run, kills)
      const { wrong, book } = await judgeRun(run)
      if (wrong.length === 0 && killed + cycles <= cyclesMax) continue
      const { bills, complaints } = run
      const figures = { ...countDeeds(bills), ...countBook(book), ...countStarts(run) }
      return { acknowledged: countAcknowledged(bills), lost: wrong.length, cycles: killed, complaints: [...complaints, ...wrong], figures }
    }
  } finally {
    await run.shops?.opened.close()
    await home.remove()
  }
}

/** All of a run; it grows. */
interface Run {
  readonly trial: Trial
  readonly home: Home
  readonly start: Start
  readonly rehearsals: readonly string[]
  readonly random: Random
  readonly bills: Bill[]
  readonly complaints: string[]
  readonly startMs: number[]
  shops: { readonly opened: Shops; readonly savedTokens: SavedTokens } | null
}

async function killAmidPayments(run: Run, kills: Kills): Promise<void> {
  const { trial, home, start, rehearsals, random, bills, complaints, startMs } = run
  const { cycles } = kills
  for (let cycle = 0; cycle < cycles; cycle++) {
    const running = await startTessera(start)
    startMs.push(running.startMs)
    const shops = (run.shops ??= await openWithTokens(running, run))
    await rehearse(home, rehearsals[random.between(0, rehearsals.length - 1)] ?? 'none')
    const least = cycle < cycles - 1 ? 0 : acknowledgedLeast(kills)
    complaints.push(...(await payAndKill(running, { bills, random, least, ...shops })))
    if (cycle % 10 === 9) trial.say(`${cycle + 1} of ${cycles} kills, ${bills.length} receipts`)
  }
}

/** Starts without a fault, waits until everything is settled, and tells what is wrong. */
async function judgeRun({ home, start, bills, complaints, shops }: Run): Promise<{ wrong: string[]; book: ShopBook }> {
  const running = await startTessera(start)
  await rehearse(home, 'none')
  if (shops === null) throw new Error('it takes a cycle at least')
  const told = await waitUntilSettled({ running, home, shops: shops.opened }, bills)
  complaints.push(...(await endWell(running, home)))
  const book = await shops.opened.readBook()
  const wrong = [...judgeAll(bills, told, await readStatement(home)), ...judgeBook(bills, told, book), ...(await findForgotten(home))]
  return { wrong, book }
}

async function openWithTokens(running: Running, { home, trial: { seed } }: Run): Promise<NonNullable<Run['shops']>> {
  const opened = await openShops(running, { home, seed })
  return { opened, savedTokens: await saveTokens(running, opened) }
}

type SavedTokens = Readonly<Record<ShopKind, readonly string[]>>

async function saveTokens(running: Running, shops: Shops): Promise<SavedTokens> {
  const save = (shop: ShopKind): Promise<string[]> => makeSavedTokens({ ...running, xAuth: shops.xAuth[shop] }, savedCount)
  return { plain: await save('plain'), asked: await save('asked') }
}

interface Paying {
  readonly bills: Bill[]
  readonly savedTokens: SavedTokens
  readonly random: Random
  readonly opened: Shops
  /** What has to be acknowledged in all before the kill. */
  readonly least: number
}

/** Half of the connections are a merchant's that is asked, half one's without an endpoint. */
async function payAndKill(running: Running, { bills, savedTokens, random, opened, least }: Paying): Promise<string[]> {
  const ending = new AbortController()
  const open = bills.slice(-againMax).filter(({ pay }) => pay === 'asked' || pay === 'unknown')
  const loads = shopKinds.map((shop) => {
    const again = open.filter((bill) => bill.shop === shop)
    const merchant = { url: running.url, xAuth: opened.xAuth[shop], shop, savedTokens: savedTokens[shop] }
    return runMoneyLoad({ ...merchant, connections: 4, bills, random, again, until: ending.signal })
  })
  await pause(random.between(loadMsLeast, loadMsMost))
  await untilAcknowledged(least, () => countAcknowledged(bills), running)
  await running.kill()
  ending.abort()
  const surprises = (await Promise.all(loads)).flatMap((each) => [...each])
  return surprises.map(([reason, times]) => `answered under load: ${reason} (${times} times)`)
}

/** What the network does from now on when money moves. */
async function rehearse(home: Home, step: string): Promise<void> {
  const { code, out } = await runTessera(['sandbox', 'step', 'network', step, `--data=${dataFolderOf(home)}`])
  if (code !== 0) throw new Error(`the network cannot be told to rehearse ${step}: ${out}`)
}

/** Waits until nothing is on its way any more, and asks what each receipt came to. What is not settled by then is told as it is. */
async function waitUntilSettled({ running, home, shops }: Settling, bills: readonly Bill[]): Promise<Map<string, ToldReceipt>> {
  const until = performance.now() + settledMsMax
  while ((await countUnderWay(home)) > 0 && performance.now() < until) await pause(500)
  const told = new Map<string, ToldReceipt>()
  for (const shop of shopKinds) {
    const wire = await openWire({ url: running.url, xAuth: shops.xAuth[shop] })
    for (const bill of bills) if (bill.shop === shop) told.set(bill.receiptId, await tell(wire, bill.receiptId))
    wire.close()
  }
  return told
}

interface Settling {
  readonly running: Running
  readonly home: Home
  readonly shops: Shops
}

/** A receipt that was acknowledged and cannot be found is in no state at all. */
async function tell(wire: Wire, id: string): Promise<ToldReceipt> {
  const outcome = await wire.call('receipts.get', { id })
  if (outcome.kind !== 'result') return { state: -1, amountTiyin: 0 }
  const { state, amount } = outcome.result['receipt'] as { state: number; amount: number }
  return { state, amountTiyin: amount }
}

function judgeAll(bills: readonly Bill[], told: ReadonlyMap<string, ToldReceipt>, statement: readonly Movement[]): string[] {
  const moved = Map.groupBy(statement, ({ receiptId }) => receiptId)
  const unasked = moved.get(null) ?? []
  const wrong = bills.flatMap((bill) => {
    const fault = judgeBill(bill, told.get(bill.receiptId) ?? { state: -1, amountTiyin: 0 }, moved.get(bill.receiptId) ?? [])
    return fault === null ? [] : [`receipt ${bill.receiptId} ${fault}; its payment was answered ${bill.answers.join(', ')}`]
  })
  return [
    ...wrong,
    ...unasked.map(({ kind, networkRef }) => `the network made a ${kind} of which the service knows nothing (${networkRef})`),
  ]
}

/** What was asked, and nobody will ask what became of it. */
async function findForgotten(home: Home): Promise<string[]> {
  const forgotten = await countUnsettled(home)
  return forgotten === 0 ? [] : [`${forgotten} receipts and calls did not come to rest, and the service does not look at them any more`]
}

function judgeBook(bills: readonly Bill[], told: ReadonlyMap<string, ToldReceipt>, book: ShopBook): string[] {
  const entries = new Map(book.entries.map((entry) => [entry.id, entry]))
  const wrong = bills.flatMap((bill) => {
    if (bill.shop === 'plain') return []
    const fault = judgeEntry(bill, told.get(bill.receiptId) ?? { state: -1, amountTiyin: 0 }, entries.get(bill.receiptId))
    return fault === null ? [] : [`receipt ${bill.receiptId} ${fault}`]
  })
  return [...wrong, ...findStrangers(bills, book)]
}

function countBook({ entries, checks, refused, lost }: ShopBook): Record<string, number> {
  const performed = entries.filter(({ state }) => state === 2).length
  return {
    ...{ shop_checks: checks, shop_transactions: entries.length, shop_performed: performed },
    ...{ shop_taken_back: entries.length - performed, shop_refused: refused, shop_lost: lost },
  }
}

function countDeeds(bills: readonly Bill[]): Record<string, number> {
  const count = (is: (bill: Bill) => boolean): number => bills.filter(is).length
  return {
    receipts: bills.length,
    paid: count(({ pay }) => pay === 'paid'),
    unanswered: count(({ pay }) => pay === 'asked'),
    unknown: count(({ pay }) => pay === 'unknown'),
    confirmed: count(({ confirm }) => confirm === 'acknowledged'),
    cancelled: count(({ cancel }) => cancel === 'acknowledged'),
  }
}

function countStarts({ startMs }: Run): Record<string, number> {
  return { start_ms_median: Math.round(median(startMs)), start_ms_most: Math.round(largest(startMs)) }
}

function countAcknowledged(bills: readonly Bill[]): number {
  const { receipts = 0, paid = 0, confirmed = 0, cancelled = 0 } = countDeeds(bills)
  return receipts + paid + confirmed + cancelled
}

function double(name: string): URL {
  return new URL(`./doubles/${name}.ts`, import.meta.url)
}

/** How the network behaves, one of them a cycle; most of all it loses answers. */
const everyRehearsal = ['none', 'none', 'lose_answer', 'lose_answer', 'lose_request', 'approve_late', 'answer_twice', 'insufficient_funds']
const savedCount = 6
const shopKinds = ['plain', 'asked'] as const
/** Of so many of the last receipts the unanswered payments are asked for again. */
const againMax = 200
const [loadMsLeast, loadMsMost] = [50, 900]
/** Longer than a lease, a late approval and the waits between the looks. */
const settledMsMax = 120_000
const [controlCycles, controlCyclesMax] = [6, 24]
