import { leastIdAt } from '@tessera/vault/id'

import { bytes, integer, oneOf, readInteger, readText, text, timestamp } from './columns.ts'
import { placeholders, type Row, sql } from './statement.ts'
import { table, type RowOf } from './table.ts'
import { execute, insertRow, type Read, run, type Transaction, deletedRowsMax } from './transaction.ts'

// prettier-ignore
export const smsSendsTable = table('sms_sends', {
  messageId:        text().key(),                                             // ours
  gateway:          text().key(),                                             // the adapter
  merchantId:       text(),                                                   // '' for a test
  purpose:          oneOf('code', 'receipt', 'test'),
  subject:          text(),                                                   // the card or receipt; '' for a test
  keyId:            text(),                                                   // of the key of purpose `phone`
  phoneHash:        bytes(),
  phoneMask:        text(),
  parts:            integer(),                                                // segments
  requestedAt:      timestamp(),
  outcome:          oneOf('requested', 'accepted', 'rejected', 'unknown'),    // requested: the process ended before it knew
  acceptedAt:       timestamp().nullable(),
  gatewayMessageId: text(),                                                   // '' for none
  deliveredAt:      timestamp().nullable(),
  failedAt:         timestamp().nullable(),                                   // rejected, or reported as not delivered
  error:            text(),
}, 'shown and counted only: nothing is decided by these rows')

/** One message that was given to one gateway, and what became of it. */
export type SmsSendRow = RowOf<typeof smsSendsTable>

/** Before the gateway is called. */
export function* insertSmsSend({ send }: { readonly send: SmsSendRow }): Transaction<void> {
  yield* insertRow(smsSendsTable, send)
}

const deleteUncalled = sql`delete from sms_sends where message_id = $1 and gateway = $2 and outcome = 'requested'`

/** The gateway was not called after all. */
export function* withdrawSmsSend({ messageId, gateway }: Pick<SmsSendRow, 'messageId' | 'gateway'>): Transaction<void> {
  yield* execute(deleteUncalled, [messageId, gateway])
}

const updateResult = sql`
  update sms_sends set outcome = $3, accepted_at = $4, failed_at = $5, gateway_message_id = $6, error = $7
  where message_id = $1 and gateway = $2`

/** The reply of the gateway to a message. */
export type SmsSendResult = Pick<SmsSendRow, 'messageId' | 'gateway' | 'outcome' | 'acceptedAt' | 'failedAt' | 'gatewayMessageId' | 'error'>

export function* recordSmsResult({ result }: { readonly result: SmsSendResult }): Transaction<void> {
  const { messageId, gateway, outcome, acceptedAt, failedAt, gatewayMessageId, error } = result
  yield* execute(updateResult, [messageId, gateway, outcome, acceptedAt, failedAt, gatewayMessageId, error])
}

// Of two reports the first of each kind counts. A gateway may use an id again after some days, so that an old message is not taken for a new one.
const updateDelivery = sql`
  update sms_sends set delivered_at = coalesce(delivered_at, cast($3 as bigint)), failed_at = coalesce(failed_at, cast($4 as bigint)),
    error = case when error = '' then $5 else error end
  where gateway = $1 and gateway_message_id = $2 and gateway_message_id <> '' and requested_at > cast($6 as bigint)
  returning message_id`

/** What a gateway reports of a message that it had accepted. */
export interface SmsDelivery extends Pick<SmsSendRow, 'gateway' | 'gatewayMessageId' | 'deliveredAt' | 'failedAt' | 'error'> {
  /** Messages requested later than this. */
  readonly after: number
}

/** False when no message has this id, or not yet. */
export function* recordSmsDelivery(delivery: SmsDelivery): Transaction<boolean> {
  const { gateway, gatewayMessageId, deliveredAt, failedAt, error, after } = delivery
  return (yield* run(updateDelivery, [gateway, gatewayMessageId, deliveredAt, failedAt, error, after])).length > 0
}

/** At most so many ids in one query. */
export const reportedIdsMax = 100

const selectKnownIds = sql`
  select gateway_message_id from sms_sends
  where gateway_message_id in (${placeholders(reportedIdsMax)}) and gateway = $${reportedIdsMax + 1} and gateway_message_id <> ''`

/** Those ids that a gateway gave to messages of ours. */
export function findKnownSmsIds(gateway: string, gatewayMessageIds: readonly string[]): Read<Set<string>> {
  return {
    statement: selectKnownIds,
    values: [...Array.from({ length: reportedIdsMax }, (_, at) => gatewayMessageIds[at] ?? ''), gateway],
    map: (rows) => new Set(rows.map((row) => readText(row, 'gateway_message_id'))),
  }
}

/** At most so many undecided messages are listed. */
export const undecidedSmsMax = 10_000

// Numbers in the text, not placeholders: with a known page size the planner uses the index by time.
const selectUndecided = sql`
  select gateway_message_id, requested_at from sms_sends
  where requested_at > $1 and gateway = $2 and gateway_message_id <> '' and delivered_at is null and failed_at is null
  order by requested_at desc limit ${undecidedSmsMax}`

export type UndecidedSms = Pick<SmsSendRow, 'gatewayMessageId' | 'requestedAt'>

/** The newest messages that a gateway has since a time, and of which nobody knows whether they arrived. */
export function listUndecidedSms(gateway: string, since: number): Read<UndecidedSms[]> {
  return {
    statement: selectUndecided,
    values: [since, gateway],
    map: (rows) =>
      rows.map((row) => ({ gatewayMessageId: readText(row, 'gateway_message_id'), requestedAt: readInteger(row, 'requested_at') })),
  }
}

