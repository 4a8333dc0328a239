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

  /** Debits the card, or holds the money. The last call that needs the PAN. */
  authorise(ask: Authorisation, signal: AbortSignal): Promise<Moved>
  /** Takes held money, all of it or a part; the rest is released. */
  capture(ask: Movement, signal: AbortSignal): Promise<Moved>
  /** Releases held money. */
  cancelHold(ask: Movement, signal: AbortSignal): Promise<Moved>
  /** Gives debited money back. */
  refund(ask: Movement, signal: AbortSignal): Promise<Moved>
  /** Undoes an authorisation whose outcome was unknown; approved as well when the network never saw it. */
  reverse(ask: Movement, signal: AbortSignal): Promise<Moved>
  /** What became of a call of ours. */
  status(requestId: string, signal: AbortSignal): Promise<Moved | { readonly kind: 'neverSeen' }>
}

export interface Authorisation extends NetworkCard {
  readonly requestId: string
  readonly receiptId: string
  readonly amountTiyin: number
  readonly hold: boolean
}

/** A call about an authorisation that there is; it needs no PAN. */
export interface Movement {
  readonly requestId: string
  readonly merchantId: string
  /** The requestId of the authorisation that it is about. */
  readonly ofRequestId: string
  /** The network's reference of it; '' when it was never told. */
  readonly networkRef: string
  readonly amountTiyin: number
}

/** `unknown`: no answer in time, so it may or may not have happened; never to be repeated blindly. */
export type Moved =
  | { readonly kind: 'approved'; readonly networkRef: string }
  | { readonly kind: 'declined'; readonly reason: DeclineReason; readonly rawCode: string }
  | { readonly kind: 'unknown' }

/** Normalised; the network's own code goes beside it. */
export type DeclineReason =
  'smsNotConnected' | 'cardExpired' | 'cardBlocked' | 'systemError' | 'networkTimeout' | 'insufficientFunds' | 'declined' | 'debitFailed'

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
