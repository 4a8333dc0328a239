import { RpcError } from '@tessera/contract/errors'

import { withTimeout, type TimeoutOptions } from '../../clock.ts'
import type { NetworkRefusal, NetworkRefusalReason } from '../../adapters/network/network.ts'

/** The refusal for a call without a response in time. */
export const networkTimeoutRefusal: NetworkRefusal = Object.freeze({ kind: 'refused', reason: 'timeout' })

/** Calls a card network. An adapter that throws is treated as a system error of the network. */
export async function callCardNetwork<T>(
  options: TimeoutOptions,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T | CausedNetworkRefusal> {
  try {
    return await withTimeout<T | CausedNetworkRefusal>(options, networkTimeoutRefusal, call)
  } catch (err) {
    return { kind: 'refused', reason: 'systemError', cause: err }
  }
}

/** A refusal with its cause, for the log. */
export interface CausedNetworkRefusal extends NetworkRefusal {
  readonly cause?: unknown
}

/** The API error for a refusal. `requestId` goes into `data` of -32400. */
export function refusalError({ reason, cause }: CausedNetworkRefusal, requestId: string): RpcError {
  if (reason === 'systemError') {
    return new RpcError('systemError', { data: requestId, cause: cause ?? new Error('the card network returned a system error') })
  }
  return new RpcError(refusalNames[reason])
}

const refusalNames = {
  smsNotConnected: 'smsNotConnected',
  cardExpired: 'cardExpired',
  cardBlocked: 'cardBlocked',
  timeout: 'networkTimeout',
} as const satisfies Record<Exclude<NetworkRefusalReason, 'systemError'>, string>
