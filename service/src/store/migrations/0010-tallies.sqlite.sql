-- What the charts of the dashboard are drawn from: counts by the hour, told from the audit behind the commits; and the ways that lists of it are found by.

create table tallies (
  bucket integer not null,
  merchant_id text not null,
  hour integer not null,
  name text not null,
  count integer not null,
  primary key (bucket, merchant_id, hour, name)
) strict;

create index tallies_hour on tallies (hour) where hour > 0;

create table tally_places (chain text primary key not null, seq integer not null) strict;

create index audit_codes on audit (merchant_id, at desc, request_id desc, seq desc) where action in ('code.settled', 'code.tried', 'card.verified');

create index sms_inbox_newest on sms_inbox (merchant_id, at desc, id desc);
