import { type CardChange, type CardsChange, type CardRow, updateCard } from '../../store/cards.ts'
import { StoreDamaged, StoreRefused, StoreUnavailable, type Store } from '../../store/store.ts'
import type { TransactionFunction } from '../../store/transaction.ts'

export interface BatchChange {
  readonly store: Pick<Store, 'write'>
  /** Changes all cards of a batch with one statement for all, where the store can. */
  readonly transaction: TransactionFunction<CardsChange, number>
  /** The change of one card; null when it is left as it is. */
  readonly toChange: (card: CardRow) => Promise<CardChange | null>
}

/**
 * Changes a batch of cards in one transaction, and returns how many. When it fails, because somebody else has a row locked for longer than it may wait, each
 * card is changed alone, so that one locked row holds up no other; throws when none of them can be changed either.
 */
export async function changeCards(cards: readonly CardRow[], { store, transaction, toChange }: BatchChange): Promise<number> {
  const changes = (await Promise.all(cards.map(toChange))).filter((change) => change !== null).sort(byKey)
  if (changes.length === 0) return 0
  try {
    return await store.write(transaction, { changes })
  } catch (err) {
    if (changes.length === 1 || !(err instanceof StoreUnavailable) || err instanceof StoreDamaged || err instanceof StoreRefused) throw err
    const results = await Promise.allSettled(changes.map((change) => store.write(updateCard, change)))
    if (results.every(({ status }) => status === 'rejected')) throw err
    return results.filter((result) => result.status === 'fulfilled' && result.value === true).length
  }
}

/** All processes lock cards in this order. */
function byKey({ card: one }: CardChange, { card: other }: CardChange): number {
  return one.bucket - other.bucket || (one.cardId < other.cardId ? -1 : 1)
}
