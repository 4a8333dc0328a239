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

/** Of counters, whose column counts hours since 1970. */
const hourMs = 'cast(hour as bigint) * 3600000'

/**
 * By kind, every table of the schema: its rows, when a row was made ('null' where no column says), and the column that is compared with a time for what is
 * overdue; '' where nothing is deleted by its age. A new table needs an entry, and a rule in ops/cli/retention.ts.
 */
// prettier-ignore
const kinds = {
  cardNumbers:       { from: "cards where key_id <> ''",        madeAt: 'created_at',    dueBy: '' },
  tombstones:        { from: "cards where key_id = ''",         madeAt: 'created_at',    dueBy: '' },
  cardLocks:         { from: 'card_locks',                      madeAt: 'null',          dueBy: '' },
  verifications:     { from: 'verifications',                   madeAt: 'asked_wall',    dueBy: 'asked_wall' },
  wrongCodes:        { from: 'day_tries',                       madeAt: 'ends_at',       dueBy: 'ends_at' },
  sendLimits:        { from: 'send_limits',                     madeAt: 'made_at',       dueBy: 'made_at' },
  smsSends:          { from: 'sms_sends',                       madeAt: 'requested_at',  dueBy: 'requested_at' },
  formSessions:      { from: 'form_sessions',                   madeAt: 'created_at',    dueBy: 'ends_at' },
  formCards:         { from: 'form_cards',                      madeAt: 'created_at',    dueBy: 'ends_at' },
  disclosures:       { from: 'disclosures',                     madeAt: 'first_used_at', dueBy: '' },
  receipts:          { from: 'receipts',                        madeAt: 'created_at',    dueBy: '' },
  operations:        { from: 'operations',                      madeAt: 'asked_at',      dueBy: '' },
  receiptSummaries:  { from: 'receipt_summaries',               madeAt: 'created_at',    dueBy: '' },
  receiptOrders:     { from: 'receipt_orders',                  madeAt: 'created_at',    dueBy: '' },
  summaryPositions:  { from: 'summary_positions',               madeAt: 'null',          dueBy: '' },
  summaryLease:      { from: 'summary_lease',                   madeAt: 'null',          dueBy: '' },
  traceNumbers:      { from: 'trace_numbers',                   madeAt: 'null',          dueBy: '' },
  idempotency:       { from: 'idempotency',                     madeAt: 'claimed_at',    dueBy: 'ends_at' },
  events:            { from: 'outbox',                          madeAt: 'at',            dueBy: 'at' },
  deliveries:        { from: 'deliveries',                      madeAt: 'made_at',       dueBy: '' },
  deliveryAttempts:  { from: 'delivery_attempts',               madeAt: 'at',            dueBy: '' },
  webhookEndpoints:  { from: 'webhook_endpoints',               madeAt: 'created_at',    dueBy: '' },
  dashboardUsers:    { from: 'dashboard_users',                 madeAt: 'created_at',    dueBy: '' },
  passkeys:          { from: 'dashboard_passkeys',              madeAt: 'created_at',    dueBy: '' },
  recoveryCodes:     { from: 'dashboard_recovery_codes',        madeAt: 'created_at',    dueBy: '' },
  dashboardSessions: { from: 'dashboard_sessions',              madeAt: 'created_at',    dueBy: 'last_seen_at' },
  knownDevices:      { from: 'known_devices',                   madeAt: 'created_at',    dueBy: 'created_at' },
  signInAttempts:    { from: 'sign_in_attempts',                madeAt: 'ends_at',       dueBy: 'ends_at' },
  merchants:         { from: 'merchants',                       madeAt: 'created_at',    dueBy: '' },
  merchantLogos:     { from: 'merchant_logos',                  madeAt: 'stored_at',     dueBy: '' },
  merchantPacks:     { from: 'merchant_packs',                  madeAt: 'published_at',  dueBy: '' },
  credentialUses:    { from: 'credential_uses',                 madeAt: 'last_used_at',  dueBy: '' },
  findings:          { from: 'findings',                        madeAt: 'first_at',      dueBy: '' },
  pageChecks:        { from: 'page_checks',                     madeAt: 'checked_at',    dueBy: '' },
  pageScripts:       { from: 'page_scripts',                    madeAt: 'first_at',      dueBy: '' },
  pageWatches:       { from: 'page_watches',                    madeAt: 'null',          dueBy: '' },
  tallies:           { from: 'tallies where hour > 0',          madeAt: hourMs,          dueBy: hourMs },
  totals:            { from: 'tallies where hour = 0',          madeAt: 'null',          dueBy: '' },
  tallyPlaces:       { from: 'tally_places',                    madeAt: 'null',          dueBy: '' },
  formerRequests:    { from: 'request_log',                     madeAt: 'at',            dueBy: '' },
  requests:          { from: 'request_segments',                madeAt: 'first_at',      dueBy: 'last_at', isOnPostgresOnly: true },
  audit:             { from: 'audit',                           madeAt: 'at',            dueBy: '' },
  keks:              { from: 'keks',                            madeAt: 'since',         dueBy: '' },
  kekProcesses:      { from: 'kek_processes',                   madeAt: 'noted_at',      dueBy: '' },
  knownAnswers:      { from: 'known_answers',                   madeAt: 'null',          dueBy: '' },
  migrations:        { from: 'migrations',                      madeAt: 'null',          dueBy: '' },
  primaryEpoch:      { from: 'primary_epoch',                   madeAt: 'null',          dueBy: '', isOnPostgresOnly: true },
  sandboxLedger:     { from: 'sandbox_ledger',                  madeAt: 'at',            dueBy: '' },
  sandboxSteps:      { from: 'sandbox_steps',                   madeAt: 'null',          dueBy: '' },
  smsInbox:          { from: 'sms_inbox',                       madeAt: 'at',            dueBy: '' },
} as const satisfies Record<string, { from: string; madeAt: string; dueBy: string; isOnPostgresOnly?: true }>

export type StoredKind = keyof typeof kinds
const storedKinds = Object.keys(kinds) as readonly StoredKind[]

/** The kinds of a database: on SQLite, the request log is a file of its own. */
export function listStoredKinds(database: 'sqlite' | 'postgres'): readonly StoredKind[] {
  return storedKinds.filter((kind) => database === 'postgres' || !('isOnPostgresOnly' in kinds[kind]))
}

/** The table of a kind. */
export function tableOfKind(kind: StoredKind): string {
  return kinds[kind].from.split(' ')[0] ?? ''
}

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
