-- The hosted page: where it sends the cardholder back to, and the tokens that were made on it, for the merchant's server to fetch.
-- A token is sealed under the data key and the session's text together; the text is not here.

alter table form_sessions add column return_to text collate "C";
alter table form_sessions add column cancelled_at bigint not null default 0;

create table form_cards (
  bucket integer not null,
  session_id text collate "C" not null,
  card_id text collate "C" not null,
  key_id text collate "C" not null,
  sealed bytea not null,
  created_at bigint not null,
  ends_at bigint not null,
  primary key (bucket, session_id, card_id)
);

create index form_cards_ends_at on form_cards (ends_at);
