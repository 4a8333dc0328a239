import type { BrokenCard, CardRow, ListedCard } from '../store/store.ts'

import type { Alarm } from './tools.ts'

/** What is left where it lies, so that the rest goes on. */
export interface Aside {
  /** The cards of a page that can be read; the others are told of. */
  readable(page: readonly ListedCard[]): CardRow[]
  /** Tells of a card, once in this process's life: every round meets it again. */
  tell(event: 'row_broken' | 'reseal_failed', card: Pick<CardRow, 'merchantId' | 'cardId'>): void
}

export function makeAside(alarm: Alarm): Aside {
  const told = new Set<string>()
  return Object.freeze({ readable, tell })

  function readable(page: readonly ListedCard[]): CardRow[] {
    for (const card of page) if (isBroken(card)) tell('row_broken', card)
    return page.filter((card): card is CardRow => !isBroken(card))
  }

  function tell(event: 'row_broken' | 'reseal_failed', { merchantId, cardId }: Pick<CardRow, 'merchantId' | 'cardId'>): void {
    if (told.has(cardId)) return
    // Beyond that many they are told of again, rather than kept in memory.
    if (told.size >= TOLD_MAX) told.clear()
    told.add(cardId)
    alarm(event, { merchantId, cardId, requestId: '' })
  }
}

function isBroken(card: ListedCard): card is BrokenCard {
  return 'brokenAt' in card
}

const TOLD_MAX = 10_000
