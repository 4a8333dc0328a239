import { integer, text, word } from '../column.ts'
import { sql } from '../statement.ts'
import type { Row } from '../statement.ts'
import type { LedgerRow } from '../store.ts'
import { one } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'
import { movementKinds } from './operations.ts'

const columns = 'request_id, kind, merchant_id, amount_tiyin, network_ref, outcome, reason, at'

const insertRow = sql`
  insert into sandbox_ledger (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (request_id) do nothing
  returning request_id`

/** Writes a movement down once; false when its requestId is there already, which then stays as it is. */
export function* appendLedger(row: LedgerRow): Unit<boolean> {
  const values = [row.requestId, row.kind, row.merchantId, row.amountTiyin, row.networkRef, row.outcome, row.reason, row.at]
  return (yield* one(insertRow, values)) !== null
}

const selectOne = sql`select ${columns} from sandbox_ledger where request_id = $1`

export function findLedger(requestId: string): Read<LedgerRow | null> {
  return { statement: selectOne, values: [requestId], tell: ([row]) => (row === undefined ? null : tellLedger(row)) }
}

const selectOfRef = sql`select ${columns} from sandbox_ledger where network_ref = $1 order by at, request_id`

/** What moved under one authorisation, oldest first. */
export function listLedger(networkRef: string): Read<LedgerRow[]> {
  return { statement: selectOfRef, values: [networkRef], tell: (found) => found.map(tellLedger) }
}

function tellLedger(row: Row): LedgerRow {
  return {
    requestId: text(row, 'request_id'),
    kind: word(row, 'kind', movementKinds),
    merchantId: text(row, 'merchant_id'),
    amountTiyin: integer(row, 'amount_tiyin'),
    networkRef: text(row, 'network_ref'),
    outcome: word(row, 'outcome', ['approved', 'declined']),
    reason: text(row, 'reason'),
    at: integer(row, 'at'),
  }
}
