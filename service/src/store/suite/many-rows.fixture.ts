import type { Dialect } from '../migrations/migrations.ts'
import { bucket, sampleMerchantId, T0 } from './samples.fixture.ts'

/** A range of row numbers, from 1. Each row is a second later than the one before. */
export interface RowRange {
  readonly from: number
  readonly count: number
}

/**
 * Statements that fill the tables of the dashboard's lists with `count` rows each. Nine in ten belong to the sample merchant; no row is sealed or has
 * a valid MAC. Of a hundred audit entries one is an action of a user, and two are sign-ins.
 */
export function fillRows(dialect: Dialect, range: RowRange): readonly string[] {
  const dialectSql = dialect === 'sqlite' ? sqliteDialect(range) : postgresDialect(range)
  return [
    cards(dialectSql),
    receipts(dialectSql),
    receiptSummaries(dialectSql),
    receiptOrders(dialectSql),
    operations(dialectSql),
    audit(dialectSql),
    tallies(dialectSql),
    outbox(dialectSql),
    deliveries(dialectSql),
    smsSends(dialectSql),
    `insert into sms_inbox (merchant_id, id, at, phone_mask, text)
    select ${dialectSql.merchant}, ${dialectSql.hex('n', 24)}, ${T0} + n * 1000, '99890*****66', '"666666"' from ${dialectSql.series}`,
  ]
}

/** Statements that update the planners' statistics. */
export const analyzeRows: readonly string[] = [
  'cards',
  'receipts',
  'receipt_summaries',
  'receipt_orders',
  'operations',
  'audit',
  'tallies',
  'sms_inbox',
  'sms_sends',
  'outbox',
  'deliveries',
].map((table) => `analyze ${table}`)

/** The merchant's user with all of the actions. */
export const busyUser = '5e730e8e07f3000000000bee'

/** The id of a row, the same for card and receipt; it begins with its second, as real ids do. */
export function idOfRow(n: number): string {
  return `${(T0 / 1000 + n).toString(16)}07f3${n.toString(16).padStart(12, '0')}`
}

/** When a row was created. */
export function timeOfRow(n: number): number {
  return T0 + n * 1000
}

/** The key that the phones of messages are hashed under. */
export const smsKeyId = '5'.repeat(32)

/** The phone of five messages from row `n` on, n a multiple of five, as `fillRows` stores its hash. */
export function phoneHashOfRow(n: number): Uint8Array {
  return new Uint8Array(Buffer.from(String(n / 5).padStart(32, '0')))
}

interface DialectSql {
  readonly series: string
  readonly merchant: string
  readonly hex: (value: string, digits: number) => string
  readonly decimal: (value: string, digits: number) => string
  readonly bytes: (length: number) => string
  /** 32 bytes, unique per row. */
  readonly hash: string
  /** The same 32 bytes in five rows. */
  readonly phoneHash: string
}

function sqliteDialect({ from, count }: RowRange): DialectSql {
  return {
    series: `(with recursive up(n) as (select ${from} union all select n + 1 from up where n < ${from + count - 1}) select n from up)`,
    merchant,
    hex: (value, digits) => `printf('%0${digits}x', ${value})`,
    decimal: (value, digits) => `printf('%0${digits}d', ${value})`,
    bytes: (length) => `zeroblob(${length})`,
    hash: `cast(printf('%032d', n) as blob)`,
    phoneHash: `cast(printf('%032d', n / 5) as blob)`,
  }
}

function postgresDialect({ from, count }: RowRange): DialectSql {
  return {
    series: `generate_series(${from}, ${from + count - 1}) as up(n)`,
    merchant,
    hex: (value, digits) => `lpad(to_hex(${value}), ${digits}, '0')`,
    decimal: (value, digits) => `lpad((${value})::text, ${digits}, '0')`,
    bytes: (length) => `decode(repeat('00', ${length}), 'hex')`,
    hash: `convert_to(lpad(n::text, 32, '0'), 'UTF8')`,
    phoneHash: `convert_to(lpad((n / 5)::text, 32, '0'), 'UTF8')`,
  }
}

