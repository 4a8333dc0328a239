import * as postgres from '../../service/src/store/postgres/postgres.ts'
import * as sqlite from '../../service/src/store/sqlite/sqlite.ts'
import type { Store } from '../../service/src/store/store.ts'

export * from '../../service/src/store/postgres/postgres.ts'
export * from '../../service/src/store/sqlite/sqlite.ts'
export { openSlowPostgresStore as openPostgresStore, openSlowSqliteStore as openSqliteStore }

async function openSlowSqliteStore(start: sqlite.SqliteStart): Promise<Store> {
  return paceWrites(await sqlite.openSqliteStore(start))
}

async function openSlowPostgresStore(start: postgres.PostgresStart): Promise<Store> {
  return paceWrites(await postgres.openPostgresStore(start))
}

/** One write in twenty milliseconds, in the order in which they come, whatever the machine could do. */
function paceWrites(store: Store): Store {
  let freeAt = performance.now()
  return {
    ...store,
    get durability() {
      return store.durability
    },
    async write(transaction, input) {
      freeAt = Math.max(performance.now(), freeAt) + writeMs
      const turnMs = freeAt - performance.now()
      await new Promise((resolve) => setTimeout(resolve, turnMs))
      return store.write(transaction, input)
    },
  }
}

const writeMs = 20
