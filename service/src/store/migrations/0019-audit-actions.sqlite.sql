-- The actions of codes have new names; entries of before keep theirs. The index that lists them has both.

drop index audit_codes;

create index audit_codes on audit (merchant_id, at desc, request_id desc, seq desc)
  where action in ('code.dispatched', 'code.attempted', 'code.settled', 'code.tried', 'card.verified');
