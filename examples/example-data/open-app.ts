import { createApp, type App } from '../../service/src/app.ts'
import { claimDataFolder } from '../../service/src/app/data-folder.ts'
import { chooseAdapters } from '../../service/src/app/production-checks.ts'
import type { Config } from '../../service/src/ops/config/config.ts'
import { makeLog } from '../../service/src/ops/logging/log.ts'
import { makeMetrics } from '../../service/src/ops/metrics/metrics.ts'
import { listMerchants } from '../../service/src/store/merchants.ts'
import { lockFolder } from '../../service/src/store/sqlite/lock.ts'

import { withExampleFaults, type ExampleFaults } from './example-adapters.ts'
import type { PastClock } from './past-clock.ts'

/** The service's own composition on a clock in the past, without listeners. `work` gets it; it is closed afterwards. */
export async function withExampleApp<T>(
  config: Config,
  clock: PastClock,
  work: (app: App, faults: ExampleFaults) => Promise<T>,
): Promise<T> {
  claimDataFolder(config.dataFolder, config.environment)
  const lock = lockFolder(config.dataFolder)
  const faults: ExampleFaults = { nextPayment: null, isSmsGatewayAway: false }
  const metrics = makeMetrics(clock)
  try {
    const app = await createApp(config, withExampleFaults(chooseAdapters(config), faults), {
      clock,
      log: makeLog('error', { write: (line) => void process.stderr.write(line) }, clock.now),
      metrics,
      stopping: new AbortController().signal,
      endNow: (_exit, _event, err) => {
        throw err
      },
      // Refunds wait for the next run of the worker, so that the time moves while nothing is in progress.
      overrides: { refundsInBackgroundOnly: true },
    })
    try {
      return await work(app, faults)
    } finally {
      // Before the time moves, as in `runJobs`.
      await app.services.checkpoints.flush()
      await clock.passing(app.stop())
    }
  } finally {
    metrics.close()
    lock.release()
  }
}

/** Whether the store has merchants: it is not new. */
export async function hasMerchants({ services: { store } }: App): Promise<boolean> {
  return (await store.read(listMerchants('', 1))).length > 0
}
