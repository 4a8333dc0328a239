import type { Expiry } from '@tessera/contract/card'
import type { EventType } from '@tessera/contract/event'
import type { ReceiptState } from '@tessera/contract/receipt'

/**
 * Every question that the service asks its memory. Two stores answer it, SQLite and PostgreSQL, and one suite holds both to it.
 *
 * A promise of a write resolves only when the write is durable. Each write is one unit: its effect and its audit entry are kept together or
 * not at all. Errors: `StoreFull`, `StoreOverloaded`, `StoreUnavailable` (nothing was done) and `StoreOutcomeUnknown`.
 */
export interface Store extends MoneyStore {
  /** What an acknowledged write survives: `local` one machine's crash (fsync), `replicated` the loss of that machine. */
  readonly durability: 'local' | 'replicated'
  /** Answers when the store can be asked; throws `StoreUnavailable` when it cannot. For `/readyz`. */
  ping(): Promise<void>
  /** Lets what is under way finish, within `deadlineMs`, and closes. */
  close(deadlineMs: number): Promise<void>

  // Merchants: a small table of its own key.
  findMerchant(merchantId: string): Promise<MerchantRow | null>
  /** Keeps a merchant if its id is new; an existing one stays as it is. Tells whether it was new. */
  insertMerchant(merchant: MerchantRow, audit: AuditNote): Promise<boolean>

  // Cards: keyed by bucket, merchant and id.
  insertCard(card: CardRow, audit: AuditNote): Promise<void>
  findCard(key: CardKey): Promise<CardRow | null>
  /** Puts `next` in place of version `next.version - 1`; false when that version is no longer there. Shredding drops the code as well. */
  changeCard(next: CardRow, audit: AuditNote): Promise<boolean>
  /** Cards whose life ended before `now`, oldest first, still holding a sealed PAN. */
  listEndedCards(now: number, count: number): Promise<CardRow[]>
  /** Cards sealed under a key, for resealing; `after` is the last id of the page before, '' for the first. */
  listCardsUnderKey(keyId: string, after: string, count: number): Promise<CardRow[]>
  countCardsByKey(): Promise<{ keyId: string; cards: number }[]>

  // Verification: one row a card, so there is one live code by construction.
  /** Decides the resend wait and the send limits, ends the old code and keeps the new attempt, all in one unit. */
  beginVerification(attempt: VerificationRow, limits: SendLimits, audit: AuditNote): Promise<BeginVerification>
  /** Keeps what the network or the gateway said; nothing when another attempt has taken the place. */
  settleVerification(settled: SettledAttempt, audit: AuditNote): Promise<boolean>
  /** Counts a send to a phone, if its limits allow it. To be asked before an SMS goes out. */
  claimPhoneSend(claim: SendClaim): Promise<Claimed>
  findVerification(key: CardKey): Promise<VerificationRow | null>
  /** Counts one try and evaluates the code against the hash (when we sent it), and verifies the card if it is right: one unit. */
  tryCode(attempt: CodeTry): Promise<TriedCode>
  /** After a network found the code right: closes the attempt and verifies the card. False when the attempt or the card's version moved. */
  finishVerification(finish: FinishVerification): Promise<boolean>
  /** Drops limits rows of keys older than `before` (unix ms). */
  dropLimits(before: number): Promise<number>

  // Audit: append-only, one chain a writer.
  listAuditChains(): Promise<AuditHead[]>
  readAudit(chain: string, afterSeq: number, count: number): Promise<AuditEntry[]>
  /** The newest version and row MAC that the audit tells of a card, over all chains. */
  newestAuditOf(cardId: string): Promise<{ version: number; mac: Uint8Array } | null>

  // What the sandbox adapters remember. Empty in production.
  findScenarioStep(merchantId: string, scenario: string): Promise<string | null>
  listScenarioSteps(merchantId: string): Promise<{ scenario: string; step: string }[]>
  setScenarioStep(merchantId: string, scenario: string, step: string): Promise<void>
  appendInbox(sms: InboxRow): Promise<void>
  /** Newest first. */
  listInbox(count: number): Promise<InboxRow[]>
}

export interface MerchantRow {
  readonly id: string
  readonly bucket: number
  readonly name: string
  readonly state: 'active' | 'blocked'
  /** Keyed hashes of the live passwords, newest first; two during a rotation. */
  readonly passwordHashes: readonly Uint8Array[]
  readonly pepperKeyId: string
  /** Exact origins from which a browser may call; empty: any (test environment only). */
  readonly origins: readonly string[]
  readonly strictServerAuth: boolean
  readonly createdAt: number
}

export interface CardKey {
  readonly bucket: number
  readonly merchantId: string
  readonly cardId: string
}

/** `live` has a sealed PAN; `removed` by the merchant, `ended` by the end of its life: both without. */
export type CardState = 'live' | 'removed' | 'ended'

