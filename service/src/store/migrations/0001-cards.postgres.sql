-- Merchants, cards, their verification, the limits, the audit, and what the sandbox remembers.
-- Truth is 0 or 1; a moment is unix milliseconds; merchant data is keyed by its bucket first; keys compare as bytes.

create table merchants (
  id text collate "C" primary key not null,
  bucket integer not null,
  name text not null,
  state text not null,
  password_hashes bytea not null,
  pepper_key_id text not null,
  origins text not null,
  strict_server_auth smallint not null,
  created_at bigint not null
);

create table cards (
  bucket integer not null,
  card_id text collate "C" not null,
  merchant_id text collate "C" not null,
  token_hash bytea not null,
  masked_pan text not null,
  type text not null,
  expiry text not null,
  recurrent smallint not null,
  verified smallint not null,
  state text not null,
  version integer not null,
  key_id text collate "C" not null,
  blob bytea not null,
  mac bytea not null,
  customer text,
  account text,
  consent text,
  created_at bigint not null,
  verified_at bigint,
  ends_at bigint not null,
  ended_at bigint,
  primary key (bucket, card_id)
);

create index cards_ends_at on cards (ends_at, card_id) where state = 'live';
create index cards_key_id on cards (key_id, card_id) where key_id <> '';

create table verifications (
  bucket integer not null,
  card_id text collate "C" not null,
  merchant_id text collate "C" not null,
  attempt_id text not null,
  otp_hash bytea not null,
  otp_key_id text not null,
  sent_by text,
  phone_mask text,
  network_ref text,
  outcome text not null,
  tries integer not null,
  tries_max integer not null,
  life_ms integer not null,
  asked_wall bigint not null,
  asked_mono bigint not null,
  asked_boot text not null,
  open smallint not null,
  primary key (bucket, card_id)
);

create index verifications_asked_wall on verifications (asked_wall);

create table send_limits (
  key_id text collate "C" not null,
  scope text collate "C" not null,
  subject bytea not null,
  t1 bigint not null,
  t2 bigint not null,
  t3 bigint not null,
  t4 bigint not null,
  t5 bigint not null,
  made_at bigint not null,
  primary key (key_id, scope, subject)
);

create index send_limits_made_at on send_limits (made_at);

create table day_tries (
  key_id text collate "C" not null,
  subject bytea not null,
  tries integer not null,
  ends_at bigint not null,
  primary key (key_id, subject)
);

create index day_tries_ends_at on day_tries (ends_at);

create table audit (
  chain text collate "C" not null,
  seq bigint not null,
  hash bytea not null,
  at bigint not null,
  actor text not null,
  action text not null,
  merchant_id text collate "C" not null,
  subject text collate "C" not null,
  version integer not null,
  mac bytea not null,
  request_id text not null,
  outcome text not null,
  primary key (chain, seq)
);

create index audit_subject on audit (subject, version) where version > 0;

create table sandbox_steps (
  merchant_id text collate "C" not null,
  scenario text collate "C" not null,
  step text not null,
  primary key (merchant_id, scenario)
);

create table sms_inbox (
  merchant_id text collate "C" not null,
  id text collate "C" not null,
  at bigint not null,
  phone_mask text not null,
  text text not null,
  primary key (merchant_id, id)
);

create index sms_inbox_at on sms_inbox (at, id);
