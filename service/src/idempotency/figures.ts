/** How long things last for an idempotency key, in milliseconds. */
export interface IdempotencyFigures {
  /** How long an outcome is kept. */
  readonly keptMs: number
  /** How long a request that is under way is waited for; longer than a card network may take. Afterwards it is settled by what happened. */
  readonly leaseMs: number
}

export const idempotencyFigures: IdempotencyFigures = Object.freeze({ keptMs: 24 * 3_600_000, leaseMs: 30_000 })
