-- Users and sessions of the merchants' dashboard, and what its lists of cards are found by.

create table dashboard_users (
  user_id text collate "C" primary key not null,
  merchant_id text collate "C" not null,
  phone text collate "C" not null,
  role text collate "C" not null,
  state text collate "C" not null,
  version integer not null,
  verifier text collate "C" not null,
  must_change integer not null,
  totp bytea,
  created_at bigint not null,
  mac bytea not null,
  tries integer not null,
  locked_until bigint not null,
  totp_step bigint not null
);

create unique index dashboard_users_phone on dashboard_users (phone);

create index dashboard_users_merchant on dashboard_users (merchant_id, user_id);

create table dashboard_sessions (
  session_id text collate "C" primary key not null,
  user_id text collate "C" not null,
  merchant_id text collate "C" not null,
  hash bytea not null,
  pepper_key_id text collate "C" not null,
  csrf text collate "C" not null,
  created_at bigint not null,
  last_seen_at bigint not null,
  user_agent text collate "C" not null,
  address text collate "C" not null
);

create index dashboard_sessions_user on dashboard_sessions (user_id, created_at desc);

create index dashboard_sessions_last_seen on dashboard_sessions (last_seen_at);

create index cards_newest on cards (bucket, merchant_id, created_at desc, card_id desc);

create index cards_last_four on cards (bucket, merchant_id, (substr(masked_pan, length(masked_pan) - 3)), created_at desc, card_id desc);

create index cards_customer on cards (bucket, merchant_id, customer, created_at desc, card_id desc) where customer is not null;

create index receipts_card on receipts (bucket, card_id, created_at desc, receipt_id desc) where card_id <> '';

-- What changed no row is in the timeline of a card as well.
drop index audit_subject;

create index audit_subject on audit (subject, version);
