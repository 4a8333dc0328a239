import { sql } from './statement.ts'
import { type Transaction, runOne } from './transaction.ts'

/** The user that was authenticated, as its row was then. */
export interface UserAtVersion {
  readonly userId: string
  readonly version: number
}

// They change nothing, but a change of the user and a transaction that begins with one of these wait for each other here.
const lockVersion = sql`
  update dashboard_users set version = version where user_id = $1 and version = $2 and state = 'active' returning user_id`

const lockUser = sql`update dashboard_users set version = version where user_id = $1 and state = 'active' returning user_id`

const selectSession = sql`select session_id from dashboard_sessions where session_id = $1 and user_id = $2`

/** A step of larger transactions: false when the user was changed since, for example by a new password, or is blocked. */
export function* lockUserAtVersion({ userId, version }: UserAtVersion): Transaction<boolean> {
  return (yield* runOne(lockVersion, [userId, version])) !== null
}

/** A step of larger transactions: false when the session has ended or the user is blocked. */
export function* lockUserOfSession({ userId, sessionId }: { readonly userId: string; readonly sessionId: string }): Transaction<boolean> {
  if ((yield* runOne(lockUser, [userId])) === null) return false
  // A statement of its own: it sees what the change that it waited for has deleted.
  return (yield* runOne(selectSession, [sessionId, userId])) !== null
}
