import { readInteger } from './columns.ts'
import { makeStatement } from './statement.ts'
import type { Read } from './transaction.ts'

/** What is stored of one kind: how many rows, since when, and how many of them are past their time. */
export interface StoredRows {
  readonly rows: number
  /** Unix milliseconds; null without rows. */
  readonly oldestAt: number | null
  readonly overdue: number
}

/** By kind: the table, when a row was made, and the column that is compared with a time for what is overdue; '' where nothing is ever deleted. */
// prettier-ignore
const kinds = {
  cardNumbers:       { from: "cards where key_id <> ''",        madeAt: 'created_at',    dueBy: '' },
  tombstones:        { from: "cards where key_id = ''",         madeAt: 'created_at',    dueBy: '' },
  idempotency:       { from: 'idempotency',                     madeAt: 'claimed_at',    dueBy: 'ends_at' },
  events:            { from: 'outbox',                          madeAt: 'at',            dueBy: 'at' },
  formSessions:      { from: 'form_sessions',                   madeAt: 'created_at',    dueBy: 'ends_at' },
  formCards:         { from: 'form_cards',                      madeAt: 'created_at',    dueBy: 'ends_at' },
  dashboardSessions: { from: 'dashboard_sessions',              madeAt: 'created_at',    dueBy: 'last_seen_at' },
  knownDevices:      { from: 'known_devices',                   madeAt: 'created_at',    dueBy: 'created_at' },
  signInAttempts:    { from: 'sign_in_attempts',                madeAt: 'ends_at',       dueBy: 'ends_at' },
  smsSends:          { from: 'sms_sends',                       madeAt: 'requested_at',  dueBy: 'requested_at' },
  sendLimits:        { from: 'send_limits',                     madeAt: 'made_at',       dueBy: '' },
  wrongCodes:        { from: 'day_tries',                       madeAt: 'ends_at',       dueBy: 'ends_at' },
  receipts:          { from: 'receipts',                        madeAt: 'created_at',    dueBy: '' },
  audit:             { from: 'audit',                           madeAt: 'at',            dueBy: '' },
  disclosures:       { from: 'disclosures',                     madeAt: 'first_used_at', dueBy: '' },
} as const satisfies Record<string, { from: string; madeAt: string; dueBy: string }>

export type StoredKind = keyof typeof kinds
export const storedKinds = Object.keys(kinds) as readonly StoredKind[]

const statements = new Map(
  storedKinds.map((kind) => {
    const { from, madeAt, dueBy } = kinds[kind]
    const overdue = dueBy === '' ? '0' : `coalesce(sum(case when ${dueBy} < $1 then 1 else 0 end), 0)`
    return [kind, makeStatement(`select count(*) as stored, min(${madeAt}) as oldest, ${overdue} as overdue from ${from}`)]
  }),
)

/** Whether rows of the kind are deleted by their age. */
export function isDeletedByAge(kind: StoredKind): boolean {
  return kinds[kind].dueBy !== ''
}

/** Reads every row of the kind. `before`: what is older is overdue. For a command, never for a call. */
export function countStored(kind: StoredKind, before: number): Read<StoredRows> {
  const statement = statements.get(kind)
  if (statement === undefined) throw new Error(`no statement for ${kind}`)
  return {
    statement,
    values: isDeletedByAge(kind) ? [before] : [],
    map: ([row]) => {
      if (row === undefined) throw new Error('a count returned no row')
      return {
        rows: readInteger(row, 'stored'),
        oldestAt: row['oldest'] === null ? null : readInteger(row, 'oldest'),
        overdue: Number(row['overdue']),
      }
    },
  }
}
