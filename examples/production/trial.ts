import { setTimeout as pause } from 'node:timers/promises'
import type { LedgerEntry } from './card-network.ts'
import type { HttpsReply } from './client.ts'
import type { PeerFault } from './peer-fault.ts'
import { startLoad, type LoadCall, type TrialLoad, type TrialPayment } from './load.ts'
import { makeMerchantCalls } from './merchant.ts'
import type { ProductionSystem } from './system.ts'

/** What one fault did to the load. */
export interface FaultRow {
  readonly peer: string
  readonly what: string
  readonly calls: number
  readonly notDone: number
  readonly slowestMs: number
  /** From the end of the fault until two seconds began in which every call was done; null when that did not come within a minute. */
  readonly recoveredAfterMs: number | null
  /** Why calls were not done, the most frequent first. */
  readonly reasons: readonly string[]
}

export interface TrialResult {
  readonly rows: readonly FaultRow[]
  readonly paid: number
  readonly unknown: number
  /** Unknown payments of which the receipt says now that they were paid. */
  readonly unknownPaid: number
  readonly cards: number
  /** Payments whose call was made again with its key, and those of them that had been taken before. */
  readonly repeated: number
  readonly repeatedTaken: number
  /** What was lost, taken twice, sent twice, or has not recovered. Empty when all is well. */
  readonly violations: readonly string[]
}

export interface TrialOptions {
  readonly faults: readonly PeerFault[]
  /** How long each fault lasts, seconds. */
  readonly faultSeconds: number
  readonly say: (line: string) => void
  readonly signal: AbortSignal
}

/** Runs the load, begins and ends one fault after the other, and then looks up everything that was acknowledged. */
export async function runTrial(system: ProductionSystem, { faults, faultSeconds, say, signal }: TrialOptions): Promise<TrialResult> {
  const load = await startLoad(system)
  say(`load: ${String(load.acknowledged.cards.length)} verified cards, four payers, one that checks cards, and new cardholders`)
  await pause(3000)
  const rows: FaultRow[] = []
  try {
    for (const fault of faults) {
      if (signal.aborted) break
      const row = await endure(system, fault, { load, faultSeconds })
      rows.push(row)
      say(formatRow(row))
    }
  } finally {
    await load.stop()
  }
  say('looking up everything that was acknowledged')
  return { rows, ...(await audit(system, load, { rows, say, signal })) }
}

/** One line of the report. */
export function formatRow({ peer, what, calls, notDone, slowestMs, recoveredAfterMs, reasons }: FaultRow): string {
  const recovered = recoveredAfterMs === null ? 'NOT RECOVERED' : `recovered after ${(recoveredAfterMs / 1000).toFixed(1)} s`
  const why = reasons.length === 0 ? '' : ` (${reasons.slice(0, 3).join(', ')})`
  return `${peer}, ${what}: ${String(notDone)} of ${String(calls)} calls not done${why}; slowest ${(slowestMs / 1000).toFixed(1)} s; ${recovered}`
}

async function endure(
  system: ProductionSystem,
  fault: PeerFault,
  { load, faultSeconds }: { readonly load: TrialLoad; readonly faultSeconds: number },
): Promise<FaultRow> {
  const beganAt = performance.now()
  const end = await fault.begin(system)
  await pause(faultSeconds * 1000)
  await end()
  const endedAt = performance.now()
  let recoveredAt: number | null = null
  while (recoveredAt === null && performance.now() - endedAt < recoveryMaxMs) {
    await pause(250)
    recoveredAt = findRecovery(load.calls, endedAt)
  }
  const until = recoveredAt ?? performance.now()
  const touched = load.calls.filter(({ from, to }) => to > beganAt && from < until)
  const failed = touched.filter(({ isDone }) => !isDone)
  return {
    peer: fault.peer,
    what: fault.what,
    calls: touched.length,
    notDone: failed.length,
    slowestMs: Math.max(0, ...touched.map(({ from, to }) => to - from)),
    recoveredAfterMs: recoveredAt === null ? null : recoveredAt - endedAt,
    reasons: countReasons(failed),
  }
}

/** When a time without a failure began that has lasted for two seconds, and in which each kind of call was done. */
function findRecovery(calls: readonly LoadCall[], endedAt: number): number | null {
  const lastFailure = Math.max(endedAt, ...calls.filter(({ isDone }) => !isDone).map(({ to }) => to))
  if (performance.now() - lastFailure < calmMs) return null
  const kinds = new Set(calls.filter(({ from, isDone }) => from > lastFailure && isDone).map(({ kind }) => kind))
  return kinds.size === 3 ? lastFailure : null
}

function countReasons(failed: readonly LoadCall[]): string[] {
  const counts = new Map<string, number>()
  for (const { kind, why } of failed) counts.set(`${kind} ${why}`, (counts.get(`${kind} ${why}`) ?? 0) + 1)
  return [...counts].sort(([, one], [, other]) => other - one).map(([why, count]) => `${String(count)} × ${why}`)
}

