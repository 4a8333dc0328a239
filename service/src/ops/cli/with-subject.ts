import { refuseForeignEnvironment } from '../../app/data-folder.ts'
import { requireStoreInCharge } from '../../app/move-check.ts'
import { chooseAdapters } from '../../app/production-checks.ts'
import { makeStartSubject, type StartSubject } from '../../app/start-subject.ts'
import { makeSystemClock } from '../../system-clock.ts'
import type { Config } from '../config/config.ts'
import { silentLog } from '../logging/log.ts'

import { explainStart } from './explain-start.ts'

/**
 * Runs a command on what a start would open (database, key store, KEK), for reading only, beside a service or without one. Waits for nothing that is away.
 * Settings that name another store than the one in charge are refused, and so is a folder of the other environment, whose settings were forgotten: without
 * them its keys would seem to be lost. An error of the start becomes an `ExitError` that says what to do.
 */
export async function withSubject<T>(config: Config, run: (subject: StartSubject) => Promise<T>): Promise<T> {
  refuseForeignEnvironment(config)
  const subject = makeStartSubject(config, {
    adapters: chooseAdapters(config),
    clock: makeSystemClock(),
    log: silentLog,
    claim: () => Promise.resolve(''),
    isServing: () => false,
    retry: (step) => step(),
  })
  try {
    requireStoreInCharge(config)
    return await run(subject)
  } catch (err) {
    throw explainStart(err, config, new AbortController().signal)
  } finally {
    await subject.close()
  }
}
