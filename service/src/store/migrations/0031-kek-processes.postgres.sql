-- Which key encryption keys each process has: keys are wrapped under another one only when all can unwrap it.

create table kek_processes (
  process_id text collate "C" primary key not null,
  kek_ids text collate "C" not null,
  noted_at bigint not null
);
