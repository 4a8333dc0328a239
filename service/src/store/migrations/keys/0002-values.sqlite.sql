-- What the service records outside of the database of the cards. The embedded store has files for it, so that no request waits for this disk.

create table key_store_values (
  name text primary key not null,
  value blob not null
) strict;
