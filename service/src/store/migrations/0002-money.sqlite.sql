-- Receipts and what was asked of the card networks for them, idempotency keys, events on their way out, and the ledger of the sandbox.
-- Money is whole tiyin. What a merchant or a network said in its own words is kept as a JSON string.

create table receipts (
  bucket integer not null,
  receipt_id text not null,
  merchant_id text not null,
  state integer not null,
  version integer not null,
  mac blob not null,
  amount_tiyin integer not null,
  taken_tiyin integer not null,
  hold integer not null,
  description text not null,
  detail text,
  account text not null,
  payer text,
  error text,
  card_id text not null,
  masked_pan text not null,
  card_expiry text not null,
  one_time integer not null,
  network_ref text not null,
  request_id text not null,
  customer text,
  created_at integer not null,
  pay_time integer not null,
  cancel_time integer not null,
  source_cancel text,
  fiscal text,
  unknown_since integer not null,
  flagged integer not null,
  due_at integer,
  looks integer not null,
  primary key (bucket, receipt_id)
) strict;

create index receipts_newest on receipts (bucket, merchant_id, created_at desc, receipt_id desc);
create index receipts_due_at on receipts (due_at, receipt_id) where due_at is not null;

create table operations (
  bucket integer not null,
  receipt_id text not null,
  request_id text not null,
  merchant_id text not null,
  kind text not null,
  amount_tiyin integer not null,
  state text not null,
  network_ref text not null,
  reason text not null,
  raw_code text not null,
  asked_at integer not null,
  settled_at integer not null,
  primary key (bucket, receipt_id, request_id)
) strict;

create table card_locks (
  bucket integer not null,
  card_id text not null,
  merchant_id text not null,
  receipt_id text not null,
  primary key (bucket, card_id)
) strict;

create table idempotency (
  bucket integer not null,
  merchant_id text not null,
  caller_class text not null,
  key_hash blob not null,
  identity blob not null,
  hash_key_id text not null,
  claimed_at integer not null,
  lease_until integer not null,
  ends_at integer not null,
  method text not null,
  subject text not null,
  request_id text not null,
  sealed blob,
  primary key (bucket, merchant_id, caller_class, key_hash)
) strict;

create index idempotency_ends_at on idempotency (ends_at);

create table outbox (
  bucket integer not null,
  event_id text not null,
  merchant_id text not null,
  object_id text not null,
  position integer not null,
  type text not null,
  at integer not null,
  body text not null,
  primary key (bucket, event_id)
) strict;

-- The order in which the events of one object are delivered.
create unique index outbox_order on outbox (bucket, object_id, position);

create table sandbox_ledger (
  request_id text primary key not null,
  kind text not null,
  merchant_id text not null,
  amount_tiyin integer not null,
  network_ref text not null,
  outcome text not null,
  reason text not null,
  at integer not null
) strict;

create index sandbox_ledger_network_ref on sandbox_ledger (network_ref, at, request_id);
