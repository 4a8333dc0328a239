import pg from 'pg'

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
  // What is no answer of the server is a lost connection or a silent one.
  if (!(err instanceof pg.DatabaseError)) return 'unavailable'
  const code = err.code ?? ''
  if (code === '40001' || code === '40P01') return 'again'
  if (code === '53100') return 'full'
  if (code === '23505' && err.table === 'audit') return 'chainTaken'
  // Two events of one object took the same place in its order at once.
  if (code === '23505' && err.constraint === 'outbox_order') return 'again'
  return UNAVAILABLE.test(code) ? 'unavailable' : 'statement'
}

/** Whether the server itself said it, in answer to what was asked. */
export function isAnswer(err: unknown): boolean {
  return err instanceof pg.DatabaseError
}

/** Refused at COMMIT for sure: transaction rollback, a constraint, insufficient resources. Anything else there leaves the outcome open. */
export function isRefusedCommit(err: unknown): boolean {
  return err instanceof pg.DatabaseError && /^(40|23|53)/.test(err.code ?? '')
}

// 08 connection · 25006 read-only · 25P03 idle too long · 53 resources · 55P03 lock not available · 57 operator intervention · 58 system error
const UNAVAILABLE = /^(08|25006|25P03|53|55P03|57|58)/