export interface CardRow extends CardKey {
  /** SHA-256 of the token's secret half. */
  readonly tokenHash: Uint8Array
  /** The long mask, `860006******6311`. */
  readonly maskedPan: string
  readonly type: string
  readonly expiry: Expiry
  readonly recurrent: boolean
  readonly verified: boolean
  readonly state: CardState
  /** From 1; each change adds one. */
  readonly version: number
  /** Key of the outer layer, hex; '' once shredded. */
  readonly keyId: string
  /** The sealed PAN; empty once shredded. */
  readonly blob: Uint8Array
  /** Over everything that decides (vault/rowmac.ts). */
  readonly mac: Uint8Array
  readonly customer: string | null
  /** JSON, as given. */
  readonly account: string | null
  /** JSON: what was agreed to, or that the merchant asserted it. */
  readonly consent: string | null
  readonly createdAt: number
  readonly verifiedAt: number | null
  /** When the sealed PAN is shredded: 30 min unverified, 24 h one-time, 30 days past the expiry. */
  readonly endsAt: number
  readonly endedAt: number | null
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
  /** The card as it will be when the code is right. */
  readonly verifiedCard: CardRow
  readonly auditRight: AuditNote
  readonly auditWrong: AuditNote
}

export type TriedCode =
  | { readonly outcome: 'verified' | 'wrong' | 'triesUsedUp' | 'tooOld' | 'notRequested' | 'moved' }
  | { readonly outcome: 'dayTriesUsedUp'; readonly retryAfterMs: number }
  /** The try is counted; the network has to say whether the code is right. */
  | { readonly outcome: 'askNetwork' }

export interface FinishVerification extends CardKey {
  readonly attemptId: string
  readonly verifiedCard: CardRow
  readonly audit: AuditNote
}

/** What happened, for the audit chain: ids and words, never a PAN, token, code or phone. */
export interface AuditNote {
  readonly at: number
  /** `merchant:<id>`, `operator`, `system`. */
  readonly actor: string
  readonly action: string
  readonly merchantId: string
  /** Card id, key id or other id that it was done to. */
  readonly subject: string
  /** Version and row MAC that the change left, when it left one. */
  readonly version: number
  readonly mac: Uint8Array
  /** The request's id in our log, and the outcome in a word. */
  readonly requestId: string
  readonly outcome: string
}

export interface AuditEntry extends AuditNote {
  readonly chain: string
  readonly seq: number
  readonly hash: Uint8Array
}

export interface AuditHead {
  readonly chain: string
  readonly seq: number
  readonly hash: Uint8Array
}

export interface InboxRow {
  readonly id: string
  readonly at: number
  readonly merchantId: string
  readonly phoneMask: string
  readonly text: string
}

/** No room to write; nothing was done, and reading goes on. */
export class StoreFull extends Error {}
/** More writes are waiting than may wait; nothing was done. */
export class StoreOverloaded extends Error {}
/** The store did not answer; nothing was done. */
export class StoreUnavailable extends Error {}
/** The store was lost while committing: the write may or may not be durable. */
export class StoreOutcomeUnknown extends Error {}

/**
 * What goes into the same transaction as an effect. Every money unit takes them, so that effect, idempotency, audit and events are kept
 * together or not at all (security.md §3, rule 3).
 */
export interface Riders {
  readonly audit: AuditNote
  /** Claims the key with the intention; when the key is taken, the whole unit does nothing and answers `twin`. */
  readonly claim: IdempotencyClaim | null
  /** Answers the claim; together with `claim` in one unit, the row is answered from the start. */
  readonly answer: IdempotencyAnswer | null
  readonly events: readonly EventRow[]
}

export interface IdempotencyKey {
  readonly bucket: number
  readonly merchantId: string
  readonly callerClass: 'server' | 'browser'
  /** Keyed hash of the header's value. */
  readonly keyHash: Uint8Array
}

export interface IdempotencyClaim extends IdempotencyKey {
  /** Keyed hash of profile, method and canonical params. */
  readonly identity: Uint8Array
  readonly hashKeyId: string
  readonly claimedAt: number
  /** Until then a twin waits; afterwards the claim is settled by what happened, never run again. */
  readonly leaseUntil: number
  /** When the row may be dropped. */
  readonly endsAt: number
  readonly method: string
  /** Id of the receipt, card or attempt that settles an expired claim. */
  readonly subject: string
}

export interface IdempotencyAnswer extends IdempotencyKey {
  /** The outcome, sealed under the request itself. */
  readonly sealed: Uint8Array
}

export interface IdempotencyRow extends IdempotencyClaim {
  readonly sealed: Uint8Array | null
}

export interface ReceiptKey {
  readonly bucket: number
  readonly merchantId: string
  readonly receiptId: string
}

