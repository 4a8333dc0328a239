import pg from 'pg'
import { FlightFailed } from './session.ts'

/** What an error means for whoever asked, as long as COMMIT was not sent. Codes: PostgreSQL documentation, appendix A. */
export type Fault =
  /** A deadlock or a serialisation failure: the same again may well work. */
  | 'again'
  /** Another writer goes on with our audit chain. */
  | 'chainTaken'
  /** No room on its disk. */
  | 'full'
  /** It does not answer, is going down, is read-only, or somebody else holds the row for too long. */
  | 'unavailable'
  /** The statement itself, such as a constraint. */
  | 'statement'

export function faultOf(err: unknown): Fault {
  const said = answerIn(err)
  // What is no answer of the server is a lost connection or a silent one.
  if (said === null) return 'unavailable'
  const code = said.code ?? ''
  if (code === '40001' || code === '40P01') return 'again'
  if (code === '53100') return 'full'
  if (code === '23505' && said.table === 'audit') return 'chainTaken'
  // Two events of one object took the same place in its order at once.
  if (code === '23505' && said.constraint === 'outbox_order') return 'again'
  return UNAVAILABLE.test(code) ? 'unavailable' : 'statement'
}

/**
 * Refused at COMMIT for sure: transaction rollback, a constraint, insufficient resources. Anything else there leaves the outcome open, and so
 * does 40003, statement completion unknown, which databases that speak the protocol say of a commit that they lost sight of.
 */
export function isRefusedCommit(err: unknown): boolean {
  return /^(40(?!003)|23|53)/.test(answerIn(err)?.code ?? '')
}

/** What the server itself said, in answer to what was asked. */
export function answerIn(err: unknown): pg.DatabaseError | null {
  const cause = err instanceof FlightFailed ? err.cause : err
  return cause instanceof pg.DatabaseError ? cause : null
}

// 08 connection · 0A000 a plan that no longer fits, 26000 a statement that the server forgot: a new connection mends both · 25006 read-only
// · 25P03 idle too long · 53 resources · 55P03 lock not available · 57 operator intervention · 58 system error
const UNAVAILABLE = /^(08|0A000|26000|25006|25P03|53|55P03|57|58)/
