import type { Visitor } from '../methods/method.ts'
import type { IdempotencyHeader } from './idempotency.ts'

/** An HTTP request to `/api` as the door knows it: the few things that answers depend on. */
export interface HttpRequest {
  /** Set when it is refused before anything of it is read. */
  readonly refusal: 'notPost' | 'overloaded' | 'connectionBusy' | 'addressBusy' | 'draining' | 'notFromDashboard' | null
  /** What follows `/api/` in the URL, exactly as it stands there; null at `/api` and `/api/`. */
  readonly segment: string | null
  readonly hasQuery: boolean
  /** Taken over by the answer, and wiped. */
  readonly body: Buffer
  /** Without the blanks around it; null when there is none, or more than one. */
  readonly xAuth: string | null
  readonly origin: string | null
  /** Origin or Sec-Fetch-Site is there. */
  readonly isFromBrowser: boolean
  readonly idempotencyKey: IdempotencyHeader
  readonly acceptLanguage: string | undefined
  /** The client's. */
  readonly address: string
  /** At the dashboard's door alone. */
  readonly visitor?: Visitor
}

export interface HttpReply {
  readonly status: 200 | 503
  readonly retryAfterSeconds: number | null
  /** Under which log, audit and the merchant's request log know the call; of a batch one a call, in their order, parted by commas. */
  readonly requestId: string
  /** JSON. */
  readonly text: string
}
