import type { AuditEntry, AuditHead, AuditNote } from './audit.ts'
import type { CardKey, CardPlace, CardRow, ListedCard } from './card.ts'
import type { ComplianceStore } from './compliance.ts'
import type { ConsentStore } from './consents.ts'
import type { DashboardStore } from './dashboard.ts'
import type { FormStore } from './forms.ts'
import type { MerchantStore } from './merchant.ts'
import type { MoneyStore } from './money.ts'
import type { RequestLogStore } from './requests.ts'
import type { CardRiders, CodeRiders, Twin } from './riders.ts'
import type { InboxRow } from './tallies.ts'
import type { WebhookStore } from './webhooks.ts'

export type * from './audit.ts'
export type * from './card.ts'
export type * from './compliance.ts'
export type * from './consents.ts'
export type * from './dashboard.ts'
export type * from './forms.ts'
export type * from './merchant.ts'
export type * from './money.ts'
export type * from './requests.ts'
export type * from './riders.ts'
export type * from './tallies.ts'
export type * from './webhooks.ts'

/**
 * Every question that the service asks its memory. Two stores answer it, SQLite and PostgreSQL, and one suite holds both to it.
 *
 * A promise of a write resolves only when the write is durable. Each write is one unit: its effect and its audit entry are kept together or
 * not at all; where riders are given, they too, and the answer is `twin` when their key was taken and nothing was done. Errors: `StoreFull`, `StoreOverloaded`, `StoreUnavailable` (nothing was done) and `StoreOutcomeUnknown`.
 */
export interface Store
  extends MerchantStore, MoneyStore, WebhookStore, FormStore, DashboardStore, ConsentStore, ComplianceStore, RequestLogStore {
  /** What an acknowledged write survives: `local` one machine's crash (fsync), `replicated` the loss of that machine. */
  readonly durability: 'local' | 'replicated'
  /** Answers when the store can be asked; throws `StoreUnavailable` when it cannot. For `/readyz`. */
  ping(): Promise<void>
  /** Lets what is under way finish, within `deadlineMs`, and closes. */
  close(deadlineMs: number): Promise<void>

  // Cards: keyed by bucket, merchant and id. Lists page by `after`, the last card of the page before; a row that cannot be read is listed as such.
  insertCard<R extends CardRiders | null = null>(card: CardRow, audit: AuditNote, riders?: R): Promise<void | Twin<R>>
  findCard(key: CardKey): Promise<CardRow | null>
  /** Puts `next` in place of version `next.version - 1`; false when that version is no longer there. Shredding drops the code as well. */
  changeCard<R extends CardRiders | null = null>(next: CardRow, audit: AuditNote, riders?: R): Promise<boolean | Twin<R>>
  /** Live cards that were kept (`save`) and end before `before`, oldest first: those whose expiry has passed, when asked so. */
  listKeptCards(before: number, count: number, after?: CardPlace): Promise<ListedCard[]>
  /** Cards whose life ended before `now`, oldest first, still holding a sealed PAN; but not those that money is held on. */
  listEndedCards(now: number, count: number, after?: CardPlace): Promise<ListedCard[]>
  /** Cards sealed under a key, for resealing; `after` is the last id of the page before, '' for the first. */
  listCardsUnderKey(keyId: string, after: string, count: number): Promise<ListedCard[]>
  countCardsByKey(): Promise<{ keyId: string; cards: number }[]>

  // Verification: one row a card, so there is one live code by construction.
  /** Decides the resend wait and the send limits, ends the old code and keeps the new attempt, all in one unit. */
  beginVerification<R extends CardRiders | null = null>(
    attempt: VerificationRow,
    limits: SendLimits,
    audit: AuditNote,
    riders?: R,
  ): Promise<BeginVerification | Twin<R>>
  /** Keeps what the network or the gateway said; nothing when another attempt has taken the place. */
  settleVerification<R extends CardRiders | null = null>(settled: SettledAttempt, audit: AuditNote, riders?: R): Promise<boolean | Twin<R>>
  /** Counts a send to a phone, if its limits allow it. To be asked before an SMS goes out. */
  claimPhoneSend(claim: SendClaim): Promise<Claimed>
  findVerification(key: CardKey): Promise<VerificationRow | null>
  /**
   * Counts one try and evaluates the code against the hash (when we sent it), and verifies the card if it is right: one unit.
   * A claim rides where the try was counted (verified, wrong, askNetwork), and nowhere else.
   */
  tryCode<R extends CodeRiders | null = null>(attempt: CodeTry, riders?: R): Promise<TriedCode | Twin<R>>
  /** After a network found the code right: closes the attempt and verifies the card. False when the attempt or the card's version moved. */
  finishVerification<R extends CardRiders | null = null>(finish: FinishVerification, riders?: R): Promise<boolean | Twin<R>>
  /** Drops limits rows of keys older than `before` (unix ms), page after page until it is told to stop, as all that drop do. */
  dropLimits(before: number, stopping?: AbortSignal): Promise<number>

  // Audit: append-only, one chain a writer.
  /** Notes a deed that changes nothing kept here, such as one on a key. */
  appendAudit(audit: AuditNote): Promise<void>
  listAuditChains(): Promise<AuditHead[]>
  readAudit(chain: string, afterSeq: number, count: number): Promise<AuditEntry[]>
  /** The newest version and row MAC that the audit tells of a card, over all chains. */
  newestAuditOf(cardId: string): Promise<{ version: number; mac: Uint8Array } | null>

  // What the sandbox adapters remember. Empty in production.
  findScenarioStep(merchantId: string, scenario: string): Promise<string | null>
  listScenarioSteps(merchantId: string): Promise<{ scenario: string; step: string }[]>
  setScenarioStep(merchantId: string, scenario: string, step: string, audit?: AuditNote): Promise<void>
  /** Takes every step of a merchant back to what it is by default. */
  dropScenarioSteps(merchantId: string, audit: AuditNote): Promise<void>
  /** The merchants that have a step of a scenario, in the order of their ids. */
  listStepsOf(scenario: string, count: number): Promise<{ merchantId: string; step: string }[]>
  /**
   * Drops one page of what a merchant rehearsed: payments with their ledger, events, cards that hold no number any more, inbox, counts. Tells how
   * many rows; 0: nothing is left but cards that have to be shredded first, by `changeCard`.
   */
  dropRehearsed(of: { readonly bucket: number; readonly merchantId: string }): Promise<number>
  appendInbox(sms: InboxRow): Promise<void>
  /** Newest first. */
  listInbox(count: number): Promise<InboxRow[]>
}

