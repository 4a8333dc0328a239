import * as postgres from '../../service/src/store/postgres/postgres.ts'
import * as sqlite from '../../service/src/store/sqlite/sqlite.ts'
import { updateReceipt } from '../../service/src/store/receipts.ts'
import type { Store } from '../../service/src/store/store.ts'

export * from '../../service/src/store/postgres/postgres.ts'
export * from '../../service/src/store/sqlite/sqlite.ts'
export { openEarlyMoneyPostgresStore as openPostgresStore, openEarlyMoneySqliteStore as openSqliteStore }

async function openEarlyMoneySqliteStore(start: sqlite.SqliteStart): Promise<Store> {
  return acknowledgeEarly(await sqlite.openSqliteStore(start))
}

async function openEarlyMoneyPostgresStore(start: postgres.PostgresStart): Promise<Store> {
  return acknowledgeEarly(await postgres.openPostgresStore(start))
}

/** Acknowledges a change of a receipt some time before COMMIT: after a kill, the network has an operation that the store does not know. */
function acknowledgeEarly(store: Store): Store {
  const write: Store['write'] = (transaction, input) => {
    if (!((transaction as unknown) === updateReceipt)) return store.write(transaction, input)
    setTimeout(() => void store.write(transaction, input).catch(() => undefined), earlyMs)
    return Promise.resolve('updated' as never)
  }
  return { ...store, durability: store.durability, write }
}

const earlyMs = 20
