-- breaking: the previous version does not know keys of the purpose phone.
-- Each message that was given to an SMS gateway, and what became of it. Stored for smsSendsDays.

create table sms_sends (
  message_id text not null,
  gateway text not null,
  merchant_id text not null,
  purpose text not null,
  subject text not null,
  key_id text not null,
  phone_hash blob not null,
  phone_mask text not null,
  parts integer not null,
  requested_at integer not null,
  outcome text not null,
  accepted_at integer,
  gateway_message_id text not null,
  delivered_at integer,
  failed_at integer,
  error text not null,
  primary key (message_id, gateway)
) strict;

create index sms_sends_phone on sms_sends (key_id, phone_hash, requested_at);

create index sms_sends_at on sms_sends (requested_at);

-- For delivery reports, which name a message as the gateway does.
create index sms_sends_gateway on sms_sends (gateway, gateway_message_id) where gateway_message_id <> '';
