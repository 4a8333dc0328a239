import type { Pan, Expiry } from '@tessera/contract/card'
import type { CardRoute } from '@tessera/contract/route'

import type { Store } from '../../store/store.ts'
import type { Adapter, AdapterDependencies, AdapterSettings } from '../adapter.ts'

/**
 * A card network or issuer, as the service asks it. One adapter a gateway; the sandbox is one of them.
 *
 * Rules: our `requestId` is durable before every call; a call is bounded by `timeoutMs` of the caller, and an answer that does not come in
 * time is `timeout`, never repeated blindly. An adapter does not keep the PAN beyond its call.
 */
export interface Network {
  /** Card number prefixes that this network takes. */
  readonly routes: readonly CardRoute[]
  /**
   * Whether the adapter lets a card in at cards.create. Decided locally, without a call to the outside: real networks answer null at once;
   * the sandbox simulates here the scenarios whose step is `create`.
   */
  admit(card: NetworkCard, signal: AbortSignal): Promise<NetworkRefusal | null>
  /** Finds the cardholder's phone and, where the network sends the code itself, has it sent. */
  startVerification(ask: NetworkCard & { readonly requestId: string }, signal: AbortSignal): Promise<VerificationStart>
  /** Where the network sent the code: whether this one is right. */
  finishVerification(answer: CodeCheckRequest, signal: AbortSignal): Promise<CodeCheckResult>
  /** Asked before a code is evaluated, also where we sent it: a card that may not be verified any more is refused. Usually null, at once. */
  admitVerification(card: NetworkCard, signal: AbortSignal): Promise<NetworkRefusal | null>

  /** Debits the card, or holds the money. The last call that needs the PAN. */
  authorize(ask: AuthorizationRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Takes held money, all of it or a part; the rest is released. */
  capture(ask: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Releases held money. */
  cancelHold(ask: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Gives debited money back. */
  refund(ask: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Undoes an authorization whose outcome was unknown; approved as well when the network never saw it. */
  reverse(ask: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** What became of a call of ours. */
  status(requestId: string, signal: AbortSignal): Promise<NetworkOutcome | { readonly kind: 'neverSeen' }>
}

export interface AuthorizationRequest extends NetworkCard {
  readonly requestId: string
  readonly receiptId: string
  readonly amountTiyin: number
  readonly hold: boolean
}

/** A call about an authorization that there is; it needs no PAN. */
export interface FollowUpRequest {
  readonly requestId: string
  readonly merchantId: string
  /** The requestId of the authorization that it is about. */
  readonly ofRequestId: string
  /** The network's reference of it; '' when it was never told. */
  readonly networkRef: string
  readonly amountTiyin: number
}

/** `unknown`: no answer in time, so it may or may not have happened; never to be repeated blindly. */
export type NetworkOutcome =
  | { readonly kind: 'approved'; readonly networkRef: string }
  | { readonly kind: 'declined'; readonly reason: DeclineReason; readonly rawCode: string }
  | { readonly kind: 'unknown' }

/** Normalised; the network's own code goes beside it. */
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
  /** The network sent its own code; it tells the phone only masked. */
  | { readonly kind: 'networkSent'; readonly phoneMask: string; readonly networkRef: string }
  /** The network names the phone, and we send our code: 9 to 15 digits, country code first. */
  | { readonly kind: 'weSend'; readonly phone: string }

/** `unknown`: the network knows no such attempt. */
export type CodeCheckResult = NetworkRefusal | { readonly kind: 'right' | 'wrong' | 'tooOld' | 'triesUsedUp' | 'unknown' }

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
