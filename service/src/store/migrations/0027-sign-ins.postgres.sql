-- Failed sign-ins are counted by phone, whether it has a login or not, and no longer in the row of its user.
create table sign_in_attempts (
  subject text collate "C" primary key,
  tries bigint not null,
  locked_until bigint not null,
  ends_at bigint not null
);
create index sign_in_attempts_ends_at on sign_in_attempts (ends_at);

create table known_devices (
  device_id text collate "C" primary key,
  user_id text collate "C" not null,
  merchant_id text collate "C" not null,
  hash bytea not null,
  pepper_key_id text collate "C" not null,
  created_at bigint not null,
  mac bytea not null
);
create index known_devices_user on known_devices (user_id, created_at desc);
create index known_devices_created_at on known_devices (created_at);
