-- Merchants, cards, their verification, the limits, the audit, and what the sandbox remembers.
-- Truth is 0 or 1; a moment is unix milliseconds; merchant data is keyed by its bucket first.

create table merchants (
  id text primary key not null,
  bucket integer not null,
  name text not null,
  state text not null,
  password_hashes blob not null,
  pepper_key_id text not null,
  origins text not null,
  strict_server_auth integer not null,
  created_at integer not null
) strict;

create table cards (
  bucket integer not null,
  card_id text not null,
  merchant_id text not null,
  token_hash blob not null,
  masked_pan text not null,
  type text not null,
  expiry text not null,
  recurrent integer not null,
  verified integer not null,
  state text not null,
  version integer not null,
  key_id text not null,
  blob blob not null,
  mac blob not null,
  customer text,
  account text,
  consent text,
  created_at integer not null,
  verified_at integer,
  ends_at integer not null,
  ended_at integer,
  primary key (bucket, card_id)
) strict;

create index cards_ends_at on cards (ends_at, card_id) where state = 'live';
create index cards_key_id on cards (key_id, card_id) where key_id <> '';

create table verifications (
  bucket integer not null,
  card_id text not null,
  merchant_id text not null,
  attempt_id text not null,
  otp_hash blob not null,
  otp_key_id text not null,
  sent_by text,
  phone_mask text,
  network_ref text,
  outcome text not null,
  tries integer not null,
  tries_max integer not null,
  life_ms integer not null,
  asked_wall integer not null,
  asked_mono integer not null,
  asked_boot text not null,
  open integer not null,
  primary key (bucket, card_id)
) strict;

create index verifications_asked_wall on verifications (asked_wall);

create table send_limits (
  key_id text not null,
  scope text not null,
  subject blob not null,
  t1 integer not null,
  t2 integer not null,
  t3 integer not null,
  t4 integer not null,
  t5 integer not null,
  made_at integer not null,
  primary key (key_id, scope, subject)
) strict;

create index send_limits_made_at on send_limits (made_at);

create table day_tries (
  key_id text not null,
  subject blob not null,
  tries integer not null,
  ends_at integer not null,
  primary key (key_id, subject)
) strict;

create index day_tries_ends_at on day_tries (ends_at);

create table audit (
  chain text not null,
  seq integer not null,
  hash blob not null,
  at integer not null,
  actor text not null,
  action text not null,
  merchant_id text not null,
  subject text not null,
  version integer not null,
  mac blob not null,
  request_id text not null,
  outcome text not null,
  primary key (chain, seq)
) strict;

create index audit_subject on audit (subject, version) where version > 0;

create table sandbox_steps (
  merchant_id text not null,
  scenario text not null,
  step text not null,
  primary key (merchant_id, scenario)
) strict;

create table sms_inbox (
  merchant_id text not null,
  id text not null,
  at integer not null,
  phone_mask text not null,
  text text not null,
  primary key (merchant_id, id)
) strict;

create index sms_inbox_at on sms_inbox (at, id);
