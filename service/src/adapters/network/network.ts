import type { Pan, Expiry } from '@tessera/contract/card'
import type { CardRoute } from '@tessera/contract/route'

import type { Store } from '../../store/store.ts'
import type { Adapter, AdapterDependencies, AdapterSettings } from '../adapter.ts'

/**
 * A card network or issuer. One adapter per gateway; the sandbox is one of them.
 *
 * Rules: our `requestId` is durable before every call. The caller bounds each call with a timeout and never repeats it blindly after one. An
 * adapter must not hold the PAN longer than its call.
 */
export interface Network {
  /** Card number prefixes that this network accepts. */
  readonly routes: readonly CardRoute[]
  /** Whether its failures are chosen by its users, so that they never open the breaker of the network. */
  readonly isSimulated?: boolean
  /**
   * Whether cards.create may accept the card. Decided locally, without an external call: adapters of real networks return null at once; the
   * sandbox simulates the scenarios whose step is `create`.
   */
  admit(card: NetworkCard, signal: AbortSignal): Promise<NetworkRefusal | null>
  /** Finds the cardholder's phone. Where the network sends the code itself, it sends it now. */
  startVerification(request: NetworkCard & { readonly requestId: string }, signal: AbortSignal): Promise<VerificationStart>
  /** Checks a code that the network sent. */
  checkCode(request: CodeCheckRequest, signal: AbortSignal): Promise<CodeCheckResult>
  /** Called before a code is checked, also when the service sent it. Refuses a card that may no longer be verified; usually returns null at once. */
  precheckCard(card: NetworkCard, signal: AbortSignal): Promise<NetworkRefusal | null>

  /** Debits the card, or holds the money. The last call that needs the PAN. */
  authorize(request: AuthorizationRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Captures held money, all of it or a part; the rest is released. */
  capture(request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Releases held money. */
  cancelHold(request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Refunds debited money. */
  refund(request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Reverses an authorization whose outcome was unknown. Also approved when the network never saw it. */
  reverse(request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Returns the outcome of an earlier call. */
  status(requestId: string, signal: AbortSignal): Promise<NetworkOutcome | { readonly kind: 'neverSeen' }>
}

export interface AuthorizationRequest extends NetworkCard {
  readonly requestId: string
  readonly receiptId: string
  readonly amountTiyin: number
  readonly hold: boolean
}

/** A call about an existing authorization; it needs no PAN. */
export interface FollowUpRequest {
  readonly requestId: string
  readonly merchantId: string
  /** The requestId of the authorization. */
  readonly ofRequestId: string
  /** The network's reference of the authorization; '' when none was received. */
  readonly networkRef: string
  readonly amountTiyin: number
}

/** `unknown`: no reply in time. The call may or may not have taken effect, and must not be repeated blindly. */
export type NetworkOutcome =
  | { readonly kind: 'approved'; readonly networkRef: string }
  | { readonly kind: 'declined'; readonly reason: DeclineReason; readonly rawCode: string }
  | { readonly kind: 'unknown' }

/** Normalized. The network's own code is in `rawCode`. */
export type DeclineReason =
  | 'smsNotConnected'
  | 'cardExpired'
  | 'cardBlocked'
  | 'systemError'
  | 'networkTimeout'
  | 'insufficientFunds'
  | 'cardLimit'
  | 'declined'
  | 'debitFailed'

export interface NetworkCard {
  readonly merchantId: string
  readonly pan: Pan
  readonly expiry: Expiry
}

export interface CodeCheckRequest extends NetworkCard {
  readonly requestId: string
  readonly networkRef: string | null
  /** Six digits as the cardholder typed them. */
  readonly code: string
}

/** Why the network or issuer refuses to verify the card. A payment that is not approved is `declined` instead (`NetworkOutcome`). */
export interface NetworkRefusal {
  readonly kind: 'refused'
  readonly reason: NetworkRefusalReason
}

export type NetworkRefusalReason = 'smsNotConnected' | 'cardExpired' | 'cardBlocked' | 'systemError' | 'timeout'

export type VerificationStart =
  | NetworkRefusal
  /** The network sent its own code, and returned the phone masked. */
  | { readonly kind: 'sentByNetwork'; readonly phoneMask: string; readonly networkRef: string }
  /** The network returned the phone, and the service sends its code to it: 9 to 15 digits, country code first. */
  | { readonly kind: 'sentByService'; readonly phone: string }

/** `unknown`: the network does not know the attempt. */
export type CodeCheckResult =
  NetworkRefusal | { readonly kind: 'incorrect' } | { readonly kind: 'correct' | 'expired' | 'attemptsUsedUp' | 'unknown' }

/** What a network adapter may use. The store is for the sandbox's scenarios and ledger; an adapter for production does not touch it. */
export interface NetworkAdapterDependencies extends AdapterDependencies {
  readonly store: Store
}

/** Declares a network adapter; its settings give `create` their types. */
export function networkAdapter<Settings extends AdapterSettings>(
  adapter: Adapter<Network, NetworkAdapterDependencies, Settings>,
): Adapter<Network, NetworkAdapterDependencies> {
  return adapter
}
