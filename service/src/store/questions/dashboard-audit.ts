import { sql } from '../statement.ts'
import type { AuditEntry, DeedsAsk } from '../store.ts'
import type { Read } from '../unit.ts'
import { entryColumns, tellEntry } from './audit.ts'

// The words of the index `audit_people`, so that it is used.
const selectDeeds = sql`
  select ${entryColumns.join(', ')} from audit
  where merchant_id = $1 and substr(actor, 1, 8) <> 'merchant' and actor <> 'system' and (at, hash) < ($2, $3)
  order by at desc, hash desc limit $4`

/** What people did for a merchant, newest first, from behind `after`. */
export function listDeeds({ merchantId, after, count }: DeedsAsk): Read<AuditEntry[]> {
  const values = [merchantId, after?.at ?? Number.MAX_SAFE_INTEGER, Uint8Array.from(Buffer.from(after?.id ?? '', 'hex')), count]
  return { statement: selectDeeds, values, tell: (found) => found.map(tellEntry) }
}
