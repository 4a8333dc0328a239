import * as postgres from '../../service/src/store/postgres/postgres.ts'
import * as sqlite from '../../service/src/store/sqlite/sqlite.ts'
import type { Store } from '../../service/src/store/store.ts'
import { signRows } from '../../service/src/store/unsigned-rows.ts'

export * from '../../service/src/store/postgres/postgres.ts'
export * from '../../service/src/store/sqlite/sqlite.ts'
export { openKilledPostgresStore as openPostgresStore, openKilledSqliteStore as openSqliteStore }

async function openKilledSqliteStore(start: sqlite.SqliteStart): Promise<Store> {
  return killWhileSigning(await sqlite.openSqliteStore(start))
}

async function openKilledPostgresStore(start: postgres.PostgresStart): Promise<Store> {
  return killWhileSigning(await postgres.openPostgresStore(start))
}

/** SIGKILL after the sixth transaction that writes MACs, while others of its page are in progress. */
function killWhileSigning(store: Store): Store {
  let written = 0
  const write: Store['write'] = async (transaction, input) => {
    const result = await store.write(transaction, input)
    if ((transaction as unknown) === signRows && ++written === 6) process.kill(process.pid, 'SIGKILL')
    return result
  }
  return { ...store, durability: store.durability, write }
}
