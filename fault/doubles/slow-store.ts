import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'

import * as postgres from '../../service/src/store/postgres/postgres.ts'
import * as sqlite from '../../service/src/store/sqlite/sqlite.ts'
import type { Store } from '../../service/src/store/store.ts'

export * from '../../service/src/store/postgres/postgres.ts'
export * from '../../service/src/store/sqlite/sqlite.ts'
export {
  openSlowPostgresStore as openPostgresStore,
  openSlowSharedSqliteStore as openSharedSqliteStore,
  openSlowSqliteStore as openSqliteStore,
}

async function openSlowSqliteStore(start: sqlite.SqliteStart): Promise<Store> {
  return paceWrites(await sqlite.openSqliteStore(start))
}

function openSlowSharedSqliteStore(start: sqlite.SharedSqliteStart): Store {
  return paceWrites(sqlite.openSharedSqliteStore(start))
}

async function openSlowPostgresStore(start: postgres.PostgresStart): Promise<Store> {
  return paceWrites(await postgres.openPostgresStore(start))
}

/** One write in twenty milliseconds, in the order in which they come from all threads of the process, whatever the machine could do. */
function paceWrites(store: Store): Store {
  return {
    ...store,
    get durability() {
      return store.durability
    },
    async write(transaction, input) {
      const turnMs = takeTurn()
      await new Promise((resolve) => setTimeout(resolve, turnMs))
      return store.write(transaction, input)
    },
  }
}

/** Returns in how many milliseconds this write is completed: the threads of a service have one store. */
function takeTurn(): number {
  const now = process.hrtime.bigint()
  for (;;) {
    const freeAt = Atomics.load(turns, 0)
    const next = (freeAt > now ? freeAt : now) + writeNs
    if (Atomics.compareExchange(turns, 0, freeAt, next) === freeAt) return Number(next - now) / 1e6
  }
}

/** When the store is free again, nanoseconds, in memory that all threads have. */
function shareTurns(): BigInt64Array {
  if (isMainThread) setEnvironmentData(turnsKey, new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))
  return new BigInt64Array(getEnvironmentData(turnsKey) as unknown as SharedArrayBuffer)
}

const writeNs = 20_000_000n
const turnsKey = 'turns of the slow store'
const turns = shareTurns()
