import { wordOf } from '../dashboard/reason-word.ts'
import type { FoundReceiptHistory, ReceiptLists } from '../dashboard/receipts.ts'

import type { Row } from './method.ts'
import { showReceipt } from './receipt-shown.ts'

/** Tells one receipt with all that became of it, the newest first. */
export function dashboardReceiptsGet(lists: ReceiptLists): Row<'dashboard.receipts.get'>['run'] {
  return async ({ receiptId }, { caller }) => {
    const { receipt, operations, cards, entries } = await lists.get(caller, receiptId)
    return {
      receipt: { ...showReceipt(receipt), ...moreOf(receipt) },
      operations: operations.map(({ kind, amountTiyin, state, reason, rawCode, askedAt, settledAt, cardId }) => {
        return { kind, amountTiyin, state, reason: wordOf(reason), rawCode, askedAt, settledAt, cardId, number: cards.get(cardId) ?? '' }
      }),
      timeline: entries.map(({ at, action, outcome, actor, requestId }) => {
        return { at, what: action, outcome: wordOf(outcome), actor: actor.split(':')[0] ?? '', requestId }
      }),
    }
  }
}

function moreOf(receipt: FoundReceiptHistory['receipt']) {
  if (receipt.state === 'tampered') {
    return { payTime: 0, cancelTime: 0, account: '[]', detail: null, payer: null, fiscal: null, customer: null }
  }
  const { payTime, cancelTime, account, detail, payer, fiscal, customer } = receipt
  return { payTime, cancelTime, account, detail, payer, fiscal, customer }
}
