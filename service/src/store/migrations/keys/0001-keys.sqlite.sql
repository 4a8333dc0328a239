-- Wrapped data keys, in a file of their own: a backup of the cards must not hold them.

create table keys (
  key_id text primary key not null,
  purpose text not null,
  owner text not null,
  epoch integer not null,
  state text not null,
  kek_id text not null,
  wrapped blob not null,
  check_value blob not null,
  created_at integer not null,
  unique (purpose, owner, epoch)
) strict;
