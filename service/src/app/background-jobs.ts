import type { Clock } from '../clock.ts'
import type { ClockGuard } from '../domain/clock-guard.ts'
import { makeKekRecovery } from '../domain/keys/kek-recovery.ts'
import { makeWorkPace, runWhileWorking } from '../domain/work-pace.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import type { Tracer } from '../ops/tracing/tracing.ts'

import { makeJobLog } from './job-log.ts'
import type { Resources } from './lifecycle.ts'
import type { ComposedServices } from './services.ts'
import type { WorkerRole } from './workers/worker-role.ts'

/** A periodic background job. */
export interface BackgroundJob {
  /** The log event with the count of one run. A run with count 0 is not logged. */
  readonly event: string
  /** Between the end of one run and the start of the next. */
  readonly everyMs: number
  /** Ends early when the signal is aborted; the next run continues. */
  readonly run: (stopping: AbortSignal) => Promise<number>
}

const seconds = 1000
const minutes = 60_000

// prettier-ignore
export function listBackgroundJobs(app: ComposedServices): BackgroundJob[] {
  const byTime = (run: BackgroundJob['run']): BackgroundJob['run'] => runWhileTrusted(app.clockGuard, run)
  // Of its own, since it times its batches: a summary costs more than the change of a row.
  const summaryPace = makeWorkPace({ clock: app.machineClock, waitingWrites: app.waitingWrites })
  return [
    { event: 'clock_compared',                everyMs: seconds,      run: uncounted(app.clockAdministration.runOnce) },
    { event: 'audit_followed',                everyMs: seconds,      run: uncounted(app.follower.runOnce) },
    { event: 'cards_shredded',                everyMs: minutes,      run: (stopping) => app.sweep.runOnce(stopping, app.pace) },
    { event: 'cards_resealed',                everyMs: 30 * seconds, run: (stopping) => runWhileWorking((until) => app.reseal.runOnce(until, app.pace), stopping) },
    { event: 'keys_renewed',                  everyMs: minutes,      run: byTime(() => app.keyring.renewExpiring()) },
    { event: 'keks_noted',                    everyMs: minutes,      run: uncounted(() => app.keks.update().then(app.keyAges.run)) },
    { event: 'kek_reached',                   everyMs: 10 * seconds, run: uncounted(makeKekRecovery(app)) },
    { event: 'ceremonies_ended',              everyMs: minutes / 4,  run: uncounted(async () => app.custody.progress()) },
    { event: 'known_answers_stored',          everyMs: minutes,      run: uncounted(app.knownAnswers.update) },
    { event: 'receipts_counted',              everyMs: 15 * seconds, run: uncounted(app.receiptGauges.refresh) },
    { event: 'receipts_summed_up',            everyMs: seconds,      run: uncounted((stopping) => app.dashboard.receiptSummaries.runOnce(stopping, summaryPace)) },
    { event: 'receipts_reconciled',           everyMs: seconds,      run: app.receiptWorker.begin },
    { event: 'events_delivered',              everyMs: seconds / 4,  run: app.webhooks.runOnce },
    { event: 'events_deleted',                everyMs: minutes,      run: byTime(app.webhooks.deleteOld) },
    { event: 'idempotency_records_deleted',   everyMs: minutes,      run: byTime(app.idempotency.deleteOld) },
    { event: 'form_sessions_deleted',         everyMs: minutes,      run: byTime(app.sessions.deleteOld) },
    { event: 'form_session_tokens_deleted',   everyMs: minutes,      run: byTime(app.hosted.deleteOld) },
    { event: 'disclosures_stored',            everyMs: 60 * minutes, run: uncounted(() => app.disclosures.store()) },
    { event: 'dashboard_sessions_deleted',    everyMs: minutes,      run: byTime(app.dashboard.sessions.deleteOld) },
    { event: 'sign_in_records_deleted',       everyMs: minutes,      run: byTime(app.dashboard.deleteOldSignIns) },
    { event: 'counters_updated',              everyMs: 2 * seconds,  run: uncounted(app.counters.runOnce) },
    { event: 'counters_deleted',              everyMs: minutes,      run: byTime(app.counters.deleteOld) },
    { event: 'findings_stored',               everyMs: 2 * seconds,  run: uncounted(() => app.findings.runOnce()) },
    { event: 'pages_read',                    everyMs: minutes / 2,  run: byTime(app.pageReadings.runOnce) },
    { event: 'requests_recorded',             everyMs: seconds,      run: uncounted(app.recorder.runOnce) },
    { event: 'audit_checkpoints_exported',    everyMs: seconds / 4,  run: uncounted(() => app.checkpoints.runOnce()) },
    { event: 'sms_deliveries_stored',         everyMs: 5 * seconds,  run: uncounted(app.smsReports.runOnce) },
    { event: 'sms_deliveries_checked',        everyMs: seconds,      run: uncounted(app.smsChecks.runOnce) },
    { event: 'sms_sends_deleted',             everyMs: minutes,      run: byTime(app.smsSends.deleteOld) },
    { event: 'former_requests_moved',         everyMs: minutes / 4,  run: app.moveFormerRequests },
    { event: 'requests_deleted',              everyMs: minutes,      run: byTime(app.recorder.deleteOld) },
  ]
}

