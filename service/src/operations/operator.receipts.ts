import type { Result } from '@tessera/contract/operations'
import {
  operatorReceiptsGetContract,
  operatorReceiptsListContract,
  operatorReceiptsResolveContract,
} from '@tessera/contract/operations/operator-receipts'

import { ReceiptAdministrationError, type ReceiptDetails } from '../domain/payments/administration.ts'
import { parsePaymentError } from '../domain/payments/render.ts'
import { toOperationKind, toOperationState } from '../domain/payments/network-operations.ts'
import { receiptStateInfo } from '../domain/payments/states.ts'
import type { ListedReceipt } from '../store/receipts.ts'

import { operation } from './operation.ts'
import { isoTime, refusal, requireMerchant } from './operator.ts'

/** Lists receipts of all merchants, or of one. */
export const operatorReceiptsList = operation(operatorReceiptsListContract, {
  async run({ merchantId: named, state = null, flagged = false, after = null, count = 50 }, _ctx, app) {
    const merchantId = named === undefined ? null : await requireMerchant(named, app)
    const query = { state, isFlagged: flagged, merchantId, after, count }
    const { receipts, next } = await withRefusals(after ?? '', () => app.receiptAdministration.list(query))
    return { receipts: receipts.map(toReceiptItem), next }
  },
})

/** Returns a receipt with its operations and history, and what happens next. */
export const operatorReceiptsGet = operation(operatorReceiptsGetContract, {
  async run({ receiptId }, _ctx, { receiptAdministration }) {
    const details = await withRefusals(receiptId, () => receiptAdministration.get(receiptId))
    if (details === null) throw refusal('receipt_unknown', receiptId)
    return toDetails(details)
  },
})

/** Records the outcome of an unknown payment by the network's statement. */
export const operatorReceiptsResolve = operation(operatorReceiptsResolveContract, {
  async run(resolution, ctx, { receiptAdministration }) {
    return toDetails(await withRefusals(resolution.receiptId, () => receiptAdministration.resolve(resolution, ctx)))
  },
})

async function withRefusals<T>(receiptId: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (err) {
    if (err instanceof ReceiptAdministrationError) throw refusal(err.fault, receiptId)
    throw err
  }
}

type ReceiptItem = Result<'operator.receipts.list'>['receipts'][number]

function toReceiptItem(receipt: ListedReceipt): ReceiptItem {
  const { receiptId, merchantId } = receipt
  if ('brokenAt' in receipt) {
    const unknownValues = { amountTiyin: 0, createdAt: null, unknownSince: null, dueAt: null, flagged: false }
    return { receiptId, merchantId, state: -1, stateName: `unreadable: ${receipt.brokenAt}`, ...unknownValues }
  }
  const { state, amountTiyin, createdAt, unknownSince, dueAt, flagged } = receipt
  return {
    receiptId,
    merchantId,
    state,
    stateName: receiptStateInfo[state].name,
    amountTiyin,
    createdAt: isoTime(createdAt),
    unknownSince: timeOrNull(unknownSince),
    dueAt: timeOrNull(dueAt),
    flagged,
  }
}

function toDetails({ receipt, hasValidMac, operations, entries, next }: ReceiptDetails): Result<'operator.receipts.get'> {
  const { receiptId, merchantId, state, amountTiyin, takenTiyin, maskedPan: number, networkRef, requestId, flagged } = receipt
  return {
    receipt: {
      receiptId,
      merchantId,
      state,
      stateName: receiptStateInfo[state].name,
      amountTiyin,
      takenTiyin,
      number,
      networkRef,
      requestId,
      reason: hasValidMac ? (parsePaymentError(receipt)?.reason ?? null) : null,
      createdAt: isoTime(receipt.createdAt),
      payTime: timeOrNull(receipt.payTime),
      cancelTime: timeOrNull(receipt.cancelTime),
      unknownSince: timeOrNull(receipt.unknownSince),
      dueAt: timeOrNull(receipt.dueAt),
      attempts: receipt.reconcileAttempts,
      flagged,
      hasValidMac,
    },
    meaning: receiptStateInfo[state].meaning,
    next,
    operations: operations.map((operation) => ({
      requestId: operation.requestId,
      kind: toOperationKind(operation.kind),
      amountTiyin: operation.amountTiyin,
      state: toOperationState(operation.state),
      networkRef: operation.networkRef,
      reason: operation.reason,
      rawCode: operation.rawCode,
      requestedAt: isoTime(operation.requestedAt),
      resolvedAt: timeOrNull(operation.resolvedAt),
    })),
    history: entries.map((entry) => ({
      at: isoTime(entry.at),
      action: entry.action,
      outcome: entry.outcome,
      actor: entry.actor,
      requestId: entry.requestId,
    })),
  }
}

/** 0 and null stand for no time. */
function timeOrNull(at: number | null): string | null {
  return at === null || at === 0 ? null : isoTime(at)
}
