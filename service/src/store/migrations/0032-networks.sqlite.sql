-- breaking: the previous version does not know that the MAC covers the new columns.
-- Which card network a payment was sent to, and the number of a call at networks that have the service draw one. Processes take such numbers in blocks.

alter table operations add column network text not null default '';

alter table operations add column trace text not null default '';

create table trace_numbers (
  network text not null,
  next integer not null,
  primary key (network)
) strict;