async function audit(
  system: ProductionSystem,
  { acknowledged }: TrialLoad,
  { rows, say, signal }: Pick<TrialResult, 'rows'> & Pick<TrialOptions, 'say' | 'signal'>,
): Promise<Omit<TrialResult, 'rows'>> {
  const seller = makeMerchantCalls(system)
  const violations = rows
    .filter(({ recoveredAfterMs }) => recoveredAfterMs === null)
    .map((row) => `not recovered: ${row.peer}, ${row.what}`)
  const unknown = acknowledged.payments.filter(({ outcome, receiptId }) => outcome === 'unknown' && receiptId !== null)
  const states = new Map<string, number>()
  const read = async (id: string): Promise<number> => {
    const state = stateOf(await seller.readReceipt(id))
    states.set(id, state)
    return state
  }
  for (const { receiptId } of acknowledged.payments) if (receiptId !== null) await read(receiptId)
  const listOpen = (): string[] => [...states].filter(([, state]) => state === unreadable || openStates.has(state)).map(([id]) => id)
  // The service itself clarifies them with the network.
  const giveUpAt = performance.now() + clarifyMaxMs
  for (let open = listOpen(); open.length > 0 && performance.now() < giveUpAt && !signal.aborted; open = listOpen()) {
    say(`${String(open.length)} payments are open`)
    await pause(clarifyPauseMs)
    for (const id of open) await read(id)
  }
  violations.push(...findMoneyViolations(acknowledged.payments, states, await system.network.ledger()))
  for (const { token } of acknowledged.cards) {
    const auth = `${system.merchant.id}:${system.merchant.password}`
    const reply = await system.call({ method: 'cards.check', params: { token }, auth })
    const card = reply.kind === 'result' ? (reply.result.card as { verify: boolean }) : null
    if (card?.verify !== true) violations.push(`an acknowledged card is answered with ${JSON.stringify(reply).slice(0, 200)}`)
  }
  for (const phone of acknowledged.phones) {
    const codes = system.phones.codesOf(phone).length
    if (codes !== 1) violations.push(`a phone that asked for one code got ${String(codes)} messages`)
  }
  return {
    paid: acknowledged.payments.filter(({ outcome }) => outcome === 'paid').length,
    unknown: unknown.length,
    unknownPaid: unknown.filter(({ receiptId }) => states.get(receiptId ?? '') === paidState).length,
    cards: acknowledged.cards.length,
    repeated: acknowledged.repeated.length,
    repeatedTaken: acknowledged.repeated.filter(({ wasTaken }) => wasTaken).length,
    violations,
  }
}

/**
 * What the service says of its payments, compared with what the network took. `states`: of the receipts, by id; -1 where one could not be read. Every
 * payment has an amount of its own. At the end none may be open.
 */
export function findMoneyViolations(
  payments: readonly Pick<TrialPayment, 'receiptId' | 'outcome' | 'tiyin'>[],
  states: ReadonlyMap<string, number>,
  ledger: readonly Pick<LedgerEntry, 'tiyin'>[],
): string[] {
  const taken = new Map<number, number>()
  for (const { tiyin } of ledger) taken.set(tiyin, (taken.get(tiyin) ?? 0) + 1)
  return payments.flatMap(({ outcome, tiyin, receiptId }) => {
    const times = taken.get(tiyin) ?? 0
    const state = receiptId === null ? 0 : (states.get(receiptId) ?? unreadable)
    const name = receiptId ?? `of ${String(tiyin)} tiyin that was not created`
    return [
      ...(times > 1 ? [`${String(tiyin)} tiyin were taken ${String(times)} times`] : []),
      ...(state === unreadable ? [`receipt ${name} cannot be read`] : []),
      ...(openStates.has(state) ? [`receipt ${name} is still open, in state ${String(state)}`] : []),
      ...(outcome === 'paid' && state !== paidState ? [`receipt ${name} was acknowledged as paid and is in state ${String(state)}`] : []),
      ...(state === paidState && times === 0 ? [`receipt ${name} is paid, and the network took nothing`] : []),
      ...(state !== paidState && times > 0 ? [`receipt ${name} is in state ${String(state)}, and the network took it`] : []),
    ]
  })
}

function stateOf(reply: HttpsReply): number {
  return reply.kind === 'result' ? (reply.result.receipt as { state: number }).state : unreadable
}

const paidState = 4
const unreadable = -1
/** Being paid, being confirmed, or being clarified (docs/concepts/receipts.md). */
const openStates: ReadonlySet<number> = new Set([1, 2, 3, 6, 20, 21])
const calmMs = 2000
const recoveryMaxMs = 60_000
/** A payment whose request the network never saw is reversed until five minutes have passed. */
const clarifyMaxMs = 420_000
const clarifyPauseMs = 5000
