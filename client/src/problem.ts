import type { Reason } from './wire.ts'

/** Why a call did not succeed. `reason` tells the problems apart: the reasons of the service, and those of this library. */
export type Problem = { readonly [R in Reason]: ServiceProblem<R> }[Reason] | LibraryProblem

/** The problem with one reason, for a `switch` that needs its other members. */
export type ProblemOf<R extends Problem['reason']> = Extract<Problem, { reason: R }>

/** An error of the service. docs/reference/errors.md describes each reason. */
export interface ServiceProblem<R extends Reason> {
  readonly reason: R
  readonly code: number
  readonly message: string
  /** The path of a member, an id, or the error of the merchant's own endpoint, as the description of the error says. */
  readonly data?: unknown
  /** How long to wait before the next attempt, if the service specifies it. */
  readonly retryAfterMs?: number
  /** Whether the same call with the same idempotency key may succeed later. */
  readonly isRetryable: boolean
}

/**
 * `no_answer`: the service was not reached or did not respond in time; whether the call was carried out is not known. `not_tessera`: the
 * response is not from this service. `cancelled`: aborted by your signal. `unlisted`: a reason that this version of the library does not
 * know; `word` contains it.
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
 * The outcome of a call. `idempotencyKey` is the key that the call carried, yours or a generated one; null for a call that changes nothing.
 * After `no_answer`, repeat the call with it, and it is carried out once. `requestId` is the service's id of the request (`X-Request-Id`),
 * by which the dashboard's request log finds it; null when the service did not respond. After retries it is that of the last attempt.
 */
export type Outcome<T> = ({ readonly ok: true; readonly result: T } | { readonly ok: false; readonly problem: Problem }) & {
  readonly idempotencyKey: string | null
  readonly requestId: string | null
}

/** Thrown by the methods that return results directly. Carries the same as `outcome()` returns, and never the params of the call. */
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
