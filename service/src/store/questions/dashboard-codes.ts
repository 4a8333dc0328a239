import { integer, text, textOrNull, word } from '../column.ts'
import { sql } from '../statement.ts'
import type { CodeEvent, CodeEventsAsk, Funnel, FunnelAsk, InboxAsk, InboxRow } from '../store.ts'
import type { Read } from '../unit.ts'
import { tellSms } from './sandbox.ts'

const actions = ['code.settled', 'code.tried', 'card.verified'] as const

// The words of the partial index, so that it is used.
const selectEvents = sql`
  select a.at, a.action, a.outcome, a.request_id, a.seq, a.subject, c.masked_pan from audit as a
  left join cards as c on c.bucket = $1 and c.card_id = a.subject and c.merchant_id = a.merchant_id
  where a.merchant_id = $2 and a.action in ('code.settled', 'code.tried', 'card.verified')
    and (a.at, a.request_id, a.seq) < ($3, $4, $5)
  order by a.at desc, a.request_id desc, a.seq desc limit $6`

/** What became of a merchant's codes, newest first, from behind `after`. */
export function listCodeEvents({ bucket, merchantId, after, count }: CodeEventsAsk): Read<CodeEvent[]> {
  const { at, requestId, seq } = after ?? { at: Number.MAX_SAFE_INTEGER, requestId: '', seq: 0 }
  return {
    statement: selectEvents,
    values: [bucket, merchantId, at, requestId, seq, count],
    tell: (found) =>
      found.map((row) => ({
        at: integer(row, 'at'),
        action: word(row, 'action', actions),
        outcome: text(row, 'outcome'),
        requestId: text(row, 'request_id'),
        seq: integer(row, 'seq'),
        cardId: text(row, 'subject'),
        maskedPan: textOrNull(row, 'masked_pan'),
      })),
  }
}

// Of each of so many cards at most, three looks into indexes: the cost has an end, however many cards and payments there are.
const selectFunnel = sql`
  select count(*) as created,
    cast(coalesce(sum(case when verified_at is not null or exists (select 1 from audit as a where a.subject = newest.card_id
      and a.action = 'code.settled' and a.outcome in ('sent', 'unknown')) then 1 else 0 end), 0) as bigint) as sent,
    cast(coalesce(sum(case when verified_at is not null then 1 else 0 end), 0) as bigint) as verified,
    cast(coalesce(sum(case when verified_at is not null and exists (select 1 from receipts as r where r.bucket = $1 and r.card_id = newest.card_id
      and r.card_id <> '' and r.pay_time > 0) then 1 else 0 end), 0) as bigint) as paid
  from (select card_id, verified_at from cards where bucket = $1 and merchant_id = $2 and created_at >= $3
    order by created_at desc, card_id desc limit $4) as newest`

/** How far the newest cards of a span have come. */
export function findFunnel({ bucket, merchantId, from, cardsMax }: FunnelAsk): Read<Funnel> {
  return {
    statement: selectFunnel,
    values: [bucket, merchantId, from, cardsMax],
    tell: ([row = {}]) => ({
      created: integer(row, 'created'),
      sent: integer(row, 'sent'),
      verified: integer(row, 'verified'),
      paid: integer(row, 'paid'),
    }),
  }
}

const selectInbox = sql`
  select id, at, merchant_id, phone_mask, text from sms_inbox where merchant_id = $1 and (at, id) < ($2, $3)
  order by at desc, id desc limit $4`

/** The SMS of one merchant in the sandbox, newest first. */
export function listInboxOf({ merchantId, after, count }: InboxAsk): Read<InboxRow[]> {
  const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: '' }
  return {
    statement: selectInbox,
    values: [merchantId, at, id, count],
    tell: (found) => found.map(tellSms),
  }
}
