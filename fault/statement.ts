import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { askDatabase, type Home } from './home.ts'
import { dataFolderOf } from './inspect.ts'
import type { Movement } from './bill.ts'

/**
 * Every approved movement in the ledger of the sandbox's network, read from the database behind the service's back. The ledger is the network's
 * own memory: it stands in the same database, and in no unit with what the service keeps.
 */
export async function readStatement(home: Home): Promise<Movement[]> {
  return (await read(home, approved)).map(({ receipt_id: receiptId, ...row }) => ({
    receiptId: typeof receiptId === 'string' ? receiptId : null,
    kind: String(row['kind']),
    amountTiyin: Number(row['amount_tiyin']),
    networkRef: String(row['network_ref']),
  }))
}

/** How many receipts, and calls to the network and to merchants, have not come to rest. */
export function countUnsettled(home: Home): Promise<number> {
  return count(home, unsettled)
}

/** How many receipts the service will look at within a minute: what rests is looked at in hours, when a bill or a hold lapses, or never. */
export function countUnderWay(home: Home): Promise<number> {
  return count(home, `select count(*) as count from receipts where due_at < ${Date.now() + 60_000}`)
}

async function count(home: Home, text: string): Promise<number> {
  const [row] = await read(home, text)
  return Number(row?.['count'])
}

async function read(home: Home, text: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  if (home.databaseUrl !== null) return askDatabase(home.databaseUrl, text)
  const database = new DatabaseSync(join(dataFolderOf(home), 'tessera.db'), { readOnly: true })
  try {
    return database.prepare(text).all()
  } finally {
    database.close()
  }
}

const approved = `
  select operations.receipt_id, sandbox_ledger.kind, sandbox_ledger.amount_tiyin, sandbox_ledger.network_ref
  from sandbox_ledger left join operations on operations.request_id = sandbox_ledger.request_id
  where sandbox_ledger.outcome = 'approved'`

const unsettled = `
  select (select count(*) from operations where state in ('asked', 'unknown')) + (select count(*) from receipts where state not in (0, 4, 5, 50))
  as count`
