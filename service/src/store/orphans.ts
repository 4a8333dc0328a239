import { makeStatement, type Value } from './statement.ts'
import type { Read } from './transaction.ts'

// Rows whose parent is missing. The database has no foreign keys: a parent and its children are written, and deleted, in one transaction.

/** Rows of `child` belong to the row of `parent` with the same values; `when` says which of them do. */
export interface ParentRelation {
  readonly child: string
  readonly parent: string
  /** Columns of the child, and those of the parent that they are equal to. */
  readonly columns: readonly (readonly [child: string, parent: string])[]
  /** The columns that name a child in a finding. */
  readonly key: readonly string[]
  readonly when?: string
}

const inBucket = ['bucket', 'bucket'] as const
const ofCard = [inBucket, ['card_id', 'card_id']] as const
const ofReceipt = [inBucket, ['receipt_id', 'receipt_id']] as const
const ofEvent = [inBucket, ['event_id', 'event_id']] as const
const ofMerchant = [['merchant_id', 'id']] as const
const ofUser = [['user_id', 'user_id']] as const

// prettier-ignore
export const parentRelations: readonly ParentRelation[] = [
  { child: 'cards',                    parent: 'merchants',       columns: ofMerchant, key: ['card_id'] },
  { child: 'verifications',            parent: 'cards',           columns: ofCard,     key: ['card_id'] },
  { child: 'receipts',                 parent: 'merchants',       columns: ofMerchant, key: ['receipt_id'] },
  { child: 'receipts',                 parent: 'cards',           columns: ofCard,     key: ['receipt_id'], when: `child.card_id <> ''` },
  { child: 'operations',               parent: 'receipts',        columns: ofReceipt,  key: ['receipt_id', 'request_id'] },
  { child: 'card_locks',               parent: 'receipts',        columns: ofReceipt,  key: ['card_id'] },
  { child: 'deliveries',               parent: 'outbox',          columns: ofEvent,    key: ['endpoint_id', 'event_id'] },
  { child: 'delivery_attempts',        parent: 'outbox',          columns: ofEvent,    key: ['endpoint_id', 'event_id'] },
  { child: 'webhook_endpoints',        parent: 'merchants',       columns: ofMerchant, key: ['endpoint_id'] },
  { child: 'form_sessions',            parent: 'merchants',       columns: ofMerchant, key: ['session_id'] },
  { child: 'dashboard_users',          parent: 'merchants',       columns: ofMerchant, key: ['user_id'] },
  { child: 'dashboard_sessions',       parent: 'dashboard_users', columns: ofUser,     key: ['session_id'] },
  { child: 'dashboard_passkeys',       parent: 'dashboard_users', columns: ofUser,     key: ['passkey_id'] },
  { child: 'dashboard_recovery_codes', parent: 'dashboard_users', columns: ofUser,     key: ['user_id', 'number'] },
  { child: 'known_devices',            parent: 'dashboard_users', columns: ofUser,     key: ['device_id'] },
]

export interface Orphan {
  readonly id: string
  readonly merchantId: string
}

/** Children without their parent, `count` at most. */
export function listOrphans({ child, parent, columns, key, when }: ParentRelation, count: number): Read<Orphan[]> {
  const isSame = columns.map(([own, its]) => `parent.${its} = child.${own}`).join(' and ')
  const condition = when === undefined ? '' : `${when} and`
  const merchant = child === 'delivery_attempts' ? `''` : 'child.merchant_id'
  const named = key.map((column) => `child.${column}`).join(', ')
  const statement = makeStatement(
    `select ${named}, ${merchant} as merchant_id from ${child} as child where ${condition} not exists (select 1 from ${parent} as parent where ${isSame}) limit ${count}`,
  )
  const text = (value: Value | undefined): string => String(value ?? '')
  return {
    statement,
    values: [],
    map: (rows) => rows.map((row) => ({ id: key.map((column) => text(row[column])).join(' '), merchantId: text(row['merchant_id']) })),
  }
}
