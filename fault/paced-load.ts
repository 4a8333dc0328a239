import { setTimeout as pause } from 'node:timers/promises'
import { openApiClient, tokenOf, type ApiClient, type ApiClientOptions, type CallOutcome } from './api-client.ts'
import { panWithOurOtp, testOtp } from './load.ts'
import type { Random } from './random.ts'

export interface PacedLoad extends ApiClientOptions {
  readonly connections: number
  /** Calls a second, over all connections; Infinity sends each as soon as the one before it has its reply. */
  readonly callsPerSecond: number
  /** Of verified cards that pay. */
  readonly payingTokens: readonly string[]
  readonly random: Random
  readonly until: AbortSignal
  /** The time since the call was due, so that a call that had to wait for the one before it counts in full. */
  readonly onReply: (outcome: CallOutcome, ms: number) => void
}

/** Creates, checks, verifies, pays and removes at a constant rate, until it is aborted. */
export async function runPacedLoad(load: PacedLoad): Promise<void> {
  const startedAt = performance.now()
  let sent = 0
  const nextDueAt = (): number => startedAt + (sent++ / load.callsPerSecond) * 1000
  await Promise.all(Array.from({ length: load.connections }, () => runPacedConnection(load, nextDueAt)))
}

async function runPacedConnection(load: PacedLoad, nextDueAt: () => number): Promise<void> {
  const client = await openApiClient(load)
  const call = async (send: () => Promise<CallOutcome>): Promise<CallOutcome> => {
    const dueAt = load.callsPerSecond === Infinity ? performance.now() : nextDueAt()
    const waitMs = dueAt - performance.now()
    if (waitMs > 0) await pause(waitMs)
    const outcome = await send()
    load.onReply(outcome, performance.now() - dueAt)
    return outcome
  }
  try {
    while (!load.until.aborted) await runCardLife(client, load, call)
  } finally {
    client.close()
  }
}

/** A card that is removed in the end, so that the number of live cards does not grow, and now and then a payment. */
async function runCardLife(
  client: ApiClient,
  { payingTokens, random }: PacedLoad,
  call: (send: () => Promise<CallOutcome>) => Promise<CallOutcome>,
) {
  const created = await call(() => client.create(panWithOurOtp))
  if (created.kind !== 'result') return
  const token = tokenOf(created.result)
  for (let checks = 0; checks < 3; checks++) await call(() => client.check(token))
  if (random.chance(0.25)) {
    await call(() => client.requestCode(token))
    await call(() => client.verify(token, testOtp))
  }
  const paying = payingTokens[random.between(0, payingTokens.length - 1)]
  if (paying !== undefined && random.chance(0.25)) {
    const receipt = await call(() => client.call('receipts.create', { amount: 10_000, account: { order: 'a' } }))
    const id = receipt.kind === 'result' ? (receipt.result['receipt'] as { _id?: string } | undefined)?._id : undefined
    if (id !== undefined) await call(() => client.call('receipts.pay', { id, token: paying }))
  }
  await call(() => client.remove(token))
}
