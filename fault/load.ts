import { setTimeout as pause } from 'node:timers/promises'
import { ConnectionLost } from './http-connection.ts'
import type { CardCall, CardRecord, Ledger } from './ledger.ts'
import { makeRandom, type Random } from './random.ts'
import { isOutcomeUnknown, openApiClient, tokenOf, type CallOutcome, type ApiClient, type ApiClientOptions } from './api-client.ts'

export interface Load extends ApiClientOptions {
  readonly connections: number
  readonly ledger: Ledger
  readonly random: Random
  /** Aborted when enough was sent. Calls in progress are still waited for. */
  readonly until: AbortSignal
  /** Whether an acknowledgement that comes now does not count: the call may have happened or not. */
  readonly isUncertain?: () => boolean
  /** Called for every reply, with the outcome and how long the call took. */
  readonly onReply?: (outcome: CallOutcome, ms: number) => void
  /** The longest pause between two calls of one connection; none by default. */
  readonly maxPauseMs?: number
}

/** The number of refusals by reason. */
export type Refusals = Map<string, number>

/**
 * Creates cards, requests codes, verifies and removes over several connections, and records every reply in the ledger, until it is aborted or the
 * service is gone.
 */
export async function runLoad(load: Load): Promise<Refusals> {
  const refusals: Refusals = new Map()
  await Promise.all(Array.from({ length: load.connections }, () => runConnection(load, refusals)))
  return refusals
}

/** Creates cards until one succeeds, and returns how many ms that took. Throws when none succeeded for `maxMs`. */
export async function waitForNewCard(start: ApiClientOptions, ledger: Ledger, maxMs: number): Promise<number> {
  const startedAt = performance.now()
  const before = ledger.cards.length
  while (ledger.cards.length === before) {
    if (performance.now() - startedAt > maxMs) throw new Error(`no card could be created for ${maxMs} ms after the fault was over`)
    const once = new AbortController()
    const answered = (): void => once.abort()
    await runLoad({ ...start, connections: 1, ledger, random: makeRandom(1), until: once.signal, onReply: answered })
  }
  return performance.now() - startedAt
}

async function runConnection(load: Load, refusals: Refusals): Promise<void> {
  const client = await openApiClient(load).catch((err: unknown) => {
    if (err instanceof ConnectionLost) return null
    throw err
  })
  if (client === null) return
  try {
    while (!load.until.aborted && (await sendCard(client, load, refusals)));
  } finally {
    client.close()
  }
}

/** Creates one card and makes some of the other calls for it. Returns false when the service is gone. */
async function sendCard(client: ApiClient, load: Load, refusals: Refusals): Promise<boolean> {
  const { ledger, random, until, isUncertain: isDoubted = never, maxPauseMs: pauseMsMax = 0 } = load
  const pan = random.chance(0.5) ? panWithNetworkOtp : panWithOurOtp
  const created = await measureCall(load, () => client.create(pan))
  if (isOutcomeUnknown(created) || (created.kind === 'result' && isDoubted())) ledger.outcomes.creations += 1
  if (created.kind !== 'result') return countRefusal(created, refusals)
  if (isDoubted()) return true
  const card = ledger.addCard(tokenOf(created.result))
  for (const call of drawCalls(random)) {
    if (pauseMsMax > 0) await pause(random.between(0, pauseMsMax))
    if (until.aborted) return true
    card[call] = 'sent'
    const outcome = await measureCall(load, () => ask(client, call, card))
    if (isOutcomeUnknown(outcome) || (outcome.kind === 'result' && isDoubted())) card[call] = 'unknown'
    if (outcome.kind !== 'result') return countRefusal(outcome, refusals)
    if (isDoubted()) return true
    card[call] = 'acknowledged'
  }
  return true
}

const never = (): boolean => false

async function measureCall({ onReply: answered }: Load, call: () => Promise<CallOutcome>): Promise<CallOutcome> {
  const startedAt = performance.now()
  const outcome = await call()
  answered?.(outcome, performance.now() - startedAt)
  return outcome
}

/** Cards stop at every stage, so that each stage can get lost. */
function drawCalls(random: Random): readonly CardCall[] {
  const drawn = random.next()
  if (drawn < 0.2) return []
  if (drawn < 0.3) return ['remove']
  if (drawn < 0.45) return ['code']
  if (drawn < 0.85) return ['code', 'verify']
  return ['code', 'verify', 'remove']
}

function ask(client: ApiClient, call: CardCall, { token }: CardRecord): Promise<CallOutcome> {
  switch (call) {
    case 'code':
      return client.requestCode(token)
    case 'verify':
      return client.verify(token, testOtp)
    case 'remove':
      return client.remove(token)
  }
}

function countRefusal(outcome: CallOutcome, refusals: Refusals): boolean {
  if (outcome.kind === 'refused') refusals.set(outcome.reason, (refusals.get(outcome.reason) ?? 0) + 1)
  return outcome.kind !== 'lost'
}

/** Public cards of the test environment. The network of the first sends the code itself; for the second the service sends it. */
export const panWithNetworkOtp = '8600069195406311'
export const panWithOurOtp = '8600495473316478'
/** The fixed code of the test environment. */
export const testOtp = '666666'
