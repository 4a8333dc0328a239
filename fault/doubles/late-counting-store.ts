import * as postgres from '../../service/src/store/postgres/postgres.ts'
import * as sqlite from '../../service/src/store/sqlite/sqlite.ts'
import type { Store } from '../../service/src/store/store.ts'
import { checkCode, findVerification, type CheckCode, type CodeAttemptResult } from '../../service/src/store/verifications.ts'

export * from '../../service/src/store/postgres/postgres.ts'
export * from '../../service/src/store/sqlite/sqlite.ts'
export { openLateCountingPostgresStore as openPostgresStore, openLateCountingSqliteStore as openSqliteStore }

async function openLateCountingSqliteStore(start: sqlite.SqliteStart): Promise<Store> {
  return countLate(await sqlite.openSqliteStore(start))
}

async function openLateCountingPostgresStore(start: postgres.PostgresStart): Promise<Store> {
  return countLate(await postgres.openPostgresStore(start))
}

/** Reads the counter and decides, and would write it only afterwards: every attempt that reads before the first write is allowed. */
function countLate(store: Store): Store {
  const write: Store['write'] = (transaction, input) => {
    if (!((transaction as unknown) === checkCode)) return store.write(transaction, input)
    return check(input as unknown as CheckCode) as Promise<never>
  }

  async function check({ attempt }: CheckCode): Promise<CodeAttemptResult> {
    const row = await store.read(findVerification(attempt))
    if (row === null || row.attempts >= attempt.maxAttempts) return { outcome: 'attemptsUsedUp' }
    return { outcome: row.sentBy === 'network' ? 'networkDecides' : 'incorrect', isLast: false, stopped: [] }
  }

  return { ...store, durability: store.durability, write }
}
