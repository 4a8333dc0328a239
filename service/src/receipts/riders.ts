import type { RpcError } from '@tessera/contract/errors'

import type { Asker } from '../cards/asker.ts'
import type { AuditNote, EventRow, ReceiptRow, Riders } from '../store/store.ts'

/** What a unit of money does beside its effect. */
export interface Riding {
  readonly audit: AuditNote
  readonly events: readonly EventRow[]
  /** The receipt by which an expired claim is settled, where this unit is the intention; null where it is not. */
  readonly claims: string | null
  /** What the caller is answered, where this unit is the outcome; null where it is not. */
  readonly answers: ReceiptRow | RpcError | 'success' | null
}

/**
 * What rides in the same transaction as an effect. The one place where a unit of money meets an idempotency key: `asker` is null for the
 * background, which has none.
 */
export function riders(_asker: Asker | null, { audit, events }: Riding): Riders {
  return { audit, claim: null, answer: null, events }
}

/** The same key is claimed by another request: nothing was done, and its outcome is this one's. */
export class TwinFound extends Error {
  override readonly name = 'TwinFound'
}
