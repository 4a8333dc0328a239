import type { Reason } from './wire.ts'

/** Why a call did not succeed, told apart by `reason`: the service's own words, and those of this library. */
export type Problem = { readonly [R in Reason]: ServiceProblem<R> }[Reason] | LibraryProblem

/** The problem of one reason, for a `switch` that wants the rest of it. */
export type ProblemOf<R extends Problem['reason']> = Extract<Problem, { reason: R }>

/** What the service refused with; docs/reference/errors.md tells each reason. */
export interface ServiceProblem<R extends Reason> {
  readonly reason: R
  readonly code: number
  readonly message: string
  /** Path of a member, an id, or the error of the merchant's own endpoint, as the page of the error says. */
  readonly data?: unknown
  /** How long to wait before asking again, where the service says it. */
  readonly retryAfterMs?: number
  /** Whether nothing but time is needed: the same call with the same idempotency key may succeed later. */
  readonly isRetryable: boolean
}

/**
 * `no_answer` the service was not reached or did not answer in time: whether the call was carried out is not known · `not_tessera` something
 * else answered · `cancelled` by your signal · `unlisted` a reason that this version of the library does not know; `word` is it.
 */
export type LibraryProblem =
  | { readonly reason: 'no_answer'; readonly code: 0; readonly message: string; readonly retryAfterMs?: number; readonly isRetryable: true }
  | { readonly reason: 'not_tessera' | 'cancelled'; readonly code: 0; readonly message: string; readonly isRetryable: false }
  | UnlistedProblem

export interface UnlistedProblem {
  readonly reason: 'unlisted'
  readonly word: string
  readonly code: number
  readonly message: string
  readonly data?: unknown
  readonly retryAfterMs?: number
  readonly isRetryable: false
}

/**
 * What became of a call. `idempotencyKey` is the one it carried, made by the library or given by you; null for a call that changes
 * nothing. Ask again with it after `no_answer`, and the call happens once. `requestId` is the service's word for this call (`X-Request-Id`), by
 * which the dashboard's request log finds it; null where no service answered. After retries it is that of the last.
 */
export type Outcome<T> = ({ readonly ok: true; readonly result: T } | { readonly ok: false; readonly problem: Problem }) & {
  readonly idempotencyKey: string | null
  readonly requestId: string | null
}

/** Thrown by the plain methods: it carries what `outcome()` returns, and never the params of the call. */
export class TesseraError extends Error {
  override readonly name: string = 'TesseraError'
  readonly problem: Problem
  readonly idempotencyKey: string | null
  readonly requestId: string | null

  constructor(method: string, { problem, idempotencyKey, requestId }: Omit<Extract<Outcome<unknown>, { ok: false }>, 'ok'>) {
    super(`${method}: ${problem.message} (${problem.reason})`)
    this.problem = problem
    this.idempotencyKey = idempotencyKey
    this.requestId = requestId
  }

  get reason(): Problem['reason'] {
    return this.problem.reason
  }
}
