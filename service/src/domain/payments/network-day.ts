import { readRow } from '../../store/row-pages.ts'
import { insertAuditEntry } from '../../store/audit.ts'
import {
  listNetworkOperations,
  listOperations,
  operationsTable,
  type NetworkOperationKey,
  type OperationRow,
} from '../../store/operations.ts'
import { findReceiptById } from '../../store/receipts.ts'
import type { AuditActor } from '../request-context.ts'

import { type PaymentDependencies, type PaymentServices, withRowMacs } from './dependencies.ts'
import { findAuthorization } from './network-operations.ts'

/** The operations at one card network, for the comparison with the network's daily file. */
export interface NetworkDay {
  /** Null: no such network is in the settings. */
  list(query: NetworkDayQuery): Promise<NetworkDayPage | null>
  /** Writes the audit entry of a comparison. */
  record(reconciliation: Reconciliation, by: AuditActor): Promise<void>
}

export interface NetworkDayQuery {
  readonly network: string
  /** Operations in progress from here, Unix milliseconds, up to `to`. */
  readonly from: number
  readonly to: number
  readonly after: NetworkOperationKey | null
  readonly count: number
}

export interface NetworkDayPage {
  readonly operations: readonly NetworkDayOperation[]
  /** Rows that cannot be read: of whatever network. */
  readonly unreadable: number
  /** Null on the last page. */
  readonly next: NetworkOperationKey | null
}

export interface NetworkDayOperation {
  readonly operation: OperationRow
  readonly hasValidMac: boolean
  /** The debit or hold that it follows; null for these. */
  readonly authorization: OperationRow | null
}

/** A daily file that was compared. */
export interface Reconciliation {
  readonly network: string
  readonly date: string
  /** By kind: lines, operations, matched, and each kind of difference. */
  readonly counts: Readonly<Record<string, number>>
}

export function createNetworkDay(dependencies: PaymentDependencies): NetworkDay {
  const { store, clock, networks } = dependencies
  const services: PaymentServices = withRowMacs(dependencies)
  return Object.freeze({ list, record })

  async function list({ network, count, ...range }: NetworkDayQuery): Promise<NetworkDayPage | null> {
    if (networks.findByName(network) === null) return null
    const rows = await store.scan(
      listNetworkOperations({ ...range, count }, (row) => ({ row: readRow(operationsTable, row), key: keyOf(row) })),
    )
    const operations: NetworkDayOperation[] = []
    for (const { row } of rows) {
      if ('brokenAt' in row) continue
      const authorization = isAuthorization(row) ? row : await authorizationOf(row)
      if ((await networkOf(authorization ?? row)) !== network) continue
      const hasValidMac = await services.operationRows.isValid(row)
      operations.push({ operation: row, hasValidMac, authorization: authorization === row ? null : authorization })
    }
    const unreadable = rows.filter(({ row }) => 'brokenAt' in row).length
    return { operations, unreadable, next: rows.length < count ? null : (rows.at(-1)?.key ?? null) }
  }

  /** A payment that was resolved as not paid has declined ones only: then the last of them. */
  async function authorizationOf(followUp: OperationRow): Promise<OperationRow | null> {
    const operations = await store.read(listOperations(followUp))
    return findAuthorization(operations) ?? operations.findLast(isAuthorization) ?? null
  }

  /** Rows from before there were several networks have no name: their network is found by the card's prefix. */
  async function networkOf({ network, bucket, receiptId }: OperationRow): Promise<string | null> {
    if (network !== '') return network
    const receipt = await store.read(findReceiptById(bucket, receiptId))
    return receipt === null || 'brokenAt' in receipt ? null : (networks.findByCard(receipt.maskedPan)?.name ?? null)
  }

  async function record({ network, date, counts }: Reconciliation, { actor, requestId, address }: AuditActor): Promise<void> {
    const subject = `${network} ${date}`
    const changes = Object.entries(counts).map(([name, count]) => ({ name, from: null, to: String(count) }))
    const entry = {
      at: clock.now(),
      actor,
      action: 'receipts.reconciled',
      merchantId: '',
      subject,
      version: 0,
      mac: new Uint8Array(0),
    } as const
    await store.write(insertAuditEntry, { audit: { ...entry, requestId, address, outcome: 'done', changes } })
  }
}

function isAuthorization({ kind }: OperationRow): boolean {
  return kind === 'authorise' || kind === 'hold'
}

function keyOf(row: Readonly<Record<string, unknown>>): NetworkOperationKey {
  return { bucket: Number(row['bucket']), receiptId: String(row['receipt_id']), requestId: String(row['request_id']) }
}
