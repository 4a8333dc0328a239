-- What people did for a merchant, newest first. They write few entries of the audit, so that the calls pay nothing for the index.

create index audit_people on audit (merchant_id, at desc, hash desc) where substr(actor, 1, 8) <> 'merchant' and actor <> 'system';
