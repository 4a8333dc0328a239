-- breaking: the previous version does not know that the MAC of an endpoint covers the new columns, and would send to an endpoint that is disabled.
-- Which events an endpoint gets, and since when it gets none; and what an attempt got as its reply.

alter table webhook_endpoints add column types text not null default '';

alter table webhook_endpoints add column disabled_at bigint not null default 0;

alter table delivery_attempts add column reply_headers text not null default '';

alter table delivery_attempts add column reply_body text not null default '';
