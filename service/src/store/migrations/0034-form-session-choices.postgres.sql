-- breaking: the previous version does not know that the MAC covers the new columns.
-- What a session shows to the payer: amount, order and saved cards to choose from; and what the payer chose.

alter table form_sessions add column amount_tiyin bigint not null default 0;

alter table form_sessions add column order_text text collate "C" not null default '';

alter table form_sessions add column cards text collate "C" not null default '';

alter table form_sessions add column picked text collate "C" not null default '';

alter table form_sessions add column removals text collate "C" not null default '';
