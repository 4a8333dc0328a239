-- breaking: the version before signs sessions without the columns that are added here, so that its sessions are refused.
-- Sign-ins end: how a session was confirmed is covered by its MAC from now on.

delete from dashboard_sessions;

alter table dashboard_sessions add column method text not null default 'password';

alter table dashboard_sessions add column confirmed_at integer not null default 0;

-- Wrong codes of the second factor, wherever they are entered.
alter table dashboard_users add column code_tries integer not null default 0;

alter table dashboard_users add column codes_locked_until integer not null default 0;

create table dashboard_recovery_codes (
  user_id text not null,
  number integer not null,
  merchant_id text not null,
  hash blob not null,
  pepper_key_id text not null,
  created_at integer not null,
  used_at integer not null,
  mac blob not null,
  primary key (user_id, number)
) strict;

create table dashboard_passkeys (
  passkey_id text primary key not null,
  credential_id text not null,
  user_id text not null,
  merchant_id text not null,
  name text not null,
  public_key blob not null,
  counter integer not null,
  is_synced integer not null,
  transports text not null,
  challenged_at integer not null,
  created_at integer not null,
  last_used_at integer not null,
  mac blob not null
) strict;

create unique index dashboard_passkeys_credential on dashboard_passkeys (credential_id);

create index dashboard_passkeys_user on dashboard_passkeys (user_id, created_at);
