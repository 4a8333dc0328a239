-- Failed sign-ins are counted by phone, whether it has a login or not, and no longer in the row of its user.
create table sign_in_attempts (
  subject text primary key not null,
  tries integer not null,
  locked_until integer not null,
  ends_at integer not null
) strict;
create index sign_in_attempts_ends_at on sign_in_attempts (ends_at);

create table known_devices (
  device_id text primary key not null,
  user_id text not null,
  merchant_id text not null,
  hash blob not null,
  pepper_key_id text not null,
  created_at integer not null,
  mac blob not null
) strict;
create index known_devices_user on known_devices (user_id, created_at desc);
create index known_devices_created_at on known_devices (created_at);
