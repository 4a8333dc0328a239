-- Since when each key encryption key is in use, so that an operator is told in time that one is old.

create table keks (
  kek_id text primary key not null,
  kind text not null,
  since integer not null
) strict;