const merchant = `case when n % 10 = 0 then '${'b'.repeat(24)}' else '${sampleMerchantId}' end`

function cards({ series, hex, decimal, bytes, hash }: DialectSql): string {
  return `
    insert into cards (bucket, card_id, merchant_id, token_hash, masked_pan, type, expiry, recurrent, verified, state, version, key_id,
      blob, mac, customer, account, consent, created_at, verified_at, ends_at, ended_at)
    select ${bucket}, ${rowId(hex)}, ${merchant}, ${hash}, '860006******' || ${decimal('n % 300', 4)}, '22618', '0399', 1, n % 2, 'live',
      1, ${hex('n % 7', 32)}, ${bytes(112)}, ${bytes(48)}, case when n % 3 = 0 then null else '"payer ' || (n % 200) || '"' end, null,
      case when n % 2 = 0 then '{"asserted":"merchant"}' else null end, ${T0} + n * 1000, case when n % 2 = 1 then ${T0} + n * 1000 end,
      ${T0} + n * 1000 + 90000000, null
    from ${series}`
}

function receipts({ series, hex, bytes }: DialectSql): string {
  return `
    insert into receipts (bucket, receipt_id, merchant_id, state, version, mac, amount_tiyin, taken_tiyin, hold, description, account,
      card_id, masked_pan, card_expiry, one_time, network_ref, request_id, created_at, pay_time, cancel_time, unknown_since, flagged,
      due_at, looks)
    select ${bucket}, ${rowId(hex)}, ${merchant}, case n % 20 when 0 then 50 when 1 then 0 when 2 then 5 else 4 end, 1, ${bytes(48)}, 500000, 0,
      0, '""', '[]', ${rowId(hex)}, '860006******6311', '0399', 0, '""', '', ${T0} + n * 1000, ${T0} + n * 1000, 0, 0, 0, null, 0
    from ${series}`
}

/** Of 20 receipts one is refunded, one open and one authorized; every tenth has the same customer, and each card five. */
function receiptSummaries({ series, hex }: DialectSql): string {
  return `
    insert into receipt_summaries (bucket, receipt_id, merchant_id, version, status, amount_tiyin, captured_tiyin, refunded_tiyin, card_id,
      customer, reason, created_at, paid_at, captured_at, refunded_at)
    select ${bucket}, ${rowId(hex)}, ${merchant}, 1, case n % 20 when 3 then 'refunded' when 1 then 'open' when 2 then 'authorized' else 'paid' end,
      500000 + n % 1000, 500000, 0, ${hex('n / 5', 24)}, '"payer ' || (n % 200) || '"', '', ${T0} + n * 1000, ${T0} + n * 1000,
      case when n % 20 = 1 or n % 20 = 2 then 0 else ${T0} + n * 1000 end, case when n % 20 = 3 then ${T0} + n * 1000 else 0 end
    from ${series}`
}

function receiptOrders({ series, hex, decimal }: DialectSql): string {
  return `
    insert into receipt_orders (bucket, merchant_id, value, created_at, receipt_id)
    select ${bucket}, ${merchant}, '"order ' || ${decimal('n / 3', 8)} || '"', ${T0} + n * 1000, ${rowId(hex)}
    from ${series}`
}

/** To a phone there are five messages each, of which nine in ten are of the sample merchant. */
function smsSends({ series, hex, phoneHash }: DialectSql): string {
  return `
    insert into sms_sends (message_id, gateway, merchant_id, purpose, subject, key_id, phone_hash, phone_mask, parts, requested_at, outcome,
      accepted_at, gateway_message_id, delivered_at, failed_at, error)
    select ${rowId(hex)}, 'http', ${merchant}, 'code', ${rowId(hex)}, '${smsKeyId}', ${phoneHash}, '99890*****66', 1, ${T0} + n * 1000,
      'accepted', ${T0} + n * 1000, ${rowId(hex)}, ${T0} + n * 1000 + 5, null, ''
    from ${series}`
}

