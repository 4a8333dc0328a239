-- The request log: each call of a merchant as it may be kept, written behind the calls, and where some were not recorded.

create table request_log (
  bucket integer not null,
  merchant_id text not null,
  at integer not null,
  request_id text not null,
  method text not null,
  profile text not null,
  code integer not null,
  reason text not null,
  micros integer not null,
  caller text not null,
  card_id text not null,
  lost integer not null,
  lost_from integer not null,
  bytes integer not null,
  detail text not null,
  primary key (bucket, merchant_id, at, request_id)
) strict;

create index request_log_request on request_log (bucket, merchant_id, request_id);

create index request_log_card on request_log (bucket, merchant_id, card_id, at desc, request_id desc) where card_id <> '';

-- By the hour, so that no planner takes it for the way to a merchant's newest.
create index request_log_hour on request_log ((at / 3600000));
