import type { ReceiptState } from '@tessera/contract/receipt'
import type { CardRow } from './card.ts'
import type { IdempotencyAnswer, IdempotencyClaim, IdempotencyKey, IdempotencyRow, Riders } from './riders.ts'

/** The questions about money; `Store` includes them. */
export interface MoneyStore {
  insertReceipt(receipt: ReceiptRow, riders: Riders): Promise<'kept' | 'twin'>
  findReceipt(key: ReceiptKey): Promise<ReceiptRow | null>
  changeReceipt(change: ReceiptChange, riders: Riders): Promise<ReceiptChanged>
  findOperation(key: ReceiptKey & { readonly requestId: string }): Promise<OperationRow | null>
  /** Everything asked of the network for a receipt, oldest first. */
  listOperations(key: ReceiptKey): Promise<OperationRow[]>
  /** Newest first by (createdAt, receiptId), created from `from` to before `to`. */
  listReceipts(ask: ReceiptsAsked): Promise<ReceiptRow[]>
  /** Of a merchant, newest first by (createdAt, receiptId), created from `from` to before `to`, from behind `after`. */
  listReceiptPage(ask: ReceiptPageAsked): Promise<ListedReceipt[]>
  /** Over all merchants, longest due first, from behind a place. */
  listDueReceipts(now: number, count: number, after?: DuePlace): Promise<ListedReceipt[]>
  /** Over all merchants, in the order of their places, from behind `after`. */
  listAllReceipts(count: number, after: ReceiptPlace): Promise<ListedReceipt[]>
  findIdempotency(key: IdempotencyKey): Promise<IdempotencyRow | null>
  /**
   * Keeps an outcome that had no unit of its own; false when the key was taken by another. Another's claim that nobody answered within its
   * lease may be answered by a twin of it, who has found out what happened.
   */
  keepIdempotency(claim: IdempotencyClaim, answer: IdempotencyAnswer): Promise<boolean>
  /** Drops keys whose time ended before a moment; tells how many. */
  dropIdempotency(before: number, stopping?: AbortSignal): Promise<number>
  /** The sandbox network's own memory, as if it were outside: never in one unit with ours. */
  findLedger(requestId: string): Promise<LedgerRow | null>
  /** False when the requestId is there already. */
  appendLedger(row: LedgerRow): Promise<boolean>
  listLedger(networkRef: string): Promise<LedgerRow[]>
}

export interface ReceiptKey {
  readonly bucket: number
  readonly merchantId: string
  readonly receiptId: string
}

export interface ReceiptPageAsked {
  readonly bucket: number
  readonly merchantId: string
  readonly from: number
  readonly to: number
  /** Null: in whatever state. */
  readonly state: ReceiptState | null
  readonly after: { readonly at: number; readonly id: string } | null
  readonly count: number
}

/** Where a receipt lies. */
export type ReceiptPlace = Pick<ReceiptKey, 'bucket' | 'receiptId'>

/** Where a receipt stands in the list of those that are due. */
export interface DuePlace {
  readonly dueAt: number | null
  readonly receiptId: string
}

/** A receipt of a list whose row is not what was written: who it is, and the column that cannot be read. */
export interface BrokenReceipt extends ReceiptKey, DuePlace {
  /** As near as a number of ours comes: where a list by time goes on behind it. */
  readonly createdAt: number
  readonly brokenAt: string
}

/** A broken row in a list keeps nobody from the rows beside it. */
export type ListedReceipt = ReceiptRow | BrokenReceipt

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

/** What a card network is asked. */
export type MovementKind = 'authorise' | 'hold' | 'capture' | 'cancelHold' | 'refund' | 'reverse'

/** What is asked outside for a receipt: of the network, or of the merchant's own endpoint. */
export type OperationKind = MovementKind | 'merchantPerform' | 'merchantCancel'

/** One question to the network or the merchant's endpoint, durable before it is asked. The network knows it by our requestId. */
export interface OperationRow extends ReceiptKey {
  readonly requestId: string
  readonly kind: OperationKind
  readonly amountTiyin: number
  readonly state: 'asked' | 'approved' | 'declined' | 'unknown'
  readonly networkRef: string
  readonly reason: string
  /** Of an authorisation or a hold: the card that was to pay; '' for every other question, and before the service kept it. */
  readonly cardId: string
  /** The network's own code, as it gave it; of a merchant's endpoint its error, as JSON. */
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
  readonly kind: MovementKind
  readonly merchantId: string
  readonly amountTiyin: number
  /** Of the authorisation that it belongs to; its own for an authorisation. */
  readonly networkRef: string
  readonly outcome: 'approved' | 'declined'
  readonly reason: string
  readonly at: number
}
