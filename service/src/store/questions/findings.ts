import { integer, quote, quoted, text, word } from '../column.ts'
import { places, sql } from '../statement.ts'
import type { ComplianceOf, FindingRow } from '../store.ts'
import { rows } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'

const columns = 'bucket, merchant_id, kind, seen_by, count, first_at, last_at, method, origin, request_id'

// Of two processes that tell of the same kind the later moment stays, and the counts of both.
const upsertRow = sql`
  insert into findings (${columns}) values (${places(10)})
  on conflict (bucket, merchant_id, kind, seen_by) do update set
    count = findings.count + excluded.count,
    method = case when excluded.last_at >= findings.last_at then excluded.method else findings.method end,
    origin = case when excluded.last_at >= findings.last_at then excluded.origin else findings.origin end,
    request_id = case when excluded.last_at >= findings.last_at then excluded.request_id else findings.request_id end,
    last_at = case when excluded.last_at >= findings.last_at then excluded.last_at else findings.last_at end`

export function* addFindings({ findings }: { readonly findings: readonly FindingRow[] }): Unit<void> {
  for (const { bucket, merchantId, kind, seenBy, count, firstAt, lastAt, method, origin, requestId } of findings) {
    yield* rows(upsertRow, [bucket, merchantId, kind, seenBy, count, firstAt, lastAt, method, quote(origin), requestId])
  }
}

const selectRows = sql`
  select ${columns} from findings where bucket = $1 and merchant_id = $2 order by last_at desc, kind, seen_by`

export function listFindings({ bucket, merchantId }: ComplianceOf): Read<FindingRow[]> {
  return {
    statement: selectRows,
    values: [bucket, merchantId],
    tell: (found) =>
      found.map((row) => ({
        ...{ bucket, merchantId, kind: text(row, 'kind'), seenBy: word(row, 'seen_by', ['server', 'browser']) },
        ...{ count: integer(row, 'count'), firstAt: integer(row, 'first_at'), lastAt: integer(row, 'last_at') },
        ...{ method: text(row, 'method'), origin: quoted(row, 'origin'), requestId: text(row, 'request_id') },
      })),
  }
}
