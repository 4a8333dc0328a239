import { requireNoConflict, completeExtras } from '../idempotency/handle.ts'

import { retryOnConflict } from '../concurrency.ts'
import type { RequestContext } from '../request-context.ts'
import { cardEvent, extrasWithEvent, cardChangeEntry } from './change-records.ts'
import type { LiveCard } from './find.ts'
import { shreddedCard } from './lifecycle.ts'
import type { CardServices } from './services.ts'
import { updateCard } from '../../store/cards.ts'

/** Deletes the sealed PAN and leaves a tombstone, so that the token is reported as "deleted" from then on. */
export async function removeCard(
  services: CardServices,
  find: () => Promise<Pick<LiveCard, 'card'>>,
  ctx: RequestContext<'removed'>,
): Promise<void> {
  await retryOnConflict(async () => {
    const { card } = await find()
    const now = services.clock.now()
    const removed = await services.rows.seal(shreddedCard(card, 'removed', now))
    const audit = cardChangeEntry(ctx, removed, { at: now, action: 'card.removed', outcome: 'removed' })
    const extras = extrasWithEvent(
      completeExtras(ctx.idempotency, card.cardId, 'removed' as const),
      await services.eventRows.seal(cardEvent('card.removed', removed, now)),
    )
    return requireNoConflict(await services.store.write(updateCard, { card: removed, audit, ...extras })) || null
  })
}
