import { createApp, type App } from '../service/src/app.ts'
import { noteFilesClosed } from '../service/src/app/database-files.ts'
import { chooseAdapters } from '../service/src/app/production-checks.ts'
import { readConfig } from '../service/src/ops/config/config.ts'
import { makeLog } from '../service/src/ops/logging/log.ts'
import { makeMetrics } from '../service/src/ops/metrics/metrics.ts'
import { makeSystemClock } from '../service/src/system-clock.ts'

import type { ServiceData } from './service-data.ts'
import { startService } from './spawn.ts'

export interface InProcessContext {
  /** The demo merchant. */
  readonly merchantId: string
  readonly signal: AbortSignal
}

/**
 * Runs the application in this process, without HTTP, on the data of a service that is stopped: what writes much data is several times as fast. The
 * first start of a service creates the data and the demo merchant.
 */
export async function withAppInProcess(
  serviceData: ServiceData,
  flags: readonly string[],
  work: (app: App, context: InProcessContext) => Promise<void>,
): Promise<void> {
  const { config } = readConfig([...serviceData.flags, ...flags], {})
  const first = await startService({ flags: serviceData.flags })
  const [merchantId = ''] = first.xAuth.split(':')
  await first.stop()
  const clock = makeSystemClock()
  const stopping = new AbortController()
  const metrics = makeMetrics(clock)
  const app = await createApp(config, chooseAdapters(config), {
    clock,
    log: makeLog('error', { write: (line) => void process.stderr.write(line) }, clock.now),
    metrics,
    stopping: stopping.signal,
    endNow: (_exit, _event, err) => {
      throw err
    },
  })
  try {
    await work(app, { merchantId, signal: stopping.signal })
  } finally {
    await app.stop()
    metrics.close()
    // As a stop of the service does. A start would read a million cards in full, for a minute on a busy machine.
    noteFilesClosed(config.dataFolder)
  }
}
