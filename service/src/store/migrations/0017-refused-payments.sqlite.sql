-- The card that an authorisation was asked for, so that a refused payment is found by it: the receipt forgets the card, for it may be paid with another.

alter table operations add column card_id text not null default '';

create index operations_refused on operations (bucket, card_id, asked_at desc, request_id desc) where state = 'declined' and card_id <> '';
