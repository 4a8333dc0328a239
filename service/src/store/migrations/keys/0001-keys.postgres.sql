-- Wrapped data keys, in a schema of their own: a backup of the cards must not hold them.

create table keys (
  key_id text collate "C" primary key not null,
  purpose text not null,
  owner text collate "C" not null,
  epoch bigint not null,
  state text not null,
  kek_id text not null,
  wrapped bytea not null,
  check_value bytea not null,
  created_at bigint not null,
  unique (purpose, owner, epoch)
);
