-- The ways by which the dashboard lists receipts in one state, and deliveries.

create index receipts_state on receipts (bucket, merchant_id, state, created_at, receipt_id);

create index deliveries_newest on deliveries (bucket, merchant_id, made_at, event_id, endpoint_id);

create index deliveries_state on deliveries (bucket, merchant_id, state, made_at, event_id, endpoint_id);
