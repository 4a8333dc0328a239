import type { BrokenCard, CardRow, ListedCard } from '../../store/cards.ts'

import type { RowAlarm } from './services.ts'

/** Skips cards that cannot be processed, so that the others are processed. */
export interface CardQuarantine {
  /** The readable cards of a page. The others are reported. */
  readable(page: readonly ListedCard[]): CardRow[]
  /** Reports a card once per process, although every round finds it again. */
  report(event: 'row_broken' | 'reseal_failed', card: Pick<CardRow, 'merchantId' | 'cardId'>): void
}

export function makeCardQuarantine(alarm: RowAlarm): CardQuarantine {
  const reported = new Set<string>()
  return Object.freeze({ readable, report })

  function readable(page: readonly ListedCard[]): CardRow[] {
    for (const card of page) if (isBroken(card)) report('row_broken', card)
    return page.filter((card): card is CardRow => !isBroken(card))
  }

  function report(event: 'row_broken' | 'reseal_failed', { merchantId, cardId }: Pick<CardRow, 'merchantId' | 'cardId'>): void {
    if (reported.has(cardId)) return
    // The set is bounded; after clearing it, cards are reported again.
    if (reported.size >= maxReportedCards) reported.clear()
    reported.add(cardId)
    alarm(event, { merchantId, cardId, requestId: '' })
  }
}

function isBroken(card: ListedCard): card is BrokenCard {
  return 'brokenAt' in card
}

const maxReportedCards = 10_000
