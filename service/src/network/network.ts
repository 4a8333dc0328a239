import type { Pan, Expiry } from '@tessera/contract/card'
import type { CardRoute } from '@tessera/contract/route'

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
   * the sandbox rehearses here the scenarios whose step is `create`.
   */
  admit(card: NetworkCard, signal: AbortSignal): Promise<Refusal | null>
  /** Finds the cardholder's phone and, where the network sends the code itself, has it sent. */
  startVerification(ask: NetworkCard & { readonly requestId: string }, signal: AbortSignal): Promise<StartedVerification>
  /** Where the network sent the code: whether this one is right. */
  finishVerification(answer: CodeAnswer, signal: AbortSignal): Promise<FinishedVerification>
  /** Asked before a code is evaluated, also where we sent it: a card that may not be verified any more is refused. Usually null, at once. */
  admitVerification(card: NetworkCard, signal: AbortSignal): Promise<Refusal | null>
}

export interface NetworkCard {
  readonly merchantId: string
  readonly pan: Pan
  readonly expiry: Expiry
}

export interface CodeAnswer extends NetworkCard {
  readonly requestId: string
  readonly networkRef: string | null
  /** Six digits as the cardholder typed them. */
  readonly code: string
}

/** Why the network or issuer does not go along. */
export interface Refusal {
  readonly kind: 'refused'
  readonly reason: RefusalReason
}

export type RefusalReason = 'smsNotConnected' | 'cardExpired' | 'cardBlocked' | 'systemError' | 'timeout'

export type StartedVerification =
  | Refusal
  /** The network sent its own code; it tells the phone only masked. */
  | { readonly kind: 'networkSent'; readonly phoneMask: string; readonly networkRef: string }
  /** The network names the phone, and we send our code: 9 to 15 digits, country code first. */
  | { readonly kind: 'weSend'; readonly phone: string }

/** `unknown`: the network knows no such attempt. */
export type FinishedVerification = Refusal | { readonly kind: 'right' | 'wrong' | 'tooOld' | 'triesUsedUp' | 'unknown' }
