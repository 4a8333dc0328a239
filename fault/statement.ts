import { selectRows, type ServiceData } from './service-data.ts'
import type { LedgerMovement } from './receipt-record.ts'

/**
 * Every approved movement in the ledger of the sandbox network, read directly from the database. The ledger belongs to the network: it is in the
 * same database, and never in one transaction with what the service stores.
 */
export async function readStatement(serviceData: ServiceData): Promise<LedgerMovement[]> {
  return (await selectRows(serviceData, approved)).map(({ receipt_id: receiptId, ...row }) => ({
    receiptId: typeof receiptId === 'string' ? receiptId : null,
    kind: String(row['kind']),
    amountTiyin: Number(row['amount_tiyin']),
    networkRef: String(row['network_ref']),
  }))
}

/** How many receipts, and operations at the network and at merchants, are not final. */
export function countUnreconciled(serviceData: ServiceData): Promise<number> {
  return count(serviceData, unreconciled)
}

/** How many receipts the service will process within a minute. The others are due in hours, when a receipt or a hold expires, or never. */
export function countInProgress(serviceData: ServiceData): Promise<number> {
  return count(serviceData, `select count(*) as count from receipts where due_at < ${Date.now() + 60_000}`)
}

/** How many cards are stored, in any state. */
export function countCards(serviceData: ServiceData): Promise<number> {
  return count(serviceData, 'select count(*) as count from cards')
}

/** How many cards were removed by their merchants. */
export function countRemovedCards(serviceData: ServiceData): Promise<number> {
  return count(serviceData, `select count(*) as count from cards where state = 'removed'`)
}

/** How many codes were sent by a network or a gateway, and stored as sent. */
export function countSentCodes(serviceData: ServiceData): Promise<number> {
  return count(serviceData, `select count(*) as count from audit where action = 'code.dispatched' and outcome = 'sent'`)
}

/** How many cards and receipts are stored, in any state. */
export function countObjects(serviceData: ServiceData): Promise<number> {
  return count(serviceData, 'select (select count(*) from cards) + (select count(*) from receipts) as count')
}

async function count(serviceData: ServiceData, text: string): Promise<number> {
  const [row] = await selectRows(serviceData, text)
  return Number(row?.['count'])
}

const approved = `
  select operations.receipt_id, sandbox_ledger.kind, sandbox_ledger.amount_tiyin, sandbox_ledger.network_ref
  from sandbox_ledger left join operations on operations.request_id = sandbox_ledger.request_id
  where sandbox_ledger.outcome = 'approved'`

const unreconciled = `
  select (select count(*) from operations where state in ('asked', 'unknown')) + (select count(*) from receipts where state not in (0, 4, 5, 50))
  as count`
