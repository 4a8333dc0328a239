import type { CodeCheckResult, Network, NetworkRefusal, NetworkStatus, VerificationStart } from './network.ts'
import { NetworkNotReached } from './network-not-reached.ts'

/** One call to a card network, in words of our own. Contains nothing that the network sent. */
export interface NetworkCall {
  readonly operation: NetworkOperation
  /**
   * The kind of the result: `approved`, `declined`, `refused`, `correct` …; `allowed` where there was nothing to refuse; `unknown`: no answer;
   * `not_reached`: there was no connection; `failed`: the adapter threw, or was given up after the timeout.
   */
  readonly outcome: string
  /** Whether the network answered; a decline or a refusal is an answer. Null: the adapter may have decided without it. */
  readonly isAnswered: boolean | null
  readonly ms: number
}

/** `admit` is decided without a call. */
export type NetworkOperation =
  'start_verification' | 'check_code' | 'precheck_card' | 'authorize' | 'capture' | 'cancel_hold' | 'refund' | 'reverse' | 'status'

export interface ObserveNetworkOptions {
  readonly network: Network
  readonly onCall: (call: NetworkCall) => void
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
}

/** Returns the network with every call reported to `onCall`, once: when it ends, or when its caller gives it up. */
export function observeNetwork({ network, onCall, now }: ObserveNetworkOptions): Network {
  return Object.freeze<Network>({
    ...network,
    admit: (card, signal) => network.admit(card, signal),
    startVerification: (request, signal) => observe('start_verification', signal, () => network.startVerification(request, signal)),
    checkCode: (request, signal) => observe('check_code', signal, () => network.checkCode(request, signal)),
    precheckCard: (card, signal) => observe('precheck_card', signal, () => network.precheckCard(card, signal)),
    authorize: (request, signal) => observe('authorize', signal, () => network.authorize(request, signal)),
    capture: (request, signal) => observe('capture', signal, () => network.capture(request, signal)),
    cancelHold: (request, signal) => observe('cancel_hold', signal, () => network.cancelHold(request, signal)),
    refund: (request, signal) => observe('refund', signal, () => network.refund(request, signal)),
    reverse: (request, signal) => observe('reverse', signal, () => network.reverse(request, signal)),
    status: (request, signal) => observe('status', signal, () => network.status(request, signal)),
  })

  async function observe<T extends NetworkResult>(operation: NetworkOperation, signal: AbortSignal, call: () => Promise<T>): Promise<T> {
    const startedAt = now()
    let isReported = false
    const report = (outcome: string, isAnswered: boolean | null): void => {
      if (!isReported) onCall({ operation, outcome, isAnswered, ms: now() - startedAt })
      isReported = true
    }
    const giveUp = (): void => report('failed', false)
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      const result = await call()
      report(result === null ? 'allowed' : toSnakeCase(result.kind), isAnswer(operation, result))
      return result
    } catch (err) {
      report(err instanceof NetworkNotReached ? 'not_reached' : 'failed', false)
      throw err
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }
}

type NetworkResult = NetworkStatus | VerificationStart | CodeCheckResult | NetworkRefusal | null

/** A precheck that allows the card is usually local, so it says nothing about the network. The `unknown` of a code is the network's word for it. */
function isAnswer(operation: NetworkOperation, result: NetworkResult): boolean | null {
  if (result === null || result.kind === 'noInquiry') return null
  if (result.kind === 'refused') return result.reason !== 'timeout'
  if (result.kind === 'declined') return result.reason !== 'networkTimeout'
  return result.kind !== 'unknown' || operation === 'check_code' || 'isAnswered' in result
}

function toSnakeCase(kind: string): string {
  return kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
