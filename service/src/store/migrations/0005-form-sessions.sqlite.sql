-- Leaves to make tokens with the hosted form. The session's text is not here, only the hash of its secret half.

create table form_sessions (
  bucket integer not null,
  session_id text not null,
  merchant_id text not null,
  hash blob not null,
  origin text not null,
  customer text,
  save text not null,
  locale text,
  attempts_left integer not null,
  created_at integer not null,
  ends_at integer not null,
  primary key (bucket, session_id)
) strict;

create index form_sessions_ends_at on form_sessions (ends_at);
