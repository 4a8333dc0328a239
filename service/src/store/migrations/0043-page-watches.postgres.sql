-- Pages that are read again by a schedule, and the evidence that operators publish for merchants.

create table page_watches (
  bucket integer not null,
  merchant_id text collate "C" not null,
  page_id text collate "C" not null,
  page text collate "C" not null,
  state text collate "C" not null,
  baseline text collate "C" not null,
  changes text collate "C" not null,
  reading bigint not null,
  failures integer not null,
  due_at bigint not null,
  read_at bigint not null,
  changed_at bigint not null,
  mac bytea not null,
  primary key (bucket, merchant_id, page_id)
);

create index page_watches_due on page_watches (due_at);

create table merchant_packs (
  bucket integer not null,
  merchant_id text collate "C" not null,
  pack text collate "C" not null,
  published_at bigint not null,
  mac bytea not null,
  primary key (bucket, merchant_id)
);
