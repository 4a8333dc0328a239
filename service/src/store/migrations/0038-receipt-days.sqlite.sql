-- breaking: the previous version would write summaries without the new columns.
-- When receipts were debited and refunded, for the totals of a day and for lists by the day of payment. Summaries are written anew from the audit.

drop table receipt_summaries;

create table receipt_summaries (
  bucket integer not null,
  receipt_id text not null,
  merchant_id text not null,
  version integer not null,
  status text not null,
  amount_tiyin integer not null,
  captured_tiyin integer not null,
  refunded_tiyin integer not null,
  card_id text not null,
  customer text not null,
  reason text not null,
  created_at integer not null,
  paid_at integer not null,
  captured_at integer not null,
  refunded_at integer not null,
  primary key (bucket, receipt_id)
) strict;

create index receipt_summaries_newest on receipt_summaries (bucket, merchant_id, created_at desc, receipt_id desc);

create index receipt_summaries_status on receipt_summaries (bucket, merchant_id, status, created_at desc, receipt_id desc);

create index receipt_summaries_amount on receipt_summaries (bucket, merchant_id, amount_tiyin, created_at desc, receipt_id desc);

create index receipt_summaries_card on receipt_summaries (bucket, merchant_id, card_id, created_at desc, receipt_id desc) where card_id <> '';

create index receipt_summaries_customer on receipt_summaries (bucket, merchant_id, customer, created_at desc, receipt_id desc) where customer <> '""';

create index receipt_summaries_captured on receipt_summaries (bucket, merchant_id, captured_at desc, receipt_id desc, captured_tiyin) where captured_at > 0;

create index receipt_summaries_refunded on receipt_summaries (bucket, merchant_id, refunded_at desc, refunded_tiyin) where refunded_at > 0;

delete from summary_positions;
