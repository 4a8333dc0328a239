import type { RpcError } from '@tessera/contract/errors'

import type { AuditChange, AuditEntry } from '../../store/audit.ts'
import type { CardRow } from '../../store/cards.ts'
import type { OperationRow } from '../../store/operations.ts'
import { type CardLockMove, findCardLock, type ReceiptRow, updateReceipt } from '../../store/receipts.ts'
import { systemCardChangeEntry } from '../cards/change-records.ts'
import type { AuditActor } from '../request-context.ts'

import type { PaymentServices } from './dependencies.ts'
import { loadOperations } from './find.ts'
import { emptyOperationsDigest, operationsDigestOf, toggleOperationMacs } from '../../store/operations-digest.ts'
import type { CardLockChange } from './receipt-patches.ts'
import { assertTransition, receiptTransitions, type TransitionCause } from './states.ts'
import {
  buildExtras,
  buildReceiptEvent,
  confirmExtras,
  IdempotencyConflict,
  type ReceiptContext,
  receiptAuditEntry,
} from './transition-records.ts'

/** One change of a receipt, with everything that is stored in the same transaction. */
export interface ReceiptTransition {
  readonly cause: TransitionCause
  readonly from: ReceiptRow
  readonly to: Partial<ReceiptRow>
  /** Stored operations as they become. Each still bears the MAC of its stored row, which leaves the receipt's digest. */
  readonly operations?: readonly OperationRow[]
  /** Operations that are not stored yet, with a MAC where the caller needs it afterwards. */
  readonly newOperations?: readonly OperationRow[]
  readonly cardLock?: CardLockChange | null
  /** The one-time card after an approval. */
  readonly card?: CardRow | null
  /** The audit entry's outcome. */
  readonly outcome: string
  /** What a person said about it, for the audit. */
  readonly remarks?: readonly AuditChange[]
  /** Null: a background job, or `actor`. */
  readonly ctx: ReceiptContext | null
  /** The actor of a change without a request. */
  readonly actor?: AuditActor
  /** Whether this transition starts the request, and so claims its idempotency key. */
  readonly isStart?: boolean
  /** The outcome of the request, if this transition ends it. `receipt`: the changed receipt. */
  readonly reply?: RpcError | 'receipt' | 'success' | null
}

/**
 * Stores the next version of a receipt with its operations, audit entry, event and idempotency record in one transaction.
 * `conflict`: another change came first, and nothing was stored. Throws `IdempotencyConflict`, what the store throws, and an error for a
 * transition that is not in the table.
 */
export async function applyTransition(
  services: PaymentServices,
  transition: ReceiptTransition,
): Promise<ReceiptRow | 'conflict' | 'cardLocked'> {
  const { cause, from, to, ctx, outcome, remarks = [], cardLock = null, card = null, reply = null } = transition
  const state = to.state ?? from.state
  assertTransition(cause, from.state, state)
  const { action, event } = receiptTransitions[cause]
  const now = services.clock.now()
  const reconcileAttempts = state === from.state ? from.reconcileAttempts : 0
  const operations = await sealOperations(services, transition)
  const operationsDigest = await nextOperationsDigest(services, transition, operations)
  if (operationsDigest === null) return 'conflict'
  const next = await services.rows.seal({ ...from, reconcileAttempts, ...to, operationsDigest, version: from.version + 1 })
  const extras = buildExtras(ctx, {
    audit: receiptAuditEntry(transition.actor ?? ctx, next, { at: now, action, outcome, changes: remarks }),
    events: event === null ? [] : [await services.eventRows.seal(buildReceiptEvent(event, next, now))],
    claimSubject: transition.isStart === true ? next.requestId || next.receiptId : null,
    reply: reply === 'receipt' ? next : reply,
  })
  const changed = await services.store.write(updateReceipt, {
    receipt: next,
    operations,
    cardLock: cardLock === null ? null : await toLockMove(services, next, cardLock),
    card: card === null ? null : { card, audit: cardRemovalEntry(transition.actor ?? ctx, card, now) },
    ...extras,
  })
  if (changed === 'duplicate_request') throw new IdempotencyConflict()
  if (changed === 'cardLocked' && cardLock !== null) await requireCardLock(services, next, cardLock.cardId)
  if (changed !== 'updated') return changed
  confirmExtras(ctx, extras)
  services.recentReceipts?.add(next, operations)
  const requestId = ctx?.requestId ?? ''
  services.onTransition?.({ cause, from: from.state, receipt: next, hasBecomeFlagged: next.flagged && !from.flagged, requestId })
  return next
}

