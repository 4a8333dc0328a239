-- What the dashboard finds receipts by, written behind their commits, and how far each audit chain was read for it.

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
  primary key (bucket, receipt_id)
);

create index receipt_summaries_newest on receipt_summaries (bucket, merchant_id, created_at desc, receipt_id desc);

create index receipt_summaries_status on receipt_summaries (bucket, merchant_id, status, created_at desc, receipt_id desc);

create index receipt_summaries_amount on receipt_summaries (bucket, merchant_id, amount_tiyin, created_at desc, receipt_id desc);

create index receipt_summaries_card on receipt_summaries (bucket, merchant_id, card_id, created_at desc, receipt_id desc) where card_id <> '';

create index receipt_summaries_customer on receipt_summaries (bucket, merchant_id, customer, created_at desc, receipt_id desc) where customer <> '""';

create table receipt_orders (
  bucket integer not null,
  merchant_id text collate "C" not null,
  value text collate "C" not null,
  created_at bigint not null,
  receipt_id text collate "C" not null,
  primary key (bucket, merchant_id, value, created_at, receipt_id)
);

create table summary_positions (
  chain text collate "C" not null primary key,
  seq bigint not null
);

-- At most one row: the process that reads the chains, until when.
create table summary_lease (
  name text collate "C" not null primary key,
  process_id text collate "C" not null,
  ends_at bigint not null
);
