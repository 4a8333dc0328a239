-- breaking: the version before signs sessions without the columns that are added here, so that its sessions are refused.
-- Sign-ins end: how a session was confirmed is covered by its MAC from now on.

delete from dashboard_sessions;

alter table dashboard_sessions add column method text collate "C" not null default 'password';

alter table dashboard_sessions add column confirmed_at bigint not null default 0;

-- Wrong codes of the second factor, wherever they are entered.
alter table dashboard_users add column code_tries integer not null default 0;

alter table dashboard_users add column codes_locked_until bigint not null default 0;

create table dashboard_recovery_codes (
  user_id text collate "C" not null,
  number integer not null,
  merchant_id text collate "C" not null,
  hash bytea not null,
  pepper_key_id text collate "C" not null,
  created_at bigint not null,
  used_at bigint not null,
  mac bytea not null,
  primary key (user_id, number)
);

create table dashboard_passkeys (
  passkey_id text collate "C" primary key not null,
  credential_id text collate "C" not null,
  user_id text collate "C" not null,
  merchant_id text collate "C" not null,
  name text collate "C" not null,
  public_key bytea not null,
  counter bigint not null,
  is_synced integer not null,
  transports text collate "C" not null,
  challenged_at bigint not null,
  created_at bigint not null,
  last_used_at bigint not null,
  mac bytea not null
);

create unique index dashboard_passkeys_credential on dashboard_passkeys (credential_id);

create index dashboard_passkeys_user on dashboard_passkeys (user_id, created_at);