/** Every other one was declined. */
function operations({ series, hex, hash }: DialectSql): string {
  return `
    insert into operations (bucket, receipt_id, request_id, merchant_id, kind, amount_tiyin, state, network_ref, reason, raw_code,
      asked_at, settled_at, card_id, mac)
    select ${bucket}, ${rowId(hex)}, ${rowId(hex)}, ${merchant}, 'authorise', 500000,
      case when n % 2 = 1 then 'declined' else 'approved' end, '""', case when n % 2 = 1 then 'declined' else '' end, '""',
      ${T0} + n * 1000, ${T0} + n * 1000, ${rowId(hex)}, ${hash}
    from ${series}`
}

function audit({ series, hex, hash }: DialectSql): string {
  return `
    insert into audit (chain, seq, hash, at, actor, action, merchant_id, subject, version, mac, request_id, outcome, key_id, address, changes)
    select 'many', n, ${hash}, ${T0} + n * 1000, case when n % 100 = 1 then 'user:${busyUser}' else 'merchant:${sampleMerchantId}' end,
      case when n % 100 < 3 then 'dashboard.signed_in' when n % 4 = 0 then 'card.created' when n % 4 = 1 then 'code.requested'
        when n % 4 = 2 then 'code.dispatched' else 'code.attempted' end,
      ${merchant}, case when n % 100 between 1 and 2 then '${busyUser}' else ${rowId(hex)} end, case when n % 4 = 0 then 1 else 0 end,
      ${hash}, ${hex('n', 24)}, case when n % 4 = 2 then 'sent' else 'wrong' end, '', '', ''
    from ${series}`
}

function outbox({ series, hex, hash }: DialectSql): string {
  return `
    insert into outbox (bucket, merchant_id, event_id, type, object_id, at, body, position, mac)
    select ${bucket}, ${merchant}, ${rowId(hex)}, case n % 4 when 0 then 'card.verified' else 'receipt.paid' end, ${rowId(hex)}, ${T0} + n * 1000, '{}', 1, ${hash}
    from ${series}`
}

/** All at one endpoint; one in twenty was given up. */
function deliveries({ series, hex }: DialectSql): string {
  return `
    insert into deliveries (bucket, endpoint_id, event_id, merchant_id, object_id, position, state, tries, attempts, due_at, claim_id, made_at,
      settled_at)
    select ${bucket}, '${idOfRow(1)}', ${rowId(hex)}, ${merchant}, ${rowId(hex)}, 1, case n % 20 when 0 then 'dead' when 1 then 'dead' else 'delivered' end,
      1, 1, null, '', ${T0} + n * 1000, ${T0} + n * 1000 + 5
    from ${series}`
}

/** A week of one merchant's counters, and the rest for as many other merchants as needed. */
function tallies({ series, hex }: DialectSql): string {
  const hours = counterHours.to - counterHours.from + 1
  return `
    insert into tallies (bucket, merchant_id, hour, name, count)
    select ${bucket}, case when n <= ${hours * 24} then '${sampleMerchantId}' else ${hex(`n / ${hours * 24}`, 24)} end,
      ${counterHours.from} + n % ${hours}, 'word.' || (n / ${hours} % 24), n
    from ${series} where true on conflict do nothing`
}

/** The hours of these counters. */
export const counterHours = { from: Math.floor(T0 / 3_600_000), to: Math.floor(T0 / 3_600_000) + 167 } as const

function rowId(hex: DialectSql['hex']): string {
  return `${hex(`${T0 / 1000} + n`, 8)} || '07f3' || ${hex('n', 12)}`
}
