import type { Setting } from './values.ts'

/** Where and how often signed checkpoints of the audit are exported. */
export const auditSettings = [
  {
    name: 'auditCheckpointEntries',
    env: 'TESSERA_AUDIT_CHECKPOINT_ENTRIES',
    flag: '--audit-checkpoint-entries',
    type: 'integer',
    from: 1,
    to: 1_000_000,
    default: 1000,
    meaning: 'A signed checkpoint of the audit is exported after this many entries, or after auditCheckpointSeconds.',
    source: 'what was written since the last checkpoint before a restart can be cut off unnoticed',
  },
  {
    name: 'auditCheckpointSeconds',
    env: 'TESSERA_AUDIT_CHECKPOINT_SECONDS',
    flag: '--audit-checkpoint-seconds',
    type: 'integer',
    from: 1,
    to: 3600,
    default: 10,
    meaning: 'A signed checkpoint of the audit is exported this long after the last one, when there are new entries.',
    source: 'one line of 400 bytes: 3.5 MB a day on a busy service',
  },
  {
    name: 'auditCheckpointFile',
    env: 'TESSERA_AUDIT_CHECKPOINT_FILE',
    flag: '--audit-checkpoint-file',
    type: 'path',
    default: null,
    meaning:
      'File to which checkpoints are appended, a line each; by default audit-checkpoints.jsonl in dataFolder. A person who can write the database must not be able to write it.',
  },
  {
    name: 'auditCheckpointSyslog',
    env: 'TESSERA_AUDIT_CHECKPOINT_SYSLOG',
    flag: '--audit-checkpoint-syslog',
    type: 'syslogUrl',
    default: null,
    meaning: 'Syslog server that gets checkpoints (RFC 5424): udp://host:514 or tcp://host:601.',
  },
  {
    name: 'auditCheckpointUrl',
    env: 'TESSERA_AUDIT_CHECKPOINT_URL',
    flag: '--audit-checkpoint-url',
    type: 'httpUrl',
    default: null,
    meaning: 'URL to which each checkpoint is posted as JSON. A reply of the 2xx class means that it was stored.',
    secret: true,
  },
] as const satisfies readonly Setting[]
