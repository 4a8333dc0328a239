-- breaking: the version before does not know the state 'expired'.
-- A kept card leaves 'live' when its expiry has passed, which its merchant is told once, and keeps its sealed PAN for 30 days, or as long as money is held on it.

drop index cards_ends_at;

create index cards_ends_at on cards (ends_at, card_id) where state in ('live', 'expired');
create index cards_kept on cards (ends_at, card_id) where state = 'live' and recurrent = 1 and verified = 1;
create index receipts_held on receipts (bucket, card_id) where state in (5, 6);
