import type { Result } from '@tessera/contract/operations'
import { dashboardSearchFindContract } from '@tessera/contract/operations/dashboard-search'

import type { SearchHits } from '../domain/reporting/search.ts'

import { toReceiptItem } from './dashboard.receipts.ts'
import { toRequestEntry } from './dashboard.requests.ts'
import { toDashboardCard } from './dashboard-values.ts'
import { operation } from './operation.ts'

/** Finds what a text may be, anywhere in what the merchant has. */
export const dashboardSearchFind = operation(dashboardSearchFindContract, {
  async run({ text }, ctx, { dashboard, requestLists }) {
    const id = text.trim().toLowerCase()
    const [found, request] = await Promise.all([
      dashboard.search(ctx, text),
      /^[0-9a-f]{24}$/.test(id) ? requestLists.findByTime(ctx, id) : null,
    ])
    return {
      receipts: found.receipts.map(({ by, receipt }) => ({ by, receipt: toReceiptItem(receipt) })),
      cards: found.cards.map(toDashboardCard),
      customers: [...found.customers],
      requests: request === null ? [] : [toRequestEntry(request)],
      messages: found.messages.flatMap(toMessage),
      unreadEntries: found.unreadEntries,
    }
  },
})

type FoundMessage = Result<'dashboard.search.find'>['messages'][number]

function toMessage(send: SearchHits['messages'][number]): FoundMessage[] {
  const { messageId, requestedAt: at, phoneMask: phone, purpose, subject } = send
  const outcome = outcomeOf(send)
  const failure = outcome !== 'failed' ? null : send.outcome === 'rejected' ? 'rejected' : 'undelivered'
  return purpose === 'test' ? [] : [{ messageId, at, phone, purpose, subject, outcome, failure }]
}

function outcomeOf({ outcome, deliveredAt, failedAt }: SearchHits['messages'][number]): FoundMessage['outcome'] {
  if (deliveredAt !== null) return 'delivered'
  return failedAt !== null || outcome === 'rejected' ? 'failed' : outcome
}