/** The jobs of a worker that is not the first: what is in its own memory. Everything else the first one does for all. */
// prettier-ignore
export function listWorkerJobs(app: ComposedServices, { sendAuditHeads }: Pick<WorkerRole, 'sendAuditHeads'>): BackgroundJob[] {
  const followAudit = async (): Promise<void> => {
    app.store.setAuditKey(await app.keyring.active('audit'))
    sendAuditHeads(app.store.auditHeads())
  }
  return [
    { event: 'clock_compared',                everyMs: seconds,      run: uncounted(app.clockAdministration.runOnce) },
    { event: 'audit_followed',                everyMs: seconds,      run: uncounted(app.follower.runOnce) },
    { event: 'keks_noted',                    everyMs: minutes,      run: uncounted(app.keks.update) },
    { event: 'kek_reached',                   everyMs: 10 * seconds, run: uncounted(makeKekRecovery(app)) },
    { event: 'audit_heads_sent',              everyMs: seconds / 4,  run: uncounted(followAudit) },
    { event: 'counters_updated',              everyMs: 2 * seconds,  run: uncounted(app.counters.runOnce) },
    { event: 'findings_stored',               everyMs: 2 * seconds,  run: uncounted(() => app.findings.runOnce()) },
    { event: 'requests_recorded',             everyMs: seconds,      run: uncounted(app.recorder.runOnce) },
    { event: 'sms_deliveries_stored',         everyMs: 5 * seconds,  run: uncounted(app.smsReports.runOnce) },
    // Of the merchants whose calls it has recorded: those with few connections may have all of them here.
    { event: 'requests_deleted',              everyMs: minutes,      run: runWhileTrusted(app.clockGuard, app.recorder.deleteOld) },
  ]
}

/** A job that deletes what is older than a time: not while the clock is not trusted. */
function runWhileTrusted(guard: Pick<ClockGuard, 'isTrusted'>, run: BackgroundJob['run']): BackgroundJob['run'] {
  return (stopping) => (guard.isTrusted() ? run(stopping) : Promise.resolve(0))
}

/** A job whose runs are not logged. */
function uncounted(run: (stopping: AbortSignal) => Promise<unknown>): BackgroundJob['run'] {
  return (stopping) => run(stopping).then(() => 0)
}

/** Starts the jobs; `resources` stops them, and then writes down what was counted last. */
export function startBackgroundJobs(
  app: ComposedServices,
  { clock, log, metrics, resources, worker = null, tracing = null }: BackgroundDependencies,
): void {
  const { recorder, findings, counters, checkpoints } = app
  // After the others, which write their last entries.
  resources.add(app.clockAdministration.close)
  resources.add(() => (worker === null ? checkpoints.flush() : worker.sendAuditHeads(app.store.auditHeads())))
  resources.add(() => Promise.all([recorder.flush(), findings.runOnce(), counters.runOnce(AbortSignal.abort())]))
  resources.add(app.receiptWorker.stop)
  resources.add(app.webhooks.stop)
  for (const { event, everyMs, run } of worker === null ? listBackgroundJobs(app) : listWorkerJobs(app, worker)) {
    const jobLog = makeJobLog(event, { log, clock, metrics })
    const runLogged = async (stopping: AbortSignal): Promise<void> => {
      const count = await (tracing === null ? run(stopping) : tracing.job(event, () => run(stopping)))
      jobLog.succeeded()
      if (count > 0) log.info(event, { count })
    }
    resources.add(repeat({ clock, everyMs, run: runLogged, onError: jobLog.failed }).stop)
  }
}

export interface BackgroundDependencies {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<Metrics, 'countJobRun'>
  readonly resources: Resources
  /** Null or absent: the first worker, or the only one. */
  readonly worker?: WorkerRole | null
  readonly tracing?: Tracer | null
}

/** Runs a job periodically, never two runs at the same time. An error is reported, and the next run takes place. */
export function repeat({ clock, everyMs, run, onError }: RepeatOptions): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const ended = runUntilStopped()
  return Object.freeze({
    /** Resolves when the run in progress has ended. */
    stop() {
      stopping.abort()
      return ended
    },
  })

  async function runUntilStopped(): Promise<void> {
    while (await hasSlept()) await run(stopping.signal).catch(onError)
  }
  /** False if `stop` ended the sleep. */
  async function hasSlept(): Promise<boolean> {
    await clock.sleep(everyMs, stopping.signal).catch(() => undefined)
    return !stopping.signal.aborted
  }
}

export interface RepeatOptions {
  readonly clock: Clock
  readonly everyMs: number
  readonly run: (stopping: AbortSignal) => Promise<unknown>
  readonly onError: (err: unknown) => void
}
