import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { adaptersOf, openStore, sandbox } from './adapters.ts'
import type { Adapters } from './adapters.ts'
import { makeClosing } from './closing.ts'
import type { Config } from '../config/config.ts'
import { CannotGoOn } from '../exits.ts'
import { readEnvironment } from './folder.ts'
import { CLOSE_MS } from './kept.ts'
import { productionFaults, sandboxLeftIn } from './production.ts'
import { lockFolder } from '../store/sqlite/lock.ts'
import { SQLITE_FILE } from '../store/sqlite/sqlite.ts'

/** The adapters of the environment, when nothing keeps it from starting. Throws `CannotGoOn` with everything that does. */
export async function admit(config: Config): Promise<Adapters> {
  const offered = adaptersOf[config.environment]
  const { openKek, network, sms, codes } = offered
  const isTest = config.environment === 'test'
  const faults = isTest ? [] : [...productionFaults(config, { openKek, network, sms }), ...(await lookIntoStore(config))]
  if (faults.length > 0 || openKek === null || network === null || sms === null || codes === null) {
    throw new CannotGoOn('settings', ['a production start is refused:', ...faults].join('\n'))
  }
  return { ...offered, openKek, network, sms, codes }
}

/** What a test environment left in the database that a production start was given. */
async function lookIntoStore(config: Config): Promise<string[]> {
  const folder = config.dataFolder
  if (config.databaseUrl === null && (!existsSync(join(folder, SQLITE_FILE)) || readEnvironment(folder) === 'test')) return []
  const closing = makeClosing(() => undefined)
  try {
    if (config.databaseUrl === null) closing.add(lockFolder(folder).release)
    const store = await openStore(config, { tell: () => undefined, lost: () => undefined })
    closing.add(() => store.close(CLOSE_MS))
    return await sandboxLeftIn(store, sandbox.merchantId, sandbox.demo.dashboardPhone)
  } catch (err) {
    return [`unknown: the database could not be looked into (${err instanceof Error ? err.message : String(err)}).`]
  } finally {
    await closing.closeAll()
  }
}
