-- Leaves to make tokens with the hosted form. The session's text is not here, only the hash of its secret half.

create table form_sessions (
  bucket integer not null,
  session_id text collate "C" not null,
  merchant_id text collate "C" not null,
  hash bytea not null,
  origin text collate "C" not null,
  customer text,
  save text collate "C" not null,
  locale text,
  attempts_left integer not null,
  created_at bigint not null,
  ends_at bigint not null,
  primary key (bucket, session_id)
);

create index form_sessions_ends_at on form_sessions (ends_at);