export interface ReceiptRow extends ReceiptKey {
  readonly state: ReceiptState
  /** From 1; each change adds one. */
  readonly version: number
  readonly mac: Uint8Array
  readonly amountTiyin: number
  /** What was debited, or is held; 0 before. */
  readonly takenTiyin: number
  readonly hold: boolean
  readonly description: string
  /** JSON, as given. */
  readonly detail: string | null
  /** JSON array of {name, title, value, main}. */
  readonly account: string
  /** JSON, as given. */
  readonly payer: string | null
  /** JSON {code, message, reason} of the last refused payment. */
  readonly error: string | null
  /** '' before a payment. */
  readonly cardId: string
  readonly maskedPan: string
  readonly cardExpiry: string
  /** Whether an approval removes the token. */
  readonly oneTime: boolean
  /** Of the authorisation: what capture, refund and reverse go by. */
  readonly networkRef: string
  /** Of the operation under way, or the last one; '' before. */
  readonly requestId: string
  readonly customer: string | null
  readonly createdAt: number
  /** 0 when it has not happened. */
  readonly payTime: number
  readonly cancelTime: number
  readonly sourceCancel: string | null
  /** JSON, as given. */
  readonly fiscal: string | null
  /** 0 unless in state 20: since when. */
  readonly unknownSince: number
  /** Whether a person has to look at it: 24 h in state 20. */
  readonly flagged: boolean
  /** When the background has to look at it; null: never. A lease while a call is under way. */
  readonly dueAt: number | null
  /** How often the background has looked in this state, for its backoff. */
  readonly looks: number
}

export type OperationKind = 'authorise' | 'hold' | 'capture' | 'cancelHold' | 'refund' | 'reverse'

/** One question to the network, known by our requestId before it is asked. */
export interface OperationRow extends ReceiptKey {
  readonly requestId: string
  readonly kind: OperationKind
  readonly amountTiyin: number
  readonly state: 'asked' | 'approved' | 'declined' | 'unknown'
  readonly networkRef: string
  readonly reason: string
  /** The network's own code, as it gave it. */
  readonly rawCode: string
  readonly askedAt: number
  readonly settledAt: number
}

export interface ReceiptChange {
  /** Takes the place of version `next.version - 1`. */
  readonly next: ReceiptRow
  /** Kept new, or put in place of the one with its requestId. */
  readonly operations: readonly OperationRow[]
  /** One-time cards are locked while a payment is open. */
  readonly cardLock: { readonly cardId: string; readonly move: 'take' | 'release' } | null
  /** The one-time card, removed by an approval: takes the place of its version before. */
  readonly card: CardRow | null
}

/** `moved`: the receipt or card was changed meanwhile; `cardLocked`: another payment holds the one-time card; nothing was done in either. */
export type ReceiptChanged = 'changed' | 'moved' | 'twin' | 'cardLocked'

/** An event in the outbox, kept with its effect and delivered afterwards. */
export interface EventRow {
  readonly bucket: number
  readonly merchantId: string
  readonly eventId: string
  readonly type: EventType
  /** Card or receipt id: events of one object are delivered in order. */
  readonly objectId: string
  readonly at: number
  /** JSON: the body as it will be delivered. */
  readonly body: string
}

/** The questions about money; `Store` includes them. */
export interface MoneyStore {
  insertReceipt(receipt: ReceiptRow, riders: Riders): Promise<'kept' | 'twin'>
  findReceipt(key: ReceiptKey): Promise<ReceiptRow | null>
  changeReceipt(change: ReceiptChange, riders: Riders): Promise<ReceiptChanged>
  findOperation(key: ReceiptKey & { readonly requestId: string }): Promise<OperationRow | null>
  listOperations(key: ReceiptKey): Promise<OperationRow[]>
  /** Newest first by (createdAt, receiptId), created from `from` to before `to`. */
  listReceipts(ask: ReceiptsAsked): Promise<ReceiptRow[]>
  /** Over all merchants, longest due first. */
  listDueReceipts(now: number, count: number): Promise<ReceiptRow[]>
  findIdempotency(key: IdempotencyKey): Promise<IdempotencyRow | null>
  /** Keeps an outcome that had no unit of its own; false when the key was taken by another. */
  keepIdempotency(claim: IdempotencyClaim, answer: IdempotencyAnswer): Promise<boolean>
  dropIdempotency(before: number): Promise<number>
  /** The sandbox network's own memory, as if it were outside: never in one unit with ours. */
  findLedger(requestId: string): Promise<LedgerRow | null>
  /** False when the requestId is there already. */
  appendLedger(row: LedgerRow): Promise<boolean>
  listLedger(networkRef: string): Promise<LedgerRow[]>
}

export interface ReceiptsAsked {
  readonly bucket: number
  readonly merchantId: string
  readonly from: number
  readonly to: number
  readonly count: number
  readonly offset: number
}

/** One movement in the ledger of the sandbox network. */
export interface LedgerRow {
  readonly requestId: string
  readonly kind: OperationKind
  readonly merchantId: string
  readonly amountTiyin: number
  /** Of the authorisation that it belongs to; its own for an authorisation. */
  readonly networkRef: string
  readonly outcome: 'approved' | 'declined'
  readonly reason: string
  readonly at: number
}
