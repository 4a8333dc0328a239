-- breaking: the previous version does not know keys of the purpose phone.
-- Each message that was given to an SMS gateway, and what became of it. Stored for smsSendsDays.

create table sms_sends (
  message_id text collate "C" not null,
  gateway text collate "C" not null,
  merchant_id text collate "C" not null,
  purpose text collate "C" not null,
  subject text collate "C" not null,
  key_id text collate "C" not null,
  phone_hash bytea not null,
  phone_mask text collate "C" not null,
  parts integer not null,
  requested_at bigint not null,
  outcome text collate "C" not null,
  accepted_at bigint,
  gateway_message_id text collate "C" not null,
  delivered_at bigint,
  failed_at bigint,
  error text collate "C" not null,
  primary key (message_id, gateway)
);

create index sms_sends_phone on sms_sends (key_id, phone_hash, requested_at);

create index sms_sends_at on sms_sends (requested_at);

-- For delivery reports, which name a message as the gateway does.
create index sms_sends_gateway on sms_sends (gateway, gateway_message_id) where gateway_message_id <> '';
