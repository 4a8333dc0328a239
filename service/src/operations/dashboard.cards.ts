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

import { formatCursor, readCursor, toDashboardCard } from './dashboard-values.ts'
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
  async run({ cardId }, ctx, { cardLists }) {
    const found = await cardLists.get(ctx, cardId)
    return { card: { ...toDashboardCard(found.card), ...cardDetails(found.card) }, timeline: timelineOf(found) }
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
function timelineOf({ entries, receipts, refused }: CardWithHistory): TimelineStep[] {
  return [...entries.map(toAuditStep), ...receipts.map(toReceiptStep), ...refused.map(toRefusedStep)].sort((a, b) => b.at - a.at)
}

function toAuditStep({ at, action, outcome, actor, requestId }: AuditRow): TimelineStep {
  const [kind = ''] = actor.split(':')
  const who = kind === 'user' || kind === 'system' || kind === 'operator' ? kind : 'merchant'
  return { at, what: action, outcome: toReasonCode(outcome), actor: who, requestId, receiptId: null, amountTiyin: null }
}

function toReceiptStep({ receiptId, state, amountTiyin, createdAt, payTime }: CardReceipt): TimelineStep {
  const at = payTime > 0 ? payTime : createdAt
  return { at, what: 'receipt', outcome: String(state), actor: 'merchant', requestId: '', receiptId, amountTiyin }
}

function toRefusedStep({ receiptId, amountTiyin, reason, requestedAt, resolvedAt }: OperationRow): TimelineStep {
  const at = resolvedAt > 0 ? resolvedAt : requestedAt
  return { at, what: 'receipt.payment_failed', outcome: toReasonCode(reason), actor: 'merchant', requestId: '', receiptId, amountTiyin }
}
