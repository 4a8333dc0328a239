-- What the dashboard finds receipts by, written behind their commits, and how far each audit chain was read for it.

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
  primary key (bucket, receipt_id)
) strict;

create index receipt_summaries_newest on receipt_summaries (bucket, merchant_id, created_at desc, receipt_id desc);

create index receipt_summaries_status on receipt_summaries (bucket, merchant_id, status, created_at desc, receipt_id desc);

create index receipt_summaries_amount on receipt_summaries (bucket, merchant_id, amount_tiyin, created_at desc, receipt_id desc);

create index receipt_summaries_card on receipt_summaries (bucket, merchant_id, card_id, created_at desc, receipt_id desc) where card_id <> '';

create index receipt_summaries_customer on receipt_summaries (bucket, merchant_id, customer, created_at desc, receipt_id desc) where customer <> '""';

create table receipt_orders (
  bucket integer not null,
  merchant_id text not null,
  value text not null,
  created_at integer not null,
  receipt_id text not null,
  primary key (bucket, merchant_id, value, created_at, receipt_id)
) strict;

create table summary_positions (
  chain text not null primary key,
  seq integer not null
) strict;

-- At most one row: the process that reads the chains, until when.
create table summary_lease (
  name text not null primary key,
  process_id text not null,
  ends_at integer not null
) strict;
