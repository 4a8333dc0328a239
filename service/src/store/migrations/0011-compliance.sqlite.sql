-- What a merchant shows an assessor: findings of its own calls, the last check of each of its pages, and the inventory of their scripts.

create table findings (
  bucket integer not null,
  merchant_id text not null,
  kind text not null,
  seen_by text not null,
  count integer not null,
  first_at integer not null,
  last_at integer not null,
  method text not null,
  origin text not null,
  request_id text not null,
  primary key (bucket, merchant_id, kind, seen_by)
) strict;

create table page_checks (
  bucket integer not null,
  merchant_id text not null,
  page text not null,
  checked_at integer not null,
  checked_by text not null,
  errors integer not null,
  warnings integer not null,
  report text not null,
  primary key (bucket, merchant_id, page)
) strict;

create table page_scripts (
  bucket integer not null,
  merchant_id text not null,
  page text not null,
  script_id text not null,
  address text not null,
  print text not null,
  integrity text not null,
  party text not null,
  first_at integer not null,
  last_at integer not null,
  judged text not null,
  reason text not null,
  judged_print text not null,
  judged_by text not null,
  judged_at integer not null,
  primary key (bucket, merchant_id, script_id)
) strict;
