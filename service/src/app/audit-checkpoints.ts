import { join } from 'node:path'

import type { CheckpointDestination } from '../adapters/checkpoints/checkpoint-destination.ts'
import { makeCheckpointFile } from '../adapters/checkpoints/file.ts'
import { makeCheckpointHttp } from '../adapters/checkpoints/http.ts'
import { makeCheckpointSyslog } from '../adapters/checkpoints/syslog.ts'
import type { Clock } from '../clock.ts'
import { type CheckpointExporter, makeCheckpointExporter } from '../ops/audit/checkpoint-exporter.ts'
import type { CheckpointReports } from '../ops/audit/destination-queue.ts'
import type { Config } from '../ops/config/config.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import { insertAuditEntry } from '../store/audit.ts'
import type { Store } from '../store/store.ts'

import { adapterDependencies } from './adapter-dependencies.ts'
import { checkpointFileName } from './data-folder.ts'
import type { Storage } from './storage.ts'

interface AuditCheckpointDependencies extends Pick<Storage, 'store' | 'keyring'> {
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Metrics
}

/** Exports the checkpoints of the audit to the destinations of the settings. */
export function createAuditCheckpoints(config: Config, deps: AuditCheckpointDependencies): CheckpointExporter {
  const { store, keyring, clock, metrics } = deps
  const { environment, auditCheckpointEntries: entries, auditCheckpointSeconds } = config
  const exporter = makeCheckpointExporter({
    store,
    keyring,
    clock,
    environment,
    destinations: listCheckpointDestinations(config, deps),
    settings: { entries, everyMs: auditCheckpointSeconds * 1000 },
    reports: checkpointReports(deps),
  })
  metrics.registerGauge({
    name: 'tessera_audit_checkpoints_waiting',
    help: 'Checkpoints of the audit that wait for a destination.',
    read: exporter.waitingCount,
  })
  return exporter
}

/** Where the settings export checkpoints to. */
export function listCheckpointDestinations(
  config: Config,
  { clock, log }: Pick<AuditCheckpointDependencies, 'clock' | 'log'>,
): CheckpointDestination[] {
  const { auditCheckpointFile, auditCheckpointSyslog, auditCheckpointUrl, dataFolder } = config
  const { http } = adapterDependencies(config, { clock, log }, postTimeoutMs)
  return [
    makeCheckpointFile(auditCheckpointFile ?? join(dataFolder, checkpointFileName)),
    ...(auditCheckpointSyslog === null ? [] : [makeCheckpointSyslog(new URL(auditCheckpointSyslog), clock.now)]),
    ...(auditCheckpointUrl === null ? [] : [makeCheckpointHttp(new URL(auditCheckpointUrl), http)]),
  ]
}

function checkpointReports({ store, clock, log, metrics }: AuditCheckpointDependencies): CheckpointReports {
  return {
    onSent: (destination) => metrics.countCheckpoint({ destination, outcome: 'sent' }),
    onFailed(destination, { err, isFirst }) {
      metrics.countCheckpoint({ destination, outcome: 'failed' })
      if (isFirst) log.error('audit_checkpoint_failed', { destination, err })
    },
    onRecovered: (destination, attempt) => log.info('audit_checkpoint_recovered', { destination, attempt }),
    async onFault({ chain, seq, fault }) {
      metrics.countAuditFault({ fault })
      log.error('audit_chain_broken', { chain, seq, fault })
      await writeFaultEntry(store, clock, `${chain} ${seq}`, fault).catch((err: unknown) =>
        log.error('job_failed', { job: 'audit_checkpoints_exported', err }),
      )
    },
    onError: (err) => log.error('job_failed', { job: 'audit_checkpoints_exported', err }),
  }
}

/** The alarm is an entry of the audit itself, and so part of the next checkpoint. */
function writeFaultEntry(store: Pick<Store, 'write'>, clock: Pick<Clock, 'now'>, subject: string, outcome: string): Promise<void> {
  const entry = { at: clock.now(), actor: 'system', action: 'audit.fault_found', merchantId: '', version: 0, mac: new Uint8Array(0) }
  return store.write(insertAuditEntry, { audit: { ...entry, subject, requestId: '', outcome } })
}

const postTimeoutMs = 5000
