import { RpcError } from '@tessera/contract/errors'

import type { Asker } from '../cards/asker.ts'
import type { AuditNote, EventRow, ReceiptRow, Riders } from '../store/store.ts'

export { TwinFound } from '../idempotency/rider.ts'

/** For whom something is done to a receipt: the deed comes to the receipt as it is left, or to nothing but its success. */
export type ReceiptAsker = Asker<ReceiptRow | 'success'>

/** What a unit of money does beside its effect. */
export interface Riding {
  readonly audit: AuditNote
  readonly events: readonly EventRow[]
  /** The receipt, or what is asked of the network, by which an expired claim is settled, where this unit is the intention; null where it is not. */
  readonly claims: string | null
  /** What the caller is answered, where this unit is the outcome; null where it is not. */
  readonly answers: ReceiptRow | RpcError | 'success' | null
}

/**
 * What rides in the same transaction as an effect. The one place where a unit of money meets an idempotency key: `asker` is null for the
 * background, which has none.
 */
export function riders(asker: ReceiptAsker | null, { audit, events, claims, answers }: Riding): Riders {
  const rider = asker?.rider ?? null
  const claim = rider === null || claims === null ? null : rider.claim(claims)
  const answer = rider === null || answers === null ? null : rider.answer(answers)
  return { audit, claim, answer, events }
}

/** The asker for a deed that is told otherwise than it is kept. */
export function askerTold<T>(asker: Asker<T>, tell: (outcome: ReceiptRow | 'success') => T): ReceiptAsker {
  const { rider } = asker
  if (rider === null) return { ...asker, rider: null }
  const answer: NonNullable<ReceiptAsker['rider']>['answer'] = (outcome) =>
    rider.answer(outcome instanceof RpcError ? outcome : tell(outcome))
  return { ...asker, rider: { claim: rider.claim, answer } }
}
