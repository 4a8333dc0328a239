-- One row for each key that the database depends on: a hash under the key itself, so that a start notices another key store.

create table known_answers (
  key_id text collate "C" primary key not null,
  purpose text collate "C" not null,
  owner text collate "C" not null,
  answer bytea not null
);

create index known_answers_owner on known_answers (owner);
