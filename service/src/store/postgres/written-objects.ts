import type { CardChange } from '../cards.ts'
import { insertCard, resealCards, sweepCards, type CardsChange } from '../cards.ts'
import type { TransactionExtras } from '../extras.ts'
import { insertReceipt, updateReceipt, type InsertReceipt, type ReceiptUpdate } from '../receipts.ts'
import { insertLedgerEntry, type LedgerRow } from '../sandbox-ledger.ts'
import type { TransactionFunction } from '../transaction.ts'

/**
 * The objects whose rows a transaction writes, for those that may share a COMMIT with others: transactions of a payment, movements in the
 * ledger of the sandbox, and new cards with an
 * idempotency record or events. Null for every other. Transactions that have an object in common are never in progress at the same time on one process, so
 * those that share a COMMIT neither see each other's rows nor wait for each other's locks.
 */
export function writtenObjects<I>(transaction: TransactionFunction<I, unknown>, input: I): readonly string[] | null {
  const of: unknown = transaction
  if (of === updateReceipt) return objectsOfUpdate(input as ReceiptUpdate)
  if (of === insertReceipt) return objectsOfInsert(input as InsertReceipt, (input as InsertReceipt).receipt.receiptId)
  if (of === insertCard) return objectsOfInsert(input as CardChange, (input as CardChange).card.cardId)
  if (of === insertLedgerEntry) return [`ledger ${(input as LedgerRow).requestId}`]
  return null
}

/**
 * Only transactions of one group share a COMMIT, so that their rounds of statements lock rows in one order: those that begin with the claim of an idempotency
 * key, and the others. The ledger of the sandbox is as if outside, so that its rows share none with rows of ours.
 */
export type SharingGroup = 'claim' | 'ledger' | 'other'

export function sharingGroupOf<I>(transaction: TransactionFunction<I, unknown>, input: I): SharingGroup {
  if ((transaction as unknown) === insertLedgerEntry) return 'ledger'
  return ((input as TransactionExtras | null)?.idempotency?.claim ?? null) === null ? 'other' : 'claim'
}

function objectsOfUpdate({ receipt, cardLock, card, ...extras }: ReceiptUpdate): string[] {
  const cards = [...(cardLock === null ? [] : [cardLock.lock.cardId]), ...(card === null ? [] : [card.card.cardId])]
  return [receipt.receiptId, ...cards, ...keysOf(extras)]
}

function objectsOfInsert(extras: TransactionExtras, id: string): string[] {
  return [id, ...keysOf(extras)]
}

/** The idempotency key, by its hash. */
function keysOf({ idempotency }: TransactionExtras): string[] {
  const hash = idempotency?.claim?.keyHash ?? idempotency?.outcome?.keyHash
  return hash === undefined ? [] : [Buffer.from(hash).toString('hex')]
}

/**
 * By what a write waits for rows that are locked: the objects that it writes, and of one that shares no COMMIT the objects that its input names. Only one
 * write of an object is in progress at a time, so that a locked card or endpoint holds up one writer, however many of its writes wait.
 */
export function lockedObjects<I>(transaction: TransactionFunction<I, unknown>, input: I): readonly string[] {
  const of: unknown = transaction
  if (of === resealCards || of === sweepCards) return (input as CardsChange).changes.map(({ card }) => card.cardId)
  return writtenObjects(transaction, input) ?? [...new Set(namedIds(input))]
}

/** The ids of cards, receipts and webhook endpoints in an input, or in a direct member of it. */
function namedIds(input: unknown): string[] {
  const parts = [input, ...(isObject(input) ? Object.values(input) : [])].filter(isObject)
  return parts.flatMap((part) => idMembers.map((name) => part[name]).filter((id) => typeof id === 'string'))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value)
}

const idMembers = ['cardId', 'receiptId', 'endpointId']
