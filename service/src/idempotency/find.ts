import type { IdempotencyRow } from '../store/store.ts'

import type { IdempotencyParts } from './parts.ts'
import type { Keyed, KeyedPlace } from './keyed.ts'

/** A row that is kept under a key, and the data key under which it was found. */
export interface Kept {
  readonly row: IdempotencyRow
  readonly place: KeyedPlace
}

/** Finds the row of a key whose time is not over. */
export async function findKept({ store, clock }: Pick<IdempotencyParts, 'store' | 'clock'>, { places }: Keyed): Promise<Kept | null> {
  for (const place of places) {
    const row = await store.findIdempotency(place.key)
    if (row !== null && clock.now() < row.endsAt) return { row, place }
  }
  return null
}
