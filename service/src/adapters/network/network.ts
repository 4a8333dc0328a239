import type { Pan, Expiry } from '@tessera/contract/card'
import type { CardRoute } from '@tessera/contract/route'

import type { MovementKind } from '../../store/operations.ts'
import type { Store } from '../../store/store.ts'
import type { Adapter, AdapterDependencies, AdapterSettings, NamedPort } from '../adapter.ts'
import type { HolderMatch } from '../holder-match.ts'

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
  /** Finds the cardholder's phone. Where the network sends the code itself, it sends it now. May throw `NetworkNotReached`. */
  startVerification(request: VerificationRequest, signal: AbortSignal): Promise<VerificationStart>
  /** Checks a code that the network sent. May throw `NetworkNotReached`. */
  checkCode(request: CodeCheckRequest, signal: AbortSignal): Promise<CodeCheckResult>
  /** Called before a code is checked, also when the service sent it. Refuses a card that may no longer be verified; usually returns null at once. */
  precheckCard(card: NetworkCard, signal: AbortSignal): Promise<NetworkRefusal | null>

  /** Debits the card, or holds the money. The last call that needs the PAN. May throw `NetworkNotReached`. */
  authorize(request: AuthorizationRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Captures held money, all of it or a part; the rest is released. May throw `NetworkNotReached`. */
  capture(request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Releases held money. */
  cancelHold(request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Refunds debited money. */
  refund(request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Reverses an authorization whose outcome was unknown. Also approved when the network never saw it. */
  reverse(request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome>
  /** Returns the outcome of an earlier call. */
  status(request: StatusRequest, signal: AbortSignal): Promise<NetworkStatus>
  /**
   * For networks that know a call by a number which the service has to draw (the STAN of ISO 8583): a new one for a call of this kind. It is stored
   * before the call, and is `trace` of its request. Absent: the `requestId` is enough.
   */
  issueTrace?(kind: MovementKind): Promise<string>
  /** Closes connections that the adapter keeps open. */
  close?(): Promise<void>
}

/** A network of the service, under the name of its adapter. */
export type NamedNetwork = NamedPort<Network>

/** `neverSeen`: the network does not know the call. `noInquiry`: it has no status inquiry, so a follow-up is sent again, with `isRepeat`. */
export type NetworkStatus = NetworkOutcome | { readonly kind: 'neverSeen' } | { readonly kind: 'noInquiry' }

/** An earlier call, of which the outcome is not known. */
export interface StatusRequest {
  readonly requestId: string
  readonly merchantId: string
  readonly kind: MovementKind
  readonly amountTiyin: number
  /** As issued by `issueTrace` for the call; '' without one. */
  readonly trace: string
  /** The requestId of the authorization: that of the call, if it is one. */
  readonly ofRequestId: string
  /** The network's reference of the authorization; '' when none was received. */
  readonly networkRef: string
}

export interface AuthorizationRequest extends NetworkCard {
  readonly requestId: string
  /** As issued by `issueTrace`; '' without one. */
  readonly trace: string
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
  /** As issued by `issueTrace` for this call; '' without one. */
  readonly trace: string
  /** The authorization: its trace, its amount, and whether it held the money. */
  readonly ofTrace: string
  readonly ofAmountTiyin: number
  readonly ofHold: boolean
  /** Whether the same call may have been sent before, without a reply. */
  readonly isRepeat: boolean
}

/**
 * `unknown`: no reply in time, or one that does not decide. The call may or may not have taken effect, and must not be repeated blindly. `isAnswered`: the
 * network replied as agreed, and only later can it say more; the breaker does not count that against it. `decidesAt`: from when on its reply decides, unix
 * milliseconds; it is asked then at the latest.
 */
export type NetworkOutcome =
  | { readonly kind: 'approved'; readonly networkRef: string }
  | { readonly kind: 'declined'; readonly reason: DeclineReason; readonly rawCode: string }
  | { readonly kind: 'unknown'; readonly isAnswered?: true; readonly decidesAt?: number }

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

export interface VerificationRequest extends NetworkCard {
  readonly requestId: string
  /**
   * By the policy of the card, a phone that nobody confirms as the cardholder's is refused. A network that sends the code itself then sends it only if it
   * can confirm the phone, and refuses otherwise: `holderMismatch`. One that only names the phone may leave that to the outside service.
   */
  readonly isHolderRequired: boolean
}

export interface CodeCheckRequest extends NetworkCard {
  readonly requestId: string
  readonly networkRef: string | null
  /** As the cardholder typed it; it has the length and alphabet of the policy of the card. */
  readonly code: string
}

/** Why the network or issuer refuses to verify the card. A payment that is not approved is `declined` instead (`NetworkOutcome`). */
export interface NetworkRefusal {
  readonly kind: 'refused'
  readonly reason: NetworkRefusalReason
}

/** `holderMismatch`: the phone is not the cardholder's, and nothing was sent to it. */
export type NetworkRefusalReason = 'smsNotConnected' | 'cardExpired' | 'cardBlocked' | 'holderMismatch' | 'systemError' | 'timeout'

export type VerificationStart =
  | NetworkRefusal
  /** The network sent its own code, and returned the phone masked. `holder` absent: it does not say whether the phone is the cardholder's. */
  | { readonly kind: 'sentByNetwork'; readonly phoneMask: string; readonly networkRef: string; readonly holder?: HolderMatch }
  /** The network returned the phone, and the service sends its code to it. */
  | NamedVerificationPhone

/** The phone that a network knows for a card. */
export interface NamedVerificationPhone {
  readonly kind: 'sentByService'
  /** 9 to 15 digits, country code first. */
  readonly phone: string
  /** Whether the network says that the phone is the cardholder's. */
  readonly holder?: HolderMatch
  /** By what the outside service of the policy finds the cardholder, such as a personal number; passed on, and stored nowhere. */
  readonly holderReference?: string
}

/** `unknown`: the network does not know the attempt. */
export type CodeCheckResult =
  NetworkRefusal | { readonly kind: 'incorrect' } | { readonly kind: 'correct' | 'expired' | 'attemptsUsedUp' | 'unknown' }

/** What a network adapter may use. The store is for the sandbox's scenarios and ledger; an adapter for production does not touch it. */
export interface NetworkAdapterDependencies extends AdapterDependencies {
  readonly store: Store
  /** Takes a block of trace numbers of a network that no other process gets; returns the first of them. */
  readonly takeTraceNumbers: (network: string, count: number) => Promise<number>
}

/** Declares a network adapter; its settings give `create` their types. */
export function networkAdapter<Settings extends AdapterSettings>(
  adapter: Adapter<Network, NetworkAdapterDependencies, Settings>,
): Adapter<Network, NetworkAdapterDependencies> {
  return adapter
}

/** Uzbekistani so'm in ISO 4217. */
export const somNumericCode = '860'
/** Longer than any host keeps a request that it has not answered. */
export const queuedMaxMs = 5 * 60_000
