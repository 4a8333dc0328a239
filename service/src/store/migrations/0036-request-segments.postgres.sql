-- The request log in segments: the calls of one merchant, one kind of caller and at most one hour as one row, so that a batch is one statement and a
-- row costs one index entry. A partition a day, made when its first calls come and dropped when they are too old.

create table request_segments (
  bucket integer not null,
  merchant_id text collate "C" not null,
  last_at bigint not null,
  last_id text collate "C" not null,
  first_at bigint not null,
  caller text collate "C" not null,
  calls integer not null,
  errors integer not null,
  gaps integer not null,
  slowest_micros bigint not null,
  body text collate "C" not null,
  primary key (bucket, merchant_id, last_at, last_id)
) partition by range (last_at);

-- Not compressed: that would cost more than the rest of a call's record.
alter table request_segments alter column body set storage external;
