-- What a merchant shows an assessor: findings of its own calls, the last check of each of its pages, and the inventory of their scripts.

create table findings (
  bucket integer not null,
  merchant_id text collate "C" not null,
  kind text collate "C" not null,
  seen_by text collate "C" not null,
  count bigint not null,
  first_at bigint not null,
  last_at bigint not null,
  method text collate "C" not null,
  origin text collate "C" not null,
  request_id text collate "C" not null,
  primary key (bucket, merchant_id, kind, seen_by)
);

create table page_checks (
  bucket integer not null,
  merchant_id text collate "C" not null,
  page text collate "C" not null,
  checked_at bigint not null,
  checked_by text collate "C" not null,
  errors integer not null,
  warnings integer not null,
  report text collate "C" not null,
  primary key (bucket, merchant_id, page)
);

create table page_scripts (
  bucket integer not null,
  merchant_id text collate "C" not null,
  page text collate "C" not null,
  script_id text collate "C" not null,
  address text collate "C" not null,
  print text collate "C" not null,
  integrity text collate "C" not null,
  party text collate "C" not null,
  first_at bigint not null,
  last_at bigint not null,
  judged text collate "C" not null,
  reason text collate "C" not null,
  judged_print text collate "C" not null,
  judged_by text collate "C" not null,
  judged_at bigint not null,
  primary key (bucket, merchant_id, script_id)
);
