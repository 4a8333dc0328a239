import type { ReceiptStatus } from '@tessera/contract/receipt-status'
import type { Result } from '@tessera/contract/operations'
import {
  dashboardCardsGetContract,
  dashboardCardsListContract,
  dashboardCardsRemoveContract,
} from '@tessera/contract/operations/dashboard-cards'

import { requireLiveCardById } from '../domain/cards/find.ts'
import { removeCard } from '../domain/cards/remove.ts'
import type { AuditRow, CardReceipt, CardWithHistory, OperationRow } from '../domain/reporting/cards.ts'
import { toReasonCode } from '../domain/reporting/reason-code.ts'

import { formatCursor, readCursor, toDashboardCard, toStepUser } from './dashboard-values.ts'
import { operation } from './operation.ts'

/** Lists the merchant's cards, newest first. */
export const dashboardCardsList = operation(dashboardCardsListContract, {
  async run({ after, count = 25, search = '', customer }, ctx, { cardLists }) {
    const { cards, next } = await cardLists.list(ctx, customer === undefined ? search : { customer }, { after: readCursor(after), count })
    return { cards: cards.map(toDashboardCard), next: formatCursor(next) }
  },
})

/** Returns one card of the merchant with its history. */
export const dashboardCardsGet = operation(dashboardCardsGetContract, {
  async run({ cardId }, ctx, { cardLists, dashboard }) {
    const found = await cardLists.get(ctx, cardId)
    const receipts = await dashboard.receiptLists.find(
      ctx,
      found.receipts.map(({ receiptId }) => receiptId),
    )
    const statuses = new Map(receipts.map(({ receipt, status }) => [receipt.receiptId, status]))
    return { card: { ...toDashboardCard(found.card), ...cardDetails(found.card) }, timeline: timelineOf(found, statuses) }
  },
})

/** Shreds a card that a user of the dashboard chose. */
export const dashboardCardsRemove = operation(dashboardCardsRemoveContract, {
  async run({ cardId }, ctx, { cards }) {
    await removeCard(cards, () => requireLiveCardById(cards, cardId, ctx), ctx)
    return 'removed' as const
  },
  render: () => ({ success: true }),
})

type TimelineStep = Result<'dashboard.cards.get'>['timeline'][number]

function cardDetails(card: CardWithHistory['card']) {
  if (card.state === 'tampered') return { verifiedAt: null, endsAt: 0, endedAt: null, consent: null, account: null }
  const { verifiedAt, endsAt, endedAt, consent, account } = card
  return { verifiedAt, endsAt, endedAt, consent, account }
}

/** Newest first. */
function timelineOf(
  { entries, users, receipts, refused }: CardWithHistory,
  statuses: ReadonlyMap<string, ReceiptStatus | null>,
): TimelineStep[] {
  return [
    ...entries.map((entry) => toAuditStep(entry, users)),
    ...receipts.map((receipt) => toReceiptStep(receipt, statuses.get(receipt.receiptId) ?? null)),
    ...refused.map(toRefusedStep),
  ].sort((a, b) => b.at - a.at)
}

function toAuditStep({ at, action, outcome, actor, requestId }: AuditRow, users: CardWithHistory['users']): TimelineStep {
  const [kind = ''] = actor.split(':')
  const who = kind === 'user' || kind === 'system' || kind === 'operator' ? kind : 'merchant'
  const step = { at, what: action, outcome: toReasonCode(outcome), status: null, actor: who } as const
  return { ...step, ...toStepUser({ actor }, users), requestId, receiptId: null, amountTiyin: null }
}

function toReceiptStep({ receiptId, state, amountTiyin, createdAt, payTime }: CardReceipt, status: ReceiptStatus | null): TimelineStep {
  const at = payTime > 0 ? payTime : createdAt
  return { at, what: 'receipt', outcome: String(state), status, ...byMerchant, receiptId, amountTiyin }
}

function toRefusedStep({ receiptId, amountTiyin, reason, requestedAt, resolvedAt }: OperationRow): TimelineStep {
  const at = resolvedAt > 0 ? resolvedAt : requestedAt
  return { at, what: 'receipt.payment_failed', outcome: toReasonCode(reason), status: null, ...byMerchant, receiptId, amountTiyin }
}

const byMerchant = { actor: 'merchant', name: '', phone: null, requestId: '' } as const
