import type { Rider } from '../idempotency/rider.ts'

/** For whom something is done, as far as the nouns need to know it. `T` is what the deed comes to, for the idempotency key. */
export interface Asker<T = never> {
  readonly merchantId: string
  readonly bucket: number
  /** The user of the dashboard who asks; the merchant's own page or server otherwise. */
  readonly userId?: string
  /** 24 hex: log and audit know the request by it. */
  readonly requestId: string
  /** Aborted when the service stops waiting. */
  readonly signal: AbortSignal
  /** Rides in the units of the deed; null: the call came without an idempotency key, or nothing of it is kept. */
  readonly rider: Rider<T> | null
}
