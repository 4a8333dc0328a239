-- What the service records outside of the database of the cards, such as how far it has read the audit.

create table key_store_values (
  name text collate "C" primary key not null,
  value bytea not null
);
