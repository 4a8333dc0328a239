-- breaking: the previous version refuses settings of a merchant that it does not know.
-- The logos of merchants, for the hosted page.

create table merchant_logos (
  merchant_id text collate "C" primary key not null,
  png bytea not null,
  stored_at bigint not null
);
