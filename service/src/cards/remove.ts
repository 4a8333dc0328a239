import { RpcError } from '@tessera/contract/errors'

import { expectFirst, rideBoth } from '../idempotency/rider.ts'

import type { Asker } from './asker.ts'
import { cardEvent, telling } from './events.ts'
import type { FoundCard } from './find.ts'
import { shreddedCard } from './life.ts'
import { noteChange } from './note.ts'
import type { CardTools } from './tools.ts'

/** Wipes the sealed PAN and leaves a tombstone, so that the token is answered "deleted" from then on. */
export async function removeCard(tools: CardTools, find: () => Promise<Pick<FoundCard, 'card'>>, asker: Asker<'removed'>): Promise<void> {
  for (let turn = 0; turn < turnsMax; turn++) {
    const { card } = await find()
    const now = tools.clock.now()
    const next = await tools.mac.seal(shreddedCard(card, 'removed', now))
    const note = noteChange(asker, next, { at: now, action: 'card.removed', outcome: 'removed' })
    const riders = telling(rideBoth(asker.rider, card.cardId, 'removed' as const), cardEvent('card.removed', next, now))
    if (expectFirst(await tools.store.changeCard(next, note, riders))) return
  }
  throw new RpcError('overloaded', { retryAfterMs: 1000 })
}

/** A card is changed by its cardholder, its merchant, resealing and sweeping: who loses this often meets something unforeseen. */
const turnsMax = 5
