import { type ReceiptState, receiptStates } from '@tessera/contract/receipt'

import {
  type BrokenReceipt,
  type DueReceiptCursor,
  findReceipt,
  listDueInProgress,
  listDueReceipts,
  type ReceiptKey,
  type ReceiptRow,
  updateReceipt,
} from '../../store/receipts.ts'
import { isTamperedRow } from '../verified-rows.ts'

import { advanceHeld } from './capture.ts'
import { type PaymentDependencies, type PaymentServices, withRowMacs } from './dependencies.ts'
import { abandonMerchantCheck, cancelAtMerchant, retryPerform } from './merchant-callback.ts'
import { reconcileUnknown } from './reconcile.ts'
import { makeRecoveredNetworks } from './recovered-networks.ts'
import { advanceReturn } from './refund.ts'
import { makeLostCalls, type LostCalls } from './lost-calls.ts'
import { backoffMs, updateToCancelled } from './receipt-patches.ts'
import { receiptAuditEntry } from './transition-records.ts'
import { applyBackgroundTransition, type DueReceipt } from './transitions.ts'

/**
 * The background job that advances due receipts: lost calls, unknown outcomes, refunds, expired receipts and holds. When a network responds again, those that
 * wait for it are advanced before they are due.
 */
export interface ReceiptWorker {
  /**
   * Starts work on due receipts without waiting for it, so that a slow network call delays no other receipt. Resolves to the number started. Call it about
   * once a second.
   */
  begin(): Promise<number>
  /** Does the same and waits for it. Resolves to the number of receipts that were advanced. */
  runOnce(): Promise<number>
  /** Starts work on one receipt now. */
  kick(receipt: ReceiptRow): void
  /** Aborts the work in progress, and resolves when it has ended. */
  stop(): Promise<void>
}

export interface ReceiptWorkerDependencies extends PaymentDependencies {
  /** Called with the error of a receipt that could not be advanced; it stays due. */
  readonly onError: (err: unknown) => void
}

export function createReceiptWorker({ onError, ...dependencies }: ReceiptWorkerDependencies): ReceiptWorker {
  const { store, clock } = dependencies
  const services: WorkerServices = {
    ...withRowMacs(dependencies),
    lostCalls: makeLostCalls({ clock, leaseMs: dependencies.settings.leaseMs }),
  }
  const stopping = new AbortController()
  /** By receipt id, so that no receipt is processed twice at the same time. */
  const inProgress = new Map<string, Promise<boolean>>()
  const reported = new Set<string>()
  const recovered = makeRecoveredNetworks({
    services,
    advance: (receipt) => start(receipt, true),
    signal: stopping.signal,
    onError,
  })

  return Object.freeze({
    async begin() {
      recovered.begin()
      return (await startDue()).length
    },
    async runOnce() {
      const started = await startDue()
      await Promise.all(inProgress.values())
      recovered.begin()
      await recovered.idle()
      return (await Promise.all(started)).filter((isDone) => isDone).length
    },
    kick(receipt: ReceiptRow) {
      void startOne(receipt)
    },
    async stop() {
      stopping.abort(new Error('the service is stopping'))
      await recovered.idle()
      await Promise.all(inProgress.values())
    },
  })

  /** Skips receipts that cannot be read or are in progress, so that they do not block the others from the head of the list. */
  async function startDue(): Promise<Promise<boolean>[]> {
    const begun: Promise<boolean>[] = []
    let after: DueReceiptCursor | undefined
    for (let page = 0; page < maxPages && inProgress.size < maxConcurrent && begun.length < pageSize; page++) {
      const now = clock.now()
      // What waits for the clock must not hide what goes on.
      const listDue = services.clockGuard.isTrusted() ? listDueReceipts : listDueInProgress
      const due = await store.read(listDue(now, pageSize, after))
      for (const receipt of due) {
        const one = 'brokenAt' in receipt ? reportUnreadable(receipt) : mayAdvance(services, receipt) ? startOne(receipt) : null
        if (one !== null) begun.push(one)
      }
      after = due.at(-1)
      if (due.length < pageSize) break
    }
    return begun
  }

  /** Null if the receipt is in progress already, or too many others are. */
  function startOne(receipt: ReceiptRow): Promise<boolean> | null {
    return inProgress.size >= maxConcurrent ? null : start(receipt, false)
  }

  function start(receipt: ReceiptRow, isBeforeDue: boolean): Promise<boolean> | null {
    const { receiptId } = receipt
    if (stopping.signal.aborted || inProgress.has(receiptId)) return null
    const work = advanceWhileDue(services, receipt, { signal: stopping.signal, isBeforeDue })
      .catch((err: unknown) => {
        if (!isTamperedRow(err)) throw err
        return postpone(services, receipt)
      })
      .catch((err: unknown) => {
        onError(err)
        return false
      })
      .finally(() => inProgress.delete(receiptId))
    inProgress.set(receiptId, work)
    return work
  }

  /** Reported once per process, although every round finds the row again. It stays due until an operator has repaired it. */
  function reportUnreadable({ receiptId, merchantId }: BrokenReceipt): null {
    if (reported.has(receiptId)) return null
    // The set is bounded; after clearing it, rows are reported again.
    if (reported.size >= maxReported) reported.clear()
    reported.add(receiptId)
    services.alarm('row_broken', { merchantId, cardId: '', requestId: '', receiptId })
    return null
  }
}

interface WorkerServices extends PaymentServices {
  readonly lostCalls: LostCalls
}

