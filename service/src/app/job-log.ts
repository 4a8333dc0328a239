import type { Clock } from '../clock.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'

/** What a background job counts of its runs, and writes to the log about its failures. */
export interface JobLog {
  failed(err: unknown): void
  succeeded(): void
}

export interface JobLogDependencies {
  readonly log: Pick<Log, 'info' | 'error'>
  readonly clock: Pick<Clock, 'moment'>
  readonly metrics: Pick<Metrics, 'countJobRun'>
}

/**
 * A job that runs four times a second fails four times a second while its database is away. Written are its first failure, one with another error, and one a
 * minute, each with how many were left out before it (`suppressed`); then that it works again, with the number of failures (`count`).
 */
export function makeJobLog(job: string, { log, clock, metrics }: JobLogDependencies): JobLog {
  let failures = 0
  let suppressed = 0
  let written = { error: '', at: -Infinity }
  return Object.freeze({
    failed(err: unknown) {
      metrics.countJobRun({ name: job, outcome: 'failed' })
      failures += 1
      const [error, at] = [String(err), clock.moment().monotonicMs]
      if (failures > 1 && error === written.error && at - written.at < repeatMs) {
        suppressed += 1
        return
      }
      log.error('job_failed', suppressed > 0 ? { job, err, suppressed } : { job, err })
      written = { error, at }
      suppressed = 0
    },
    succeeded() {
      metrics.countJobRun({ name: job, outcome: 'succeeded' })
      if (failures === 0) return
      log.info('job_recovered', { job, count: failures })
      failures = suppressed = 0
    },
  })
}

const repeatMs = 60_000
