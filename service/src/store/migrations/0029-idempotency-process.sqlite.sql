-- The process whose request made the claim. A duplicate does not wait for one that has ended.

alter table idempotency add column process_id text not null default '';
