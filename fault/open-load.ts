import { setTimeout as pause } from 'node:timers/promises'
import { ConnectionLost } from './http-connection.ts'
import { openApiClient, type ApiClient, type ApiClientOptions, type CallOutcome } from './api-client.ts'

/** One call of a load: when it was sent and how it came out. */
export interface SentCall {
  /** Milliseconds of `performance.now()`. */
  readonly sentAt: number
  readonly ms: number
  readonly outcome: CallOutcome
}

export interface OpenLoad extends ApiClientOptions {
  readonly perSecond: number
  readonly call: (client: ApiClient) => Promise<CallOutcome>
  /** Aborted when enough was sent. */
  readonly until: AbortSignal
}

/** A load in progress. */
export interface RunningLoad {
  /** The calls that have come to an end. */
  readonly calls: readonly SentCall[]
  /** Resolves when all calls have come to an end. */
  readonly ended: Promise<void>
}

/** Sends calls at a fixed rate, however long the earlier ones take, each on a connection of its own that is used again afterwards. */
export function startOpenLoad(load: OpenLoad): RunningLoad {
  const calls: SentCall[] = []
  const idle: ApiClient[] = []
  const pending = new Set<Promise<void>>()

  async function sendOne(): Promise<void> {
    let client = idle.pop()
    // The service closes connections that were idle for a minute, as those at the bottom are.
    while (client?.isOpen() === false) client = idle.pop()
    client ??= await openApiClient(load)
    const sentAt = performance.now()
    const outcome = await load.call(client)
    calls.push({ sentAt, ms: performance.now() - sentAt, outcome })
    if (outcome.kind === 'lost') client.close()
    else idle.push(client)
  }

  async function run(): Promise<void> {
    const startedAt = performance.now()
    for (let sent = 0; !load.until.aborted;) {
      for (; sent < ((performance.now() - startedAt) * load.perSecond) / 1000; sent++) {
        const one = sendOne().catch((err: unknown) => {
          if (!(err instanceof ConnectionLost)) throw err
          calls.push({ sentAt: performance.now(), ms: 0, outcome: { kind: 'lost', why: err.message } })
        })
        pending.add(one)
        void one.finally(() => pending.delete(one))
      }
      await pause(5)
    }
    await Promise.all(pending)
    for (const client of idle) client.close()
  }

  return { calls, ended: run() }
}

/** The calls that were sent between two times. */
export function callsBetween({ calls }: RunningLoad, { from, to }: { readonly from: number; readonly to: number }): SentCall[] {
  return calls.filter(({ sentAt }) => sentAt >= from && sentAt < to)
}

/** How many calls came out in which way: `result`, or the reason of the refusal. */
export function countOutcomes(calls: readonly SentCall[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { outcome } of calls) {
    const name = outcome.kind === 'refused' ? outcome.reason : outcome.kind
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** Calls without a result. What they got instead is printed, because a busy machine alone makes some fail. */
export function countFailures(calls: readonly SentCall[]): number {
  const { result = 0, ...failures } = Object.fromEntries(countOutcomes(calls))
  if (result < calls.length) process.stderr.write(`        calls that failed: ${JSON.stringify(failures)}\n`)
  return calls.length - result
}

/** The 99th percentile of how long calls took, milliseconds; 0 for none. */
export function p99Ms(calls: readonly SentCall[]): number {
  const sorted = calls.map(({ ms }) => ms).sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.99) - 1)] ?? 0
}
