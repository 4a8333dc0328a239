import * as postgres from '../../service/src/store/postgres/postgres.ts'
import * as sqlite from '../../service/src/store/sqlite/sqlite.ts'
import { insertCard } from '../../service/src/store/cards.ts'
import type { Store } from '../../service/src/store/store.ts'

export * from '../../service/src/store/postgres/postgres.ts'
export * from '../../service/src/store/sqlite/sqlite.ts'
export { openEarlyPostgresStore as openPostgresStore, openEarlySqliteStore as openSqliteStore }

async function openEarlySqliteStore(start: sqlite.SqliteStart): Promise<Store> {
  return acknowledgeEarly(await sqlite.openSqliteStore(start))
}

async function openEarlyPostgresStore(start: postgres.PostgresStart): Promise<Store> {
  return acknowledgeEarly(await postgres.openPostgresStore(start))
}

/** Acknowledges a new card some time before COMMIT: a kill -9 has to reveal it. */
function acknowledgeEarly(store: Store): Store {
  const write: Store['write'] = (transaction, input) => {
    if (!((transaction as unknown) === insertCard)) return store.write(transaction, input)
    setTimeout(() => void store.write(transaction, input).catch(() => undefined), earlyMs)
    return Promise.resolve(undefined as never)
  }
  return { ...store, durability: store.durability, write }
}

const earlyMs = 20
