-- breaking: the previous version would write summaries without the new columns.
-- When receipts were debited and refunded, for the totals of a day and for lists by the day of payment. Summaries are written anew from the audit.

drop table receipt_summaries;

create table receipt_summaries (
  bucket integer not null,
  receipt_id text collate "C" not null,
  merchant_id text collate "C" not null,
  version integer not null,
  status text collate "C" not null,
  amount_tiyin bigint not null,
  captured_tiyin bigint not null,
  refunded_tiyin bigint not null,
  card_id text collate "C" not null,
  customer text collate "C" not null,
  reason text collate "C" not null,
  created_at bigint not null,
  paid_at bigint not null,
  captured_at bigint not null,
  refunded_at bigint not null,
  primary key (bucket, receipt_id)
);

create index receipt_summaries_newest on receipt_summaries (bucket, merchant_id, created_at desc, receipt_id desc);

create index receipt_summaries_status on receipt_summaries (bucket, merchant_id, status, created_at desc, receipt_id desc);

create index receipt_summaries_amount on receipt_summaries (bucket, merchant_id, amount_tiyin, created_at desc, receipt_id desc);

create index receipt_summaries_card on receipt_summaries (bucket, merchant_id, card_id, created_at desc, receipt_id desc) where card_id <> '';

create index receipt_summaries_customer on receipt_summaries (bucket, merchant_id, customer, created_at desc, receipt_id desc) where customer <> '""';

create index receipt_summaries_captured on receipt_summaries (bucket, merchant_id, captured_at desc, receipt_id desc, captured_tiyin) where captured_at > 0;

create index receipt_summaries_refunded on receipt_summaries (bucket, merchant_id, refunded_at desc, refunded_tiyin) where refunded_at > 0;

delete from summary_positions;
