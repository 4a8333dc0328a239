-- One row for each key that the database depends on: a hash under the key itself, so that a start notices another key store.

create table known_answers (
  key_id text primary key not null,
  purpose text not null,
  owner text not null,
  answer blob not null
) strict;

create index known_answers_owner on known_answers (owner);
