-- Which key encryption keys each process has: keys are wrapped under another one only when all can unwrap it.

create table kek_processes (
  process_id text primary key not null,
  kek_ids text not null,
  noted_at integer not null
) strict;
