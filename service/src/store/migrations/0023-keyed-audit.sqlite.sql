-- breaking: the version before writes entries without a key, which are refused after the boundary entry.
-- Entries are linked under a key, and contain the caller's address and what changed (docs/decisions/0036-keyed-audit-chain.md).

alter table audit add column key_id text not null default '';
alter table audit add column address text not null default '';
alter table audit add column changes text not null default '';
