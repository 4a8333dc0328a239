import { RpcError } from '@tessera/contract/errors'
import type { Params, Result } from '@tessera/contract/operations'
import {
  dashboardReceiptsCancelContract,
  dashboardReceiptsConfirmContract,
  dashboardReceiptsExportContract,
  dashboardReceiptsGetContract,
  dashboardReceiptsListContract,
  dashboardReceiptsTotalsContract,
} from '@tessera/contract/operations/dashboard-receipts'

import { toOperationKind, toOperationState } from '../domain/payments/network-operations.ts'
import { parseAccount } from '../domain/payments/render.ts'
import { isPeriod } from '../domain/reporting/daily-totals.ts'
import { toReasonCode } from '../domain/reporting/reason-code.ts'
import type { ReceiptConditions } from '../domain/reporting/receipt-search.ts'
import { readOrder, readReason, toOrderKey } from '../domain/reporting/receipt-summaries.ts'
import { readRemarks, type ReceiptInList, type ReceiptWithHistory } from '../domain/reporting/receipts.ts'

import { expectAccepted } from './dashboard-caller.ts'
import { formatCursor, readCursor, toStepUser, toTimestamp } from './dashboard-values.ts'
import { operation } from './operation.ts'

/** Lists the merchant's receipts, newest first. */
export const dashboardReceiptsList = operation(dashboardReceiptsListContract, {
  async run({ after, count = 25, from = 0, to = Number.MAX_SAFE_INTEGER, ...conditions }, ctx, { dashboard }) {
    const filter = { from, to, after: readCursor(after), count, ...toConditions(conditions) }
    const { receipts, next, unreadEntries } = await dashboard.receiptLists.list(ctx, filter)
    return { receipts: receipts.map(toReceiptItem), next: formatCursor(next), unreadEntries }
  },
})

/** The same receipts with their account fields, in pages for a file. */
export const dashboardReceiptsExport = operation(dashboardReceiptsExportContract, {
  async run({ after, count = 500, from = 0, to = Number.MAX_SAFE_INTEGER, ...conditions }, ctx, { dashboard, merchants }) {
    const filter = { from, to, ...toConditions(conditions) }
    const isFirst = after === null || after === undefined
    const [{ receipts, next, unreadEntries }, atMost, merchant] = await Promise.all([
      dashboard.receiptLists.list(ctx, { ...filter, after: readCursor(after), count }),
      isFirst ? dashboard.receiptLists.countAtMost(ctx, filter) : null,
      merchants.administration.find(ctx.merchantId),
    ])
    const { accountFields } = expectAccepted(merchant, ctx).settings
    return {
      receipts: receipts.map((each) => ({ ...toReceiptItem(each), account: toAccount(each.receipt) })),
      next: formatCursor(next),
      atMost,
      accountFields: accountFields.map(({ name, title }) => ({ name, title: title[ctx.language] })),
      unreadEntries,
    }
  },
})

/** Returns what was paid and refunded on each day. */
export const dashboardReceiptsTotals = operation(dashboardReceiptsTotalsContract, {
  async run(period, ctx, { dashboard }) {
    if (!isPeriod(period, totalsDaysMax)) throw new RpcError('memberInvalid', { data: 'to' })
    const { days, total, unreadEntries } = await dashboard.dailyTotals(ctx, period)
    return { days: [...days], total, unreadEntries }
  },
})

/** Returns one receipt with its history, newest first. */
export const dashboardReceiptsGet = operation(dashboardReceiptsGetContract, {
  async run({ receiptId }, ctx, { dashboard, merchants }) {
    const { operations, cards, entries, users, ...listed } = await dashboard.receiptLists.get(ctx, receiptId)
    const merchant = expectAccepted(await merchants.administration.find(ctx.merchantId), ctx)
    return {
      receipt: { ...toReceiptItem(listed), ...receiptDetails(listed.receipt) },
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
      timeline: entries.map(({ at, action, outcome, actor, requestId, changes }) => {
        const step = { at, what: action, outcome: toReasonCode(outcome), actor: actor.split(':')[0] ?? '' }
        return { ...step, ...toStepUser({ actor }, users), requestId, ...readRemarks(changes) }
      }),
      refundUnconfirmedMaxTiyin: merchant.settings.refundUnconfirmedMax,
    }
  },
})

/** Cancels a receipt. A debited or held amount is returned. What the user said about it is in the audit. */
export const dashboardReceiptsCancel = operation(dashboardReceiptsCancelContract, {
  run({ receiptId, expected = null, reason = null, note = '' }, ctx, { receipts }) {
    const said = [
      ['reason', reason ?? ''],
      ['note', note.trim()],
    ] as const
    const remarks = said.filter(([, to]) => to !== '').map(([name, to]) => ({ name, from: null, to }))
    return receipts.cancel({ receiptId, expected, remarks }, ctx)
  },
  render: () => ({ success: true }),
})

/** Captures a hold, in full or in part. */
export const dashboardReceiptsConfirm = operation(dashboardReceiptsConfirmContract, {
  run: ({ receiptId, amountTiyin = null }, ctx, { receipts }) => receipts.confirmHold(receiptId, amountTiyin, ctx),
  render: () => ({ success: true }),
})

type ListParams = Params<'dashboard.receipts.list'>

function toConditions(given: Omit<ListParams, 'after' | 'count' | 'from' | 'to'>): ReceiptConditions {
  const { status = null, cardId = null, customer = null, order, reason = null, dateOf, amountFrom = null, amountTo = null } = given
  const orderKey = order === undefined ? null : toOrderKey(order)
  return {
    status,
    cardId,
    customer,
    order: orderKey,
    reason,
    dateOf: dateOf === undefined || dateOf === 'created' ? null : dateOf,
    amountFrom,
    amountTo,
  }
}

function receiptDetails(receipt: ReceiptWithHistory['receipt']) {
  if (receipt.state === 'tampered') return { cancelTime: 0, account: '[]', detail: null, payer: null, fiscal: null }
  const { cancelTime, account, detail, payer, fiscal } = receipt
  return { cancelTime, account, detail, payer, fiscal }
}

type ReceiptItem = Result<'dashboard.receipts.list'>['receipts'][number]

/** A receipt for the dashboard's lists. A tampered row shows only its id and time. */
export function toReceiptItem({ receipt, status, money }: ReceiptInList): ReceiptItem {
  if (receipt.state === 'tampered') {
    const { receiptId } = receipt
    const unknownValues = { amountTiyin: 0, takenTiyin: 0, number: '', cardId: '', description: '', reason: null, flagged: true }
    const created = { order: '', customer: null, createdAt: toTimestamp(receipt.createdAt), paidAt: 0 }
    return { receiptId, state: stateTampered, status, ...unknownValues, ...money, ...created }
  }
  const { receiptId, state, amountTiyin, takenTiyin, maskedPan: number, cardId, description, error, flagged, createdAt, payTime } = receipt
  const taken = { amountTiyin, takenTiyin, ...money, number, cardId, description, reason: readReason(error), flagged }
  return { receiptId, state, status, ...taken, order: readOrder(receipt), customer: receipt.customer, createdAt, paidAt: payTime }
}

function toAccount(receipt: ReceiptInList['receipt']): { name: string; title: string; value: string }[] {
  if (receipt.state === 'tampered') return []
  return parseAccount(receipt).map(({ name, title, value }) => ({ name, title, value }))
}

const totalsDaysMax = 366
/** Not a state of receipts; described in the contract. */
const stateTampered = -1