/** The operations to be stored. A MAC that the caller has already is the one in the receipt's digest from then on, also when the key was changed meanwhile. */
function sealOperations(
  { operationRows }: PaymentServices,
  { operations = [], newOperations = [] }: ReceiptTransition,
): Promise<OperationRow[]> {
  const sealNew = (operation: OperationRow) => (operation.mac.length > 0 ? operation : operationRows.seal(operation))
  return Promise.all([...operations.map(operationRows.seal), ...newOperations.map(sealNew)])
}

/**
 * The digest of the receipt's operations after a transition. A receipt from before there were digests gets one with its next operation, from all of its
 * operations. Null: another change of it came first.
 */
async function nextOperationsDigest(
  services: PaymentServices,
  { from, operations: changed = [] }: ReceiptTransition,
  stored: readonly OperationRow[],
): Promise<Uint8Array | null> {
  if (stored.length === 0) return from.operationsDigest
  if (changed.some(({ mac }) => mac.length === 0)) throw new Error('a changed operation does not bear the MAC of its stored row')
  const macs = stored.map(({ mac }) => mac)
  if (from.operationsDigest.length > 0) return toggleOperationMacs(from.operationsDigest, [...changed.map(({ mac }) => mac), ...macs])
  if (from.requestId === '') return toggleOperationMacs(emptyOperationsDigest, macs)
  const before = await loadOperations(services, from)
  if (before === null) return null
  return operationsDigestOf([...before.filter(({ requestId }) => !stored.some((each) => each.requestId === requestId)), ...stored])
}

/** Without it an older row of the card could be put back, and the card be used again. */
function cardRemovalEntry(actor: AuditActor | null, card: CardRow, at: number): AuditEntry {
  const entry = systemCardChangeEntry(card, { at, action: 'card.ended', outcome: 'one_time' })
  return actor === null ? entry : { ...entry, actor: actor.actor, requestId: actor.requestId, address: actor.address }
}

async function toLockMove(
  { lockRows }: PaymentServices,
  { bucket, merchantId, receiptId }: ReceiptRow,
  { cardId, move }: CardLockChange,
): Promise<CardLockMove> {
  return { lock: await lockRows.seal({ bucket, cardId, merchantId, receiptId, mac: new Uint8Array(0) }), move }
}

/** Throws when the lock that stands in the way was not written by this service. */
async function requireCardLock({ store, lockRows }: PaymentServices, { bucket }: ReceiptRow, cardId: string): Promise<void> {
  const lock = await store.read(findCardLock({ bucket, cardId }))
  if (lock !== null) await lockRows.require(lock)
}

/** Like `applyTransition`, but null for any conflict: another change came first. */
export async function tryTransition(services: PaymentServices, transition: ReceiptTransition): Promise<ReceiptRow | null> {
  const applied = await applyTransition(services, transition)
  return typeof applied === 'string' ? null : applied
}

/** Applies a transition of a background job. Null if another change came first. */
export function applyBackgroundTransition(
  services: PaymentServices,
  transition: Omit<ReceiptTransition, 'ctx'>,
): Promise<ReceiptRow | null> {
  return tryTransition(services, { ...transition, ctx: null })
}

/** A due receipt that is handled by the worker. */
export interface DueReceipt {
  readonly services: PaymentServices
  readonly receipt: ReceiptRow
  readonly signal: AbortSignal
}

/** Reserves the receipt for the duration of a call, so that no other process makes the same call. `operations` are stored with it. */
export async function acquireLease(
  { services, receipt }: DueReceipt,
  operations: readonly OperationRow[] = [],
): Promise<ReceiptRow | null> {
  const to = { dueAt: services.clock.now() + services.settings.leaseMs, reconcileAttempts: receipt.reconcileAttempts + 1 }
  return applyBackgroundTransition(services, { cause: 'lease_acquired', from: receipt, to, operations, outcome: 'leased' })
}
