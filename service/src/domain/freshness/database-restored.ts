import type { AuditHead } from '../../store/audit.ts'

/**
 * The audit of the database does not have an entry that this service recorded outside of the database: an older database was put back, or entries were
 * deleted. The message says what to do, for the person who starts the service.
 */
export class DatabaseRestored extends Error {
  override readonly name = 'DatabaseRestored'
  readonly code = 'database_restored'

  constructor({ chain, seq }: Pick<AuditHead, 'chain' | 'seq'>) {
    super(
      `database_restored: this database is older than what the service recorded about it: entry ${String(seq)} of the audit chain ${chain} is ` +
        'missing or another one. If you restored a backup on purpose, what was changed after the backup is lost: removed cards work again and payments ' +
        'may be missing. Check them with the network, then run `tessera audit accept-restored` and start again. ' +
        'If you did not restore a backup, somebody changed the database: keep a copy of it, and put the newest one back.',
    )
  }
}
