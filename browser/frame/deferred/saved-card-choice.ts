import type { SavedCardOffer } from '../saved-cards.ts'

/** What the cardholder does with the saved cards: one is chosen, and the removal of one may be waiting for its confirmation. */
export interface SavedCardChoice {
  readonly cards: readonly SavedCardOffer[]
  /** Id of the card that the button picks; null: none can be picked. */
  readonly chosen: string | null
  /** Id of the card whose removal is to be confirmed. */
  readonly removing: string | null
}

export const noSavedCards: SavedCardChoice = { cards: [], chosen: null, removing: null }

/** Offers cards in the merchant's order. The chosen one stays, while it is offered; otherwise it is the first that has not expired. */
export function offerSavedCards(cards: readonly SavedCardOffer[], { chosen }: SavedCardChoice): SavedCardChoice {
  const valid = cards.filter(({ expired }) => !expired)
  const { id = null } = valid.find((card) => card.id === chosen) ?? valid[0] ?? {}
  return { cards, chosen: id, removing: null }
}

/** An expired card and an unknown one change nothing. */
export function chooseSavedCard(choice: SavedCardChoice, id: string): SavedCardChoice {
  return choice.cards.some((card) => card.id === id && !card.expired) ? { ...choice, chosen: id } : choice
}

/** Asks whether the card is to be removed, of one card at a time; null takes the question back. */
export function askToRemove(choice: SavedCardChoice, id: string | null): SavedCardChoice {
  return { ...choice, removing: id }
}

export function withoutSavedCard(choice: SavedCardChoice, id: string): SavedCardChoice {
  return offerSavedCards(
    choice.cards.filter((card) => card.id !== id),
    choice,
  )
}