const selectOfPhone = sql`
  select ${smsSendsTable.columns} from sms_sends where key_id = $1 and phone_hash = $2
  order by key_id desc, phone_hash desc, requested_at desc limit $3`

/** The newest messages to a phone, by its hash under one key. */
export function listSmsSends({
  keyId,
  phoneHash,
  count,
}: Pick<SmsSendRow, 'keyId' | 'phoneHash'> & { readonly count: number }): Read<SmsSendRow[]> {
  return { statement: selectOfPhone, values: [keyId, phoneHash, count], map: (rows) => rows.map(smsSendsTable.fromRow) }
}

const selectOfPhoneAndMerchant = sql`
  select ${smsSendsTable.columns} from sms_sends where key_id = $1 and phone_hash = $2 and merchant_id = $4
  order by key_id desc, phone_hash desc, requested_at desc limit $3`

/** Of those, the ones that were sent for one merchant. */
export function listSmsSendsOfMerchant({
  keyId,
  phoneHash,
  merchantId,
  count,
}: Pick<SmsSendRow, 'keyId' | 'phoneHash' | 'merchantId'> & { readonly count: number }): Read<SmsSendRow[]> {
  return {
    statement: selectOfPhoneAndMerchant,
    values: [keyId, phoneHash, count, merchantId],
    map: (rows) => rows.map(smsSendsTable.fromRow),
  }
}

const selectOfSubject = sql`
  select ${smsSendsTable.columns} from sms_sends where message_id >= $1 and message_id < $2 and subject = $3 and merchant_id = $4
  order by message_id, gateway limit 20`

/** The messages about one card or receipt whose ids are of one second: a range of the primary key, since an id begins with its time. */
export function listSmsSendsOfSubject({ subject, merchantId, at }: SmsSubjectQuery): Read<SmsSendRow[]> {
  return {
    statement: selectOfSubject,
    values: [leastIdAt(at), leastIdAt(at + 1000), subject, merchantId],
    map: (rows) => rows.map(smsSendsTable.fromRow),
  }
}

/** `at`: when the messages were issued, Unix milliseconds. */
export interface SmsSubjectQuery extends Pick<SmsSendRow, 'subject' | 'merchantId'> {
  readonly at: number
}

const selectOne = sql`select ${smsSendsTable.columns} from sms_sends where message_id = $1 and gateway = $2`

export function findSmsSend({ messageId, gateway }: Pick<SmsSendRow, 'messageId' | 'gateway'>): Read<SmsSendRow | null> {
  return {
    statement: selectOne,
    values: [messageId, gateway],
    map: ([row]) => (row === undefined ? null : smsSendsTable.fromRow(row)),
  }
}

const countByGateway = sql`
  select gateway, count(*) as sent, sum(case when outcome = 'accepted' then 1 else 0 end) as accepted,
    sum(case when outcome = 'rejected' then 1 else 0 end) as rejected,
    sum(case when outcome in ('unknown', 'requested') then 1 else 0 end) as unknown,
    sum(case when delivered_at is not null then 1 else 0 end) as delivered,
    sum(case when outcome = 'accepted' and failed_at is not null and delivered_at is null then 1 else 0 end) as failed,
    cast(sum(case when outcome = 'accepted' then parts else 0 end) as bigint) as parts
  from sms_sends where requested_at >= $1 group by gateway order by gateway`

/** What became of the messages of one gateway. */
export interface SmsGatewayCounts {
  readonly gateway: string
  readonly sent: number
  readonly accepted: number
  readonly rejected: number
  /** Without an outcome. */
  readonly unknown: number
  readonly delivered: number
  /** Accepted, and reported as not delivered. */
  readonly failed: number
  /** Segments of the accepted messages. */
  readonly parts: number
}

/** The messages requested since a time, by gateway. */
export function countSmsSends(since: number): Read<SmsGatewayCounts[]> {
  const numbers = ['sent', 'accepted', 'rejected', 'unknown', 'delivered', 'failed', 'parts'] as const
  const map = (row: Row): SmsGatewayCounts => {
    const counts = Object.fromEntries(numbers.map((name) => [name, readInteger(row, name)])) as Record<(typeof numbers)[number], number>
    return { gateway: readText(row, 'gateway'), ...counts }
  }
  return { statement: countByGateway, values: [since], map: (rows) => rows.map(map) }
}

const selectDeliveryTime = sql`
  select delivered_at - accepted_at as ms from sms_sends
  where requested_at >= $1 and gateway = $2 and delivered_at is not null and accepted_at is not null
  order by delivered_at - accepted_at limit 1 offset $3`

/** How long the delivery of a gateway's message took that has so many faster ones before it, milliseconds; null when there is none. */
export function findDeliveryTime(gateway: string, since: number, faster: number): Read<number | null> {
  return {
    statement: selectDeliveryTime,
    values: [since, gateway, faster],
    map: ([row]) => (row === undefined ? null : readInteger(row, 'ms')),
  }
}

// A number in the text, not a placeholder: with a known page size the planner uses the index.
const deleteOld = sql`
  delete from sms_sends where (message_id, gateway) in
    (select message_id, gateway from sms_sends where requested_at < $1 order by requested_at limit ${deletedRowsMax})
  returning gateway`

/** Deletes a page of the messages before a time; returns how many. */
export function* deleteOldSmsSends({ before }: { readonly before: number }): Transaction<number> {
  return (yield* run(deleteOld, [before])).length
}
