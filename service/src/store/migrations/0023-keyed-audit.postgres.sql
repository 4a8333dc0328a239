-- breaking: the version before writes entries without a key, which are refused after the boundary entry.
-- Entries are linked under a key, and contain the caller's address and what changed (docs/decisions/0036-keyed-audit-chain.md).

alter table audit add column key_id text collate "C" not null default '';
alter table audit add column address text not null default '';
alter table audit add column changes text not null default '';

-- Without a default, so that the version before, if it still runs, fails instead of adding entries without a key.
alter table audit alter column key_id drop default;
alter table audit alter column address drop default;
alter table audit alter column changes drop default;
