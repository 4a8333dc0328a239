import { integer, text } from '../column.ts'
import { sql } from '../statement.ts'
import type { Row } from '../statement.ts'
import type { AuditNote, InboxRow } from '../store.ts'
import { note, rows } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'

const upsertStep = sql`
  insert into sandbox_steps (merchant_id, scenario, step) values ($1, $2, $3)
  on conflict (merchant_id, scenario) do update set step = excluded.step`

export function* setScenarioStep(ask: { merchantId: string; scenario: string; step: string; audit: AuditNote | null }): Unit<void> {
  yield* rows(upsertStep, [ask.merchantId, ask.scenario, ask.step])
  if (ask.audit !== null) yield* note(ask.audit)
}

const deleteSteps = sql`delete from sandbox_steps where merchant_id = $1`

export function* dropScenarioSteps({ merchantId, audit }: { merchantId: string; audit: AuditNote }): Unit<void> {
  yield* rows(deleteSteps, [merchantId])
  yield* note(audit)
}

const selectStepsOf = sql`select merchant_id, step from sandbox_steps where scenario = $1 order by merchant_id limit $2`

export function listStepsOf(scenario: string, count: number): Read<{ merchantId: string; step: string }[]> {
  return {
    statement: selectStepsOf,
    values: [scenario, count],
    tell: (found) => found.map((row) => ({ merchantId: text(row, 'merchant_id'), step: text(row, 'step') })),
  }
}

const selectStep = sql`select step from sandbox_steps where merchant_id = $1 and scenario = $2`

export function findScenarioStep(merchantId: string, scenario: string): Read<string | null> {
  return { statement: selectStep, values: [merchantId, scenario], tell: ([row]) => (row === undefined ? null : text(row, 'step')) }
}

const selectSteps = sql`select scenario, step from sandbox_steps where merchant_id = $1 order by scenario`

export function listScenarioSteps(merchantId: string): Read<{ scenario: string; step: string }[]> {
  return {
    statement: selectSteps,
    values: [merchantId],
    tell: (found) => found.map((row) => ({ scenario: text(row, 'scenario'), step: text(row, 'step') })),
  }
}

const insertSms = sql`insert into sms_inbox (merchant_id, id, at, phone_mask, text) values ($1, $2, $3, $4, $5)`

// A few at a time: one SMS pushes out one, and a smaller limit than before lets go of the rest as more come.
const dropOldSms = sql`
  delete from sms_inbox where merchant_id = $1 and id in
    (select id from sms_inbox where merchant_id = $1 order by at desc, id desc limit 100 offset $2)`

/** Keeps an SMS of the sandbox, and of each merchant the newest thousand. */
export function* appendInbox(sms: InboxRow): Unit<void> {
  yield* rows(insertSms, [sms.merchantId, sms.id, sms.at, sms.phoneMask, sms.text])
  yield* rows(dropOldSms, [sms.merchantId, INBOX_MAX])
}

const selectInbox = sql`select id, at, merchant_id, phone_mask, text from sms_inbox order by at desc, id desc limit $1`

export function listInbox(count: number): Read<InboxRow[]> {
  return {
    statement: selectInbox,
    values: [count],
    tell: (found) => found.map(tellSms),
  }
}

export function tellSms(row: Row): InboxRow {
  return {
    id: text(row, 'id'),
    at: integer(row, 'at'),
    merchantId: text(row, 'merchant_id'),
    phoneMask: text(row, 'phone_mask'),
    text: text(row, 'text'),
  }
}

const INBOX_MAX = 1000
