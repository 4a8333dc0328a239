-- Deliveries are claimed for one endpoint at a time, so that many due ones of one endpoint are not read for another.

create index deliveries_endpoint_due on deliveries (bucket, endpoint_id, due_at, event_id) where due_at is not null;
