-- breaking: the previous version refuses settings of a merchant that it does not know.
-- The logos of merchants, for the hosted page.

create table merchant_logos (
  merchant_id text primary key not null,
  png blob not null,
  stored_at integer not null
) strict;
