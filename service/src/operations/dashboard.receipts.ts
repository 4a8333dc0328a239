import type { Result } from '@tessera/contract/operations'
import {
  dashboardReceiptsCancelContract,
  dashboardReceiptsConfirmContract,
  dashboardReceiptsGetContract,
  dashboardReceiptsListContract,
} from '@tessera/contract/operations/dashboard-receipts'

import { toOperationKind, toOperationState } from '../domain/payments/network-operations.ts'
import { toReasonCode } from '../domain/reporting/reason-code.ts'
import type { ReceiptLookup, ReceiptWithHistory } from '../domain/reporting/receipts.ts'

import { formatCursor, readCursor, toTimestamp } from './dashboard-values.ts'
import { operation } from './operation.ts'

/** Lists the merchant's receipts, newest first. */
export const dashboardReceiptsList = operation(dashboardReceiptsListContract, {
  async run({ after, count = 25, from = 0, to = Number.MAX_SAFE_INTEGER, state = null }, ctx, { dashboard }) {
    const { receipts, next } = await dashboard.receiptLists.list(ctx, { from, to, state, after: readCursor(after), count })
    return { receipts: receipts.map(toReceiptItem), next: formatCursor(next) }
  },
})

/** Returns one receipt with its history, newest first. */
export const dashboardReceiptsGet = operation(dashboardReceiptsGetContract, {
  async run({ receiptId }, ctx, { dashboard }) {
    const { receipt, operations, cards, entries } = await dashboard.receiptLists.get(ctx, receiptId)
    return {
      receipt: { ...toReceiptItem(receipt), ...receiptDetails(receipt) },
      operations: operations.map(({ kind, amountTiyin, state, reason, rawCode, requestedAt, resolvedAt, cardId }) => {
        const number = cards.get(cardId) ?? ''
        return {
          kind: toOperationKind(kind),
          amountTiyin,
          state: toOperationState(state),
          reason: toReasonCode(reason),
          rawCode,
          requestedAt,
          resolvedAt,
          cardId,
          number,
        }
      }),
      timeline: entries.map(({ at, action, outcome, actor, requestId }) => {
        return { at, what: action, outcome: toReasonCode(outcome), actor: actor.split(':')[0] ?? '', requestId }
      }),
    }
  },
})

/** Cancels a receipt. A debited or held amount is returned. */
export const dashboardReceiptsCancel = operation(dashboardReceiptsCancelContract, {
  run: ({ receiptId }, ctx, { receipts }) => receipts.cancel(receiptId, ctx),
  render: () => ({ success: true }),
})

/** Captures a hold, in full or in part. */
export const dashboardReceiptsConfirm = operation(dashboardReceiptsConfirmContract, {
  run: ({ receiptId, amountTiyin = null }, ctx, { receipts }) => receipts.confirmHold(receiptId, amountTiyin, ctx),
  render: () => ({ success: true }),
})

function receiptDetails(receipt: ReceiptWithHistory['receipt']) {
  if (receipt.state === 'tampered') {
    return { payTime: 0, cancelTime: 0, account: '[]', detail: null, payer: null, fiscal: null, customer: null }
  }
  const { payTime, cancelTime, account, detail, payer, fiscal, customer } = receipt
  return { payTime, cancelTime, account, detail, payer, fiscal, customer }
}

type ReceiptItem = Result<'dashboard.receipts.list'>['receipts'][number]

/** A receipt for the dashboard's lists. A tampered row shows only its id and time. */
export function toReceiptItem(receipt: ReceiptLookup): ReceiptItem {
  if (receipt.state === 'tampered') {
    const { receiptId } = receipt
    const unknownValues = { amountTiyin: 0, takenTiyin: 0, number: '', cardId: '', description: '', reason: null, flagged: true }
    return { receiptId, state: stateTampered, ...unknownValues, createdAt: toTimestamp(receipt.createdAt) }
  }
  const { receiptId, state, amountTiyin, takenTiyin, maskedPan: number, cardId, description, error, flagged, createdAt } = receipt
  return { receiptId, state, amountTiyin, takenTiyin, number, cardId, description, reason: reasonIn(error), flagged, createdAt }
}

/** Not a state of receipts; described in the contract. */
const stateTampered = -1

function reasonIn(error: string | null): string | null {
  if (error === null) return null
  const { reason } = JSON.parse(error) as { readonly reason?: unknown }
  return typeof reason === 'string' ? reason : null
}
