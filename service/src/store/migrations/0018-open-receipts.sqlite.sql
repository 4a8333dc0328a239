-- Receipts in which somebody still has to act, for operators: counted by state, listed over all merchants; and those flagged for an operator.

create index receipts_open on receipts (state, unknown_since, receipt_id) where state not in (0, 4, 50);

create index receipts_flagged on receipts (receipt_id) where flagged = 1;
