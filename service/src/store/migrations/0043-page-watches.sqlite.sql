-- Pages that are read again by a schedule, and the evidence that operators publish for merchants.

create table page_watches (
  bucket integer not null,
  merchant_id text not null,
  page_id text not null,
  page text not null,
  state text not null,
  baseline text not null,
  changes text not null,
  reading integer not null,
  failures integer not null,
  due_at integer not null,
  read_at integer not null,
  changed_at integer not null,
  mac blob not null,
  primary key (bucket, merchant_id, page_id)
) strict;

create index page_watches_due on page_watches (due_at);

create table merchant_packs (
  bucket integer not null,
  merchant_id text not null,
  pack text not null,
  published_at integer not null,
  mac blob not null,
  primary key (bucket, merchant_id)
) strict;