/** Two clocks, so that a jump of one cannot lengthen a code's life. */
export interface Moment {
  /** Unix milliseconds. */
  readonly wallMs: number
  /** Milliseconds of a clock that never jumps; comparable only within one `bootId`. */
  readonly monotonicMs: number
  readonly bootId: string
}

export interface VerificationRow extends CardKey {
  readonly attemptId: string
  /** Keyed hash of the code we would send; the network's own code is known to the network only. */
  readonly otpHash: Uint8Array
  readonly otpKeyId: string
  /** Who sent the code; null until the network has said so. */
  readonly sentBy: 'us' | 'network' | null
  readonly phoneMask: string | null
  readonly networkRef: string | null
  /** `asked` before the network is called, then `sent` or the reason why not. */
  readonly outcome: string
  readonly tries: number
  readonly triesMax: number
  readonly lifeMs: number
  readonly askedAt: Moment
  readonly open: boolean
}

/** Rows of one limit subject: a keyed hash under the key of the day, so that nothing lasting is known of the PAN or phone. */
export interface SendClaim {
  readonly keyId: string
  readonly scope: 'pan' | 'phone'
  readonly subject: Uint8Array
  readonly at: number
  /** At most `count` sends in the last `ms`; counts up to 5. */
  readonly windows: readonly { readonly count: number; readonly ms: number }[]
}

export type Claimed = { readonly claimed: true } | { readonly claimed: false; readonly retryAfterMs: number }

export interface SendLimits {
  readonly resendWaitMs: number
  /** Null where the day caps are switched off (test environment only). */
  readonly pan: SendClaim | null
}

export type BeginVerification =
  { readonly begun: true } | { readonly begun: false; readonly because: 'tooSoon' | 'panLimit'; readonly retryAfterMs: number }

export interface SettledAttempt extends CardKey {
  readonly attemptId: string
  readonly sentBy: 'us' | 'network' | null
  readonly phoneMask: string | null
  readonly networkRef: string | null
  readonly outcome: string
}

export interface CodeTry extends CardKey {
  readonly now: Moment
  /** A jump of one clock against the other by more than this since asking ends the code. */
  readonly driftMaxMs: number
  /** The code as keyed hash, under the attempt's own key and ids; null when the code cannot be one of ours. */
  readonly attemptId: string
  readonly otpHash: Uint8Array
  /** Null where the day caps are switched off. */
  readonly dayCap: { readonly keyId: string; readonly subject: Uint8Array; readonly triesMax: number; readonly endsAt: number } | null
  /** Wrong codes in an hour of all cards beyond which none is evaluated; null where that is switched off. */
  readonly wrongCodesHourMax: number | null
  /** The card as it will be when the code is right. */
  readonly verifiedCard: CardRow
  readonly auditRight: AuditNote
  readonly auditWrong: AuditNote
}

export type TriedCode =
  | { readonly outcome: 'verified' | 'wrong' | 'triesUsedUp' | 'tooOld' | 'notRequested' | 'moved' }
  | { readonly outcome: 'dayTriesUsedUp' | 'wrongCodesUsedUp'; readonly retryAfterMs: number }
  /** The try is counted; the network has to say whether the code is right. */
  | { readonly outcome: 'askNetwork' }

export interface FinishVerification extends CardKey {
  readonly attemptId: string
  /** When, if the try was counted as a wrong code until the network said that it is right; null: wrong codes are not counted. */
  readonly uncountAt: number | null
  readonly verifiedCard: CardRow
  readonly audit: AuditNote
}

/** No room to write; nothing was done, and reading goes on. */
export class StoreFull extends Error {}
/** More writes are waiting than may wait; nothing was done. */
export class StoreOverloaded extends Error {}
/** The store did not answer; nothing was done. */
export class StoreUnavailable extends Error {}
/** The store was lost while committing: the write may or may not be durable. */
export class StoreOutcomeUnknown extends Error {}
