import { dirname } from 'node:path'

import { makePostgresRequestLog } from '../postgres/request-log.ts'
import type { DamagedRequestLog, RequestLogStore } from '../request-log-store.ts'
import { makeSqliteRequestLog } from '../sqlite/request-log.ts'
import type { Store } from '../store.ts'

/** The request log beside a store under test. */
export function openTestRequestLog(store: Store, damaged: DamagedRequestLog[] = []): RequestLogStore {
  return store.file === null
    ? makePostgresRequestLog(store)
    : makeSqliteRequestLog({ folder: dirname(store.file), onDamaged: (found) => void damaged.push(found), limits })
}

/** Under the load of other tests a thread may take long to start. */
const limits = { readMs: 20_000, writeMs: 20_000 }

/** Runs a test on a request log, and closes it. */
export async function withRequestLog(store: Store, test: (requestLog: RequestLogStore) => Promise<void>): Promise<void> {
  const requestLog = openTestRequestLog(store)
  try {
    await test(requestLog)
  } finally {
    await requestLog.close()
  }
}
