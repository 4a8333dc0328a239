-- Where merchants want their events, what is still to be delivered there, and every attempt. A row without due_at waits for nothing.

create table webhook_endpoints (
  bucket integer not null,
  endpoint_id text not null,
  merchant_id text not null,
  url text not null,
  secret blob not null,
  secret_before blob,
  before_ends_at integer not null,
  created_at integer not null,
  primary key (bucket, endpoint_id)
) strict;

create unique index webhook_endpoints_url on webhook_endpoints (bucket, merchant_id, url);

create table deliveries (
  bucket integer not null,
  endpoint_id text not null,
  event_id text not null,
  merchant_id text not null,
  object_id text not null,
  position integer not null,
  state text not null,
  tries integer not null,
  attempts integer not null,
  due_at integer,
  claim_id text not null,
  made_at integer not null,
  settled_at integer not null,
  primary key (bucket, endpoint_id, event_id)
) strict;

create index deliveries_due_at on deliveries (due_at, event_id) where due_at is not null;
create index deliveries_order on deliveries (bucket, endpoint_id, object_id, position);
create index deliveries_dead on deliveries (bucket, merchant_id, settled_at) where state = 'dead';
create index deliveries_event on deliveries (bucket, event_id);

create table delivery_attempts (
  bucket integer not null,
  endpoint_id text not null,
  event_id text not null,
  number integer not null,
  at integer not null,
  took_ms integer not null,
  outcome text not null,
  status integer not null,
  primary key (bucket, event_id, endpoint_id, number)
) strict;

create index outbox_newest on outbox (bucket, merchant_id, at, event_id);
create index outbox_at on outbox (at);
