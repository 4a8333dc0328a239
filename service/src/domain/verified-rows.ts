import { RpcError } from '@tessera/contract/errors'
import type { Keyring } from '@tessera/vault/keyring'
import type { AuthenticatedTable, RowAuthenticator } from '@tessera/vault/rowmac'

import { whenDone, type Awaitable } from '../awaitable.ts'

import { type MaybeFreshTable, makeFreshRowAuthenticator, type RowFreshness } from './freshness/row-freshness.ts'

/**
 * Makes the MACs of a table's rows, and refuses rows that were not written by this service. `hasValidMac` alone raises no alarm: it is for reports that
 * list every such row.
 */
export interface VerifiedRows<Row> extends RowAuthenticator<Row> {
  /** Raises the alarm for a row with a wrong MAC. */
  isValid(row: Row, requestId?: string): Awaitable<boolean>
  /** Throws `internalError` with a `TamperedRowError` as its cause, after raising the alarm. */
  require(row: Row, requestId?: string): Awaitable<void>
}

/** `keys`: the members of the primary key, where the rows have them. */
export type VerifiedTable<Row> = AuthenticatedTable<Row> & MaybeFreshTable<Row> & { readonly keys?: readonly string[] }

export interface VerifiedRowDependencies {
  readonly keyring: Pick<Keyring, 'active' | 'byId'>
  readonly environment: string
  readonly alarm: TamperedRowAlarm
  /** Without it, an older row that was put back is accepted: for tests of single parts. */
  readonly freshness?: RowFreshness | undefined
}

/** Called for a row with a wrong MAC. Gets names and ids only. */
export type TamperedRowAlarm = (event: 'row_tampered', fields: TamperedRowFields) => void

export interface TamperedRowFields {
  readonly merchantId: string
  /** '' where the row is not about a card. */
  readonly cardId: string
  /** '' in background jobs. */
  readonly requestId: string
  readonly receiptId?: string
  readonly table?: string
  /** The values of the primary key, by which alarms are throttled; in no log. */
  readonly rowId?: string
}

/** What the alarm says of a row. */
interface RowIds {
  /** Of a merchant's own row. */
  readonly id?: string
  readonly merchantId?: string
  readonly cardId?: string
  readonly receiptId?: string
}

export function makeVerifiedRows<Row extends RowIds & { readonly mac: Uint8Array }>(
  deps: VerifiedRowDependencies,
  table: VerifiedTable<Row>,
): VerifiedRows<Row> {
  const { alarm } = deps
  const mac = makeFreshRowAuthenticator(deps, table)
  return Object.freeze({ ...mac, isValid, require: requireValid })

  function isValid(row: Row, requestId = ''): Awaitable<boolean> {
    return whenDone(mac.hasValidMac(row), (valid) => valid || raiseAlarm(row, requestId))
  }

  function raiseAlarm(row: Row, requestId: string): false {
    const { id = '', merchantId = id, cardId = '', receiptId } = row
    const ids = { merchantId, cardId, requestId, table: table.name, rowId: rowIdOf(table.keys, row) }
    alarm('row_tampered', receiptId === undefined ? ids : { ...ids, receiptId })
    return false
  }

  function requireValid(row: Row, requestId = ''): Awaitable<void> {
    return whenDone(isValid(row, requestId), (valid) => {
      if (!valid) refuse(requestId)
    })
  }

  function refuse(requestId: string): never {
    throw new RpcError('internalError', { data: requestId, cause: new TamperedRowError(`a row of ${table.name} has a wrong MAC`) })
  }
}

function rowIdOf(keys: readonly string[] = ['cardId'], row: object): string {
  const values = new Map<string, unknown>(Object.entries(row))
  return keys
    .map((key) => values.get(key))
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)))
    .join(' ')
}

/** A row whose MAC does not match its content: it was changed or inserted without the keys. */
export class TamperedRowError extends Error {
  override readonly name = 'RowTampered'
}

/** The rows that this service wrote. The alarm is raised for the others, which do not hide them. */
export async function keepValid<Row>(rows: Pick<VerifiedRows<Row>, 'isValid'>, found: readonly Row[]): Promise<Row[]> {
  const valid = await Promise.all(found.map(async (row) => rows.isValid(row)))
  return found.filter((_row, at) => valid[at] === true)
}

/** Whether an error was thrown because of a row with a wrong MAC, for which the alarm was raised. */
export function isTamperedRow(err: unknown): boolean {
  return err instanceof TamperedRowError || (err instanceof RpcError && err.cause instanceof TamperedRowError)
}
