import type { AuditEntry } from './audit.ts'
import { sql } from './statement.ts'
import { readText, text, timestamp } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { type Read, type TimeCursor, type Transaction, run, writeAudit, execute } from './transaction.ts'

// Data of the sandbox adapters: the scenario steps that a merchant set, and the SMS that would have been sent. Empty in production.

export interface SetScenarioStep {
  readonly merchantId: string
  readonly scenario: string
  readonly step: string
  readonly audit?: AuditEntry
}

const upsertStep = sql`
  insert into sandbox_steps (merchant_id, scenario, step) values ($1, $2, $3)
  on conflict (merchant_id, scenario) do update set step = excluded.step`

export function* setScenarioStep({ merchantId, scenario, step, audit }: SetScenarioStep): Transaction<void> {
  yield* run(upsertStep, [merchantId, scenario, step])
  if (audit !== undefined) yield* writeAudit(audit)
}

const deleteSteps = sql`delete from sandbox_steps where merchant_id = $1`

/** Resets every scenario of a merchant to its default step. */
export function* deleteScenarioSteps({
  merchantId,
  audit,
}: {
  readonly merchantId: string
  readonly audit: AuditEntry
}): Transaction<void> {
  yield* run(deleteSteps, [merchantId])
  yield* writeAudit(audit)
}

const selectStep = sql`select step from sandbox_steps where merchant_id = $1 and scenario = $2`

export function findScenarioStep(merchantId: string, scenario: string): Read<string | null> {
  return { statement: selectStep, values: [merchantId, scenario], map: ([row]) => (row === undefined ? null : readText(row, 'step')) }
}

const selectTwoSteps = sql`select scenario, step from sandbox_steps where merchant_id = $1 and scenario in ($2, $3)`

/** The steps of two scenarios, each null when it is not set. */
export function findTwoScenarioSteps(
  merchantId: string,
  scenarios: readonly [string, string],
): Read<readonly [string | null, string | null]> {
  return {
    statement: selectTwoSteps,
    values: [merchantId, ...scenarios],
    map(rows) {
      const stepOf = (scenario: string): string | null => {
        const found = rows.find((row) => readText(row, 'scenario') === scenario)
        return found === undefined ? null : readText(found, 'step')
      }
      return [stepOf(scenarios[0]), stepOf(scenarios[1])]
    },
  }
}

const selectSteps = sql`select scenario, step from sandbox_steps where merchant_id = $1 order by scenario`

export function listScenarioSteps(merchantId: string): Read<{ scenario: string; step: string }[]> {
  return {
    statement: selectSteps,
    values: [merchantId],
    map: (rows) => rows.map((row) => ({ scenario: readText(row, 'scenario'), step: readText(row, 'step') })),
  }
}

const selectStepsOfScenario = sql`select merchant_id, step from sandbox_steps where scenario = $1 order by merchant_id limit $2`

/** The merchants that set a step of this scenario, in the order of their ids. */
export function listStepsOfScenario(scenario: string, count: number): Read<{ merchantId: string; step: string }[]> {
  return {
    statement: selectStepsOfScenario,
    values: [scenario, count],
    map: (rows) => rows.map((row) => ({ merchantId: readText(row, 'merchant_id'), step: readText(row, 'step') })),
  }
}

// prettier-ignore
export const smsInboxTable = table('sms_inbox', {
  merchantId: text().key(),
  id:         text().key(),
  at:         timestamp(),
  phoneMask:  text(),
  text:       text(),
}, 'test environment only')

/** An SMS of the sandbox. */
export type InboxRow = RowOf<typeof smsInboxTable>

const deleteOldSms = sql`
  delete from sms_inbox where merchant_id = $1 and id in
    (select id from sms_inbox where merchant_id = $1 order by at desc, id desc limit 1000 offset $2)`

/**
 * Stores an SMS of the sandbox. One in 32, by its random id, deletes all but the merchant's newest thousand: walking over a thousand rows took
 * 305 of the 913 µs that PostgreSQL spent on `cards.get_verify_code`.
 */
export function* insertInboxSms(sms: InboxRow): Transaction<void> {
  yield* execute(smsInboxTable.insertStatement, smsInboxTable.toValues(sms))
  if (Number.parseInt(sms.id.slice(-2), 16) % 32 === 0) yield* execute(deleteOldSms, [sms.merchantId, keptInboxSms])
}

const keptInboxSms = 1000

const selectInbox = sql`select id, at, merchant_id, phone_mask, text from sms_inbox order by at desc, id desc limit $1`

/** Newest first. */
export function listInbox(count: number): Read<InboxRow[]> {
  return { statement: selectInbox, values: [count], map: (rows) => rows.map(smsInboxTable.fromRow) }
}

export interface InboxQuery {
  readonly merchantId: string
  readonly after: TimeCursor | null
  readonly count: number
}

const selectMerchantInbox = sql`
  select id, at, merchant_id, phone_mask, text from sms_inbox where merchant_id = $1 and (at, id) < ($2, $3)
  order by at desc, id desc limit $4`

/** The SMS of one merchant, newest first. */
export function listMerchantInbox({ merchantId, after, count }: InboxQuery): Read<InboxRow[]> {
  const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: '' }
  return { statement: selectMerchantInbox, values: [merchantId, at, id, count], map: (rows) => rows.map(smsInboxTable.fromRow) }
}
