import type { CheckpointDestination, CheckpointDestinationName } from '../../adapters/checkpoints/checkpoint-destination.ts'
import { withTimeout, type Clock } from '../../clock.ts'

import type { ChainFaultKind } from './verify.ts'

/** Who is told about checkpoints: log and metrics. */
export interface CheckpointReports {
  readonly onSent: (destination: CheckpointDestinationName) => void
  /** Called for every failed attempt; `isFirst` for the first since a line was sent. */
  readonly onFailed: (destination: CheckpointDestinationName, failure: { readonly err: unknown; readonly isFirst: boolean }) => void
  readonly onRecovered: (destination: CheckpointDestinationName, failedAttempts: number) => void
  /** A chain differs from what this service committed or exported. Called once for each entry. */
  readonly onFault: (fault: { readonly chain: string; readonly seq: number; readonly fault: ChainFaultKind }) => Promise<void>
  readonly onError: (err: unknown) => void
}

/** The checkpoints that one destination does not have yet. */
export interface DestinationQueue {
  add(line: string): void
  /** Sends what waits, in order, unless an attempt failed a moment ago. Never throws. */
  send(): Promise<void>
  /** Tries once more, at once, and for a few seconds at most. */
  close(): Promise<void>
  waitingCount(): number
  /** Whether the last attempt failed. */
  isFailing(): boolean
}

export function makeDestinationQueue(
  destination: CheckpointDestination,
  { clock, reports }: { readonly clock: Clock; readonly reports: CheckpointReports },
): DestinationQueue {
  const { name } = destination
  const waiting: string[] = []
  let sending: Promise<void> | null = null
  let failures = 0
  let notBefore = -Infinity
  return Object.freeze({ add, send, close, waitingCount: () => waiting.length, isFailing: () => failures > 0 })

  /** A checkpoint says everything that the earlier ones of its chains say, so of too many the oldest are dropped. */
  function add(line: string): void {
    if (waiting.length >= maxWaiting) waiting.shift()
    waiting.push(line)
  }

  function send(): Promise<void> {
    if (waiting.length === 0 || clock.moment().monotonicMs < notBefore) return sending ?? Promise.resolve()
    return (sending ??= sendAll().finally(() => (sending = null)))
  }

  async function sendAll(): Promise<void> {
    for (let [line] = waiting; line !== undefined; [line] = waiting) {
      try {
        await sendInTime(line)
      } catch (err) {
        notBefore = clock.moment().monotonicMs + Math.min(minRetryMs * 2 ** failures, maxRetryMs)
        reports.onFailed(name, { err, isFirst: failures === 0 })
        failures += 1
        return
      }
      if (waiting[0] === line) waiting.shift()
      if (failures > 0) reports.onRecovered(name, failures)
      failures = 0
      reports.onSent(name)
    }
  }

  async function sendInTime(line: string): Promise<void> {
    const sent = await withTimeout<'sent' | 'late'>({ clock, timeoutMs }, 'late', async (signal) => {
      await destination.send(line, signal)
      return 'sent'
    })
    if (sent === 'late') throw new Error('the destination did not respond in time')
  }

  async function close(): Promise<void> {
    await withTimeout<unknown>({ clock, timeoutMs: closeTimeoutMs }, null, async () => {
      await sending
      notBefore = -Infinity
      await send()
    })
  }
}

/** Some hours of checkpoints. */
const maxWaiting = 1000
const timeoutMs = 5000
/** A stop does not wait longer for a destination. */
const closeTimeoutMs = 3000
const minRetryMs = 1000
const maxRetryMs = 60_000
