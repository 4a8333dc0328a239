import { askWithin } from '../cards/refusal.ts'
import type { Moved, Network } from '../network/network.ts'

import type { ReceiptTools } from './tools.ts'

/** The same as `Moved`, with what our log should know of an adapter that broke. */
export type Said<T> = T | { readonly kind: 'unknown'; readonly cause?: unknown }

/**
 * Asks the network and waits only so long. Whoever does not answer, or breaks, may have moved the money all the same: that is unknown,
 * never repeated blindly.
 */
export async function askMoney<T extends Moved | { readonly kind: 'neverSeen' }>(
  { network, clock, figures }: ReceiptTools,
  signal: AbortSignal,
  ask: (network: Network, signal: AbortSignal) => Promise<T>,
): Promise<Said<T>> {
  const late: Said<T> = { kind: 'unknown' }
  try {
    return await askWithin<Said<T>>({ clock, timeoutMs: figures.networkTimeoutMs, signal }, late, (until) => ask(network, until))
  } catch (err) {
    return { kind: 'unknown', cause: err }
  }
}
