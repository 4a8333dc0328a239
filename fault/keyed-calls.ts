import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { tokenOf, type ApiClient, type CallOutcome } from './api-client.ts'
import { panWithNetworkOtp } from './load.ts'
import { selectRows, type ServiceData } from './service-data.ts'

/** A call under a key, and what became of it. */
export interface KeyedCall {
  readonly method: 'cards.create' | 'receipts.pay'
  readonly params: object
  readonly key: string
  readonly receiptId: string | null
  isCut: boolean
  isUnknown: boolean
  /** Whether the card exists, or the money was taken, when the caller was told that the outcome is unknown. */
  hadHappened: boolean
  firstMs: number
  readonly retryMs: number[]
  /** The last reply; the outcome once it is no unknown one. */
  outcome: CallOutcome | null
}

export async function prepareCall(client: ApiClient, token: string, isCard: boolean): Promise<KeyedCall> {
  const state = { key: randomUUID(), isCut: false, isUnknown: false, hadHappened: false, firstMs: 0, retryMs: [], outcome: null }
  const card = { number: panWithNetworkOtp, expire: '0399' }
  if (isCard) return { ...state, method: 'cards.create', params: { card, save: true, customer: state.key }, receiptId: null }
  const created = await client.call('receipts.create', { amount: amountTiyin })
  if (created.kind !== 'result') throw new Error(`no receipt could be created: ${JSON.stringify(created)}`)
  const id = (created.result['receipt'] as { readonly _id: string })._id
  return { ...state, method: 'receipts.pay', params: { id, token }, receiptId: id }
}

/** Repeats every call under its key until its outcome is known. Each of these calls has to end in time as well. */
export async function resolveAll(client: ApiClient, calls: readonly KeyedCall[], complaints: string[]): Promise<void> {
  const giveUpAt = performance.now() + maxResolveMs
  for (const call of calls) {
    while (call.outcome === null || isUnknown(call.outcome) || isRetryable(call.outcome)) {
      if (performance.now() > giveUpAt) {
        complaints.push(`${call.method}: the outcome was never known: ${call.outcome === null ? 'no reply' : formatOutcome(call.outcome)}`)
        break
      }
      await pause(resolvePauseMs)
      const { ms, outcome } = await timed(() => client.call(call.method, call.params, call.key))
      call.retryMs.push(ms)
      call.outcome = outcome
      if (ms > maxKeyedCallMs) complaints.push(`${call.method} under its key took ${Math.round(ms)} ms: ${formatOutcome(outcome)}`)
    }
  }
}

/** Every acknowledged call was done, and none was done twice. */
export async function findUndone(client: ApiClient, serviceData: ServiceData, calls: readonly KeyedCall[]): Promise<string[]> {
  const found: string[] = []
  for (const call of calls) {
    const done = await countDone(serviceData, call)
    if (done > 1) found.push(`${call.method} was done ${done} times under one key`)
    if (call.outcome?.kind !== 'result') continue
    if (done === 0) found.push(`${call.method} was acknowledged and not done`)
    if (call.receiptId !== null) continue
    const checked = await client.check(tokenOf(call.outcome.result))
    if (checked.kind !== 'result') found.push(`an acknowledged card is denied: ${formatOutcome(checked)}`)
  }
  return found
}

/** How often the call was done, by the database: cards of its customer, debits of its receipt. */
export async function countDone(serviceData: ServiceData, { receiptId, key }: KeyedCall): Promise<number> {
  const query =
    receiptId === null
      ? `select count(*) as done from cards where customer = '"${key}"'`
      : `select count(*) as done from sandbox_ledger l join operations o on o.request_id = l.request_id
         where o.receipt_id = '${receiptId}' and l.kind = 'authorise' and l.outcome = 'approved'`
  const [row] = await selectRows(serviceData, query)
  return Number(row?.['done'])
}

/** Payments without a fault, one after the other; what a fault does to them is seen beside these. Returns how long each took, ms. */
export async function payCalmly(client: ApiClient, token: string): Promise<number[]> {
  const durations: number[] = []
  for (let sent = 0; sent < calmPayments; sent++) {
    const { method, params, key } = await prepareCall(client, token, false)
    const { outcome, ms } = await timed(() => client.call(method, params, key))
    if (outcome.kind !== 'result') throw new Error(`a payment without a fault ended with ${formatOutcome(outcome)}`)
    durations.push(ms)
  }
  return durations
}

export async function timed(call: () => Promise<CallOutcome>): Promise<{ outcome: CallOutcome; ms: number }> {
  const startedAt = performance.now()
  const outcome = await call()
  return { outcome, ms: performance.now() - startedAt }
}

export function isUnknown(outcome: CallOutcome): boolean {
  return outcome.kind === 'refused' && ['outcome_unknown', 'payment_unknown'].includes(outcome.reason)
}

function isRetryable(outcome: CallOutcome): boolean {
  return outcome.kind === 'refused' && outcome.status === 503
}

export function formatOutcome(outcome: CallOutcome): string {
  return outcome.kind === 'refused' ? outcome.reason : outcome.kind === 'lost' ? outcome.why : 'a result'
}

export const maxKeyedCallMs = 3000
const amountTiyin = 100_000
const calmPayments = 50
/** A lease of 30 s, and what reconciles the payment afterwards. */
const maxResolveMs = 120_000
const resolvePauseMs = 200
