-- Receipts and what was asked of the card networks for them, idempotency keys, events on their way out, and the ledger of the sandbox.
-- Money is whole tiyin. What a merchant or a network said in its own words is kept as a JSON string; keys compare as bytes.

create table receipts (
  bucket integer not null,
  receipt_id text collate "C" not null,
  merchant_id text collate "C" not null,
  state integer not null,
  version integer not null,
  mac bytea not null,
  amount_tiyin bigint not null,
  taken_tiyin bigint not null,
  hold smallint not null,
  description text not null,
  detail text,
  account text not null,
  payer text,
  error text,
  card_id text collate "C" not null,
  masked_pan text not null,
  card_expiry text not null,
  one_time smallint not null,
  network_ref text not null,
  request_id text collate "C" not null,
  customer text,
  created_at bigint not null,
  pay_time bigint not null,
  cancel_time bigint not null,
  source_cancel text,
  fiscal text,
  unknown_since bigint not null,
  flagged smallint not null,
  due_at bigint,
  looks integer not null,
  primary key (bucket, receipt_id)
);

create index receipts_newest on receipts (bucket, merchant_id, created_at desc, receipt_id desc);
create index receipts_due_at on receipts (due_at, receipt_id) where due_at is not null;

create table operations (
  bucket integer not null,
  receipt_id text collate "C" not null,
  request_id text collate "C" not null,
  merchant_id text collate "C" not null,
  kind text not null,
  amount_tiyin bigint not null,
  state text not null,
  network_ref text not null,
  reason text not null,
  raw_code text not null,
  asked_at bigint not null,
  settled_at bigint not null,
  primary key (bucket, receipt_id, request_id)
);

create table card_locks (
  bucket integer not null,
  card_id text collate "C" not null,
  merchant_id text collate "C" not null,
  receipt_id text collate "C" not null,
  primary key (bucket, card_id)
);

create table idempotency (
  bucket integer not null,
  merchant_id text collate "C" not null,
  caller_class text collate "C" not null,
  key_hash bytea not null,
  identity bytea not null,
  hash_key_id text not null,
  claimed_at bigint not null,
  lease_until bigint not null,
  ends_at bigint not null,
  method text not null,
  subject text not null,
  request_id text collate "C" not null,
  sealed bytea,
  primary key (bucket, merchant_id, caller_class, key_hash)
);

create index idempotency_ends_at on idempotency (ends_at);

create table outbox (
  bucket integer not null,
  event_id text collate "C" not null,
  merchant_id text collate "C" not null,
  object_id text collate "C" not null,
  position bigint not null,
  type text not null,
  at bigint not null,
  body text not null,
  primary key (bucket, event_id)
);

-- The order in which the events of one object are delivered.
create unique index outbox_order on outbox (bucket, object_id, position);

create table sandbox_ledger (
  request_id text collate "C" primary key not null,
  kind text not null,
  merchant_id text collate "C" not null,
  amount_tiyin bigint not null,
  network_ref text collate "C" not null,
  outcome text not null,
  reason text not null,
  at bigint not null
);

create index sandbox_ledger_network_ref on sandbox_ledger (network_ref, at, request_id);