interface AdvanceOptions {
  readonly signal: AbortSignal
  /** Takes the first step although the receipt is not due. */
  readonly isBeforeDue: boolean
}

/** Advances the receipt while it is due. The next due time is stored, so a restart loses nothing. */
async function advanceWhileDue(services: WorkerServices, first: ReceiptRow, { signal, isBeforeDue }: AdvanceOptions): Promise<boolean> {
  let receipt: ReceiptRow | null = first
  let steps = 0
  const isNext = (next: ReceiptRow): boolean => (isDue(services, next) || (isBeforeDue && steps === 0)) && mayAdvance(services, next)
  while (receipt !== null && steps < maxSteps && isNext(receipt) && !signal.aborted) {
    if (!(await services.rows.isValid(receipt))) return quarantine(services, receipt)
    receipt = await advanceReceipt(services, receipt, signal)
    if (receipt !== null) steps += 1
  }
  return steps > 0
}

function isDue({ clock }: PaymentServices, { dueAt }: ReceiptRow): boolean {
  return dueAt !== null && dueAt <= clock.now()
}

/**
 * While the clock is not trusted, nothing is done because its time has passed: unpaid receipts do not expire, nor do holds (`releaseExpiredHold`), and a
 * call in progress is taken for lost by the monotonic clock. What the network or the merchant still has to say goes on.
 */
function mayAdvance({ clockGuard, lostCalls }: WorkerServices, receipt: ReceiptRow): boolean {
  if (receipt.state === created) return clockGuard.isTrusted()
  return !callStates.has(receipt.state) || clockGuard.isTrusted() || lostCalls.isLost(receipt)
}

/** A row with a wrong MAC was not written by this service and must move no money. Its MAC is not renewed and it is never due again; an operator has to examine it. */
async function quarantine({ store, clock }: PaymentServices, receipt: ReceiptRow): Promise<boolean> {
  const next = { ...receipt, dueAt: null, version: receipt.version + 1 }
  const audit = receiptAuditEntry(null, next, { at: clock.now(), action: 'receipt.flagged', outcome: 'tampered' })
  await store.write(updateReceipt, { receipt: next, operations: [], cardLock: null, card: null, audit })
  return false
}

/**
 * A row that belongs to the receipt, such as an operation, has a wrong MAC, and the alarm was raised. The receipt is flagged and moves no money. It is
 * tried again, in case an operator has repaired the row, but later each time, so that it does not take the place of others.
 */
async function postpone(services: PaymentServices, key: ReceiptKey): Promise<false> {
  const receipt = await services.store.read(findReceipt(key))
  // The next round finds a receipt that was changed meanwhile.
  if (receipt === null || receipt.dueAt === null || !(await services.rows.hasValidMac(receipt))) return false
  const { reconcileAttempts } = receipt
  const dueAt = services.clock.now() + backoffMs(tamperedBackoff, reconcileAttempts)
  const to = { flagged: true, dueAt, reconcileAttempts: reconcileAttempts + 1 }
  await applyBackgroundTransition(services, { cause: 'operation_refused', from: receipt, to, outcome: 'tampered' })
  return false
}

const pageSize = 100
/** More than 2,000 unreadable receipts block the due ones behind them until an operator has repaired some. */
const maxPages = 20
const maxReported = 10_000
const tamperedBackoff = { initialBackoffMs: 60_000, maxBackoffMs: 3_600_000 }
/** A lost call takes four steps to its final state. More than this in a row mean a fault. */
const maxSteps = 8
/** The others wait for the next round. */
const maxConcurrent = 200

/** One step of a due receipt, by its state: the receipt afterwards, or null if another change came first. */
export async function advanceReceipt(services: PaymentServices, receipt: ReceiptRow, signal: AbortSignal): Promise<ReceiptRow | null> {
  return handlers[receipt.state]({ services, receipt, signal })
}

type DueReceiptHandler = (due: DueReceipt) => Promise<ReceiptRow | null>

const { created, checking, debiting, awaitingMerchant, paid, held, holding, unknown, returning, cancelled } = receiptStates
/** States of a receipt for which a process makes a call, until the lease of that call is over. */
const callStates: ReadonlySet<ReceiptState> = new Set([checking, debiting, holding])
const handlers: Readonly<Record<ReceiptState, DueReceiptHandler>> = Object.freeze({
  [created]: cancelUnpaid,
  [checking]: abandonMerchantCheck,
  [debiting]: markUnknown,
  [awaitingMerchant]: retryPerform,
  [paid]: clearDueTime,
  [held]: advanceHeld,
  [holding]: markUnknown,
  [unknown]: reconcileUnknown,
  [returning]: advanceReturn,
  [cancelled]: cancelAtMerchant,
})

/** Unpaid for 12 hours. */
function cancelUnpaid({ services, receipt }: DueReceipt): Promise<ReceiptRow | null> {
  const to = updateToCancelled(services.clock.now())
  return applyBackgroundTransition(services, { cause: 'expired', from: receipt, to, outcome: 'expired' })
}

/** The process that called the network stopped before it stored the reply. */
function markUnknown({ services, receipt }: DueReceipt): Promise<ReceiptRow | null> {
  const now = services.clock.now()
  return applyBackgroundTransition(services, {
    cause: 'call_lost',
    from: receipt,
    to: { state: unknown, unknownSince: now, dueAt: now },
    outcome: 'reply_lost',
  })
}

function clearDueTime({ services, receipt }: DueReceipt): Promise<ReceiptRow | null> {
  return applyBackgroundTransition(services, { cause: 'nothing_due', from: receipt, to: { dueAt: null }, outcome: 'done' })
}
