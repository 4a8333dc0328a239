-- The newest calls of each kind of caller, of which each has a number of stored calls of its own.

create index request_log_caller on request_log (bucket, merchant_id, caller, at, request_id);
