import type { Result } from '@tessera/contract/methods'

import type { AuditEntry, CardLists, CardReceipt, FoundCardHistory, OperationRow } from '../dashboard/cards.ts'
import { wordOf } from '../dashboard/reason-word.ts'

import { showCard } from './card-shown.ts'
import type { Row } from './method.ts'

type Step = Result<'dashboard.cards.get'>['timeline'][number]

/** Tells one card of the merchant with what happened to it. */
export function dashboardCardsGet(lists: CardLists): Row<'dashboard.cards.get'>['run'] {
  return async ({ cardId }, { caller }) => {
    const found = await lists.get(caller, cardId)
    return { card: { ...showCard(found.card), ...moreOf(found.card) }, timeline: timelineOf(found) }
  }
}

function moreOf(card: FoundCardHistory['card']) {
  if (card.state === 'tampered') return { verifiedAt: null, endsAt: 0, endedAt: null, consent: null, account: null }
  const { verifiedAt, endsAt, endedAt, consent, account } = card
  return { verifiedAt, endsAt, endedAt, consent, account }
}

/** Newest first. */
function timelineOf({ entries, receipts, refused }: FoundCardHistory): Step[] {
  return [...entries.map(tellEntry), ...receipts.map(tellReceipt), ...refused.map(tellRefused)].sort((a, b) => b.at - a.at)
}

function tellEntry({ at, action, outcome, actor, requestId }: AuditEntry): Step {
  const [kind = ''] = actor.split(':')
  const who = kind === 'user' || kind === 'system' || kind === 'operator' ? kind : 'merchant'
  return { at, what: action, outcome: wordOf(outcome), actor: who, requestId, receiptId: null, amountTiyin: null }
}

function tellReceipt({ receiptId, state, amountTiyin, createdAt, payTime }: CardReceipt): Step {
  const at = payTime > 0 ? payTime : createdAt
  return { at, what: 'receipt', outcome: String(state), actor: 'merchant', requestId: '', receiptId, amountTiyin }
}

function tellRefused({ receiptId, amountTiyin, reason, askedAt, settledAt }: OperationRow): Step {
  const at = settledAt > 0 ? settledAt : askedAt
  return { at, what: 'receipt.refused', outcome: wordOf(reason), actor: 'merchant', requestId: '', receiptId, amountTiyin }
}
