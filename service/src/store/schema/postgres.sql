-- The schema after all migrations, for reading. A test compares it with the database; TESSERA_TEST_PRINT_SCHEMA=1 npm test -- migrate prints it.

create table audit (
  chain text collate "C" not null,
  seq bigint not null,
  hash bytea not null,
  at bigint not null,
  actor text not null,
  action text not null,
  merchant_id text collate "C" not null,
  subject text collate "C" not null,
  version integer not null,
  mac bytea not null,
  request_id text not null,
  outcome text not null,
  key_id text collate "C" not null,
  address text not null,
  changes text not null,
  primary key (chain, seq)
);

create index audit_people on audit (merchant_id, at desc, hash desc) where ((substr(actor, 1, 8) <> 'merchant'::text) and (actor <> 'system'::text));

create index audit_subject on audit (subject, version, at);

create index audit_codes on audit (merchant_id, at desc, request_id desc, seq desc) where (action = any (array['code.dispatched'::text, 'code.attempted'::text, 'code.settled'::text, 'code.tried'::text, 'card.verified'::text]));

create table card_locks (
  bucket integer not null,
  card_id text collate "C" not null,
  merchant_id text collate "C" not null,
  receipt_id text collate "C" not null,
  mac bytea not null,
  primary key (bucket, card_id)
);

create table cards (
  bucket integer not null,
  card_id text collate "C" not null,
  merchant_id text collate "C" not null,
  token_hash bytea not null,
  masked_pan text not null,
  type text not null,
  expiry text not null,
  recurrent smallint not null,
  verified smallint not null,
  state text not null,
  version integer not null,
  key_id text collate "C" not null,
  blob bytea not null,
  mac bytea not null,
  customer text,
  account text,
  consent text,
  created_at bigint not null,
  verified_at bigint,
  ends_at bigint not null,
  ended_at bigint,
  primary key (bucket, card_id)
);

create index cards_key_id on cards (key_id, card_id) where (key_id <> ''::text);

create index cards_ends_at on cards (ends_at, card_id) where (state = any (array['live'::text, 'expired'::text]));

create index cards_kept on cards (ends_at, card_id) where ((state = 'live'::text) and (recurrent = 1) and (verified = 1));

create index cards_newest on cards (bucket, merchant_id, created_at desc, card_id desc);

create index cards_last_four on cards (bucket, merchant_id, substr(masked_pan, (length(masked_pan) - 3)), created_at desc, card_id desc);

create index cards_customer on cards (bucket, merchant_id, customer, created_at desc, card_id desc) where (customer is not null);

create table credential_uses (
  merchant_id text collate "C" not null,
  number integer not null,
  last_used_at bigint not null,
  primary key (merchant_id, number)
);

create table dashboard_passkeys (
  passkey_id text collate "C" not null,
  credential_id text collate "C" not null,
  user_id text collate "C" not null,
  merchant_id text collate "C" not null,
  name text collate "C" not null,
  public_key bytea not null,
  counter bigint not null,
  is_synced integer not null,
  transports text collate "C" not null,
  challenged_at bigint not null,
  created_at bigint not null,
  last_used_at bigint not null,
  mac bytea not null,
  primary key (passkey_id)
);

create unique index dashboard_passkeys_credential on dashboard_passkeys (credential_id);

create index dashboard_passkeys_user on dashboard_passkeys (user_id, created_at);

create table dashboard_recovery_codes (
  user_id text collate "C" not null,
  number integer not null,
  merchant_id text collate "C" not null,
  hash bytea not null,
  pepper_key_id text collate "C" not null,
  created_at bigint not null,
  used_at bigint not null,
  mac bytea not null,
  primary key (user_id, number)
);

create table dashboard_sessions (
  session_id text collate "C" not null,
  user_id text collate "C" not null,
  merchant_id text collate "C" not null,
  hash bytea not null,
  pepper_key_id text collate "C" not null,
  csrf text collate "C" not null,
  created_at bigint not null,
  last_seen_at bigint not null,
  user_agent text collate "C" not null,
  address text collate "C" not null,
  mac bytea not null,
  method text collate "C" not null,
  confirmed_at bigint not null,
  primary key (session_id)
);

create index dashboard_sessions_user on dashboard_sessions (user_id, created_at desc);

create index dashboard_sessions_last_seen on dashboard_sessions (last_seen_at);

create table dashboard_users (
  user_id text collate "C" not null,
  merchant_id text collate "C" not null,
  phone text collate "C" not null,
  role text collate "C" not null,
  state text collate "C" not null,
  version integer not null,
  verifier text collate "C" not null,
  must_change integer not null,
  totp bytea,
  created_at bigint not null,
  mac bytea not null,
  tries integer not null,
  locked_until bigint not null,
  totp_step bigint not null,
  sessions_from bigint not null,
  kept_session text collate "C" not null,
  code_tries integer not null,
  codes_locked_until bigint not null,
  name text not null,
  last_sign_in_at bigint not null,
  primary key (user_id)
);

create unique index dashboard_users_phone on dashboard_users (phone);

create index dashboard_users_merchant on dashboard_users (merchant_id, user_id);

create table day_tries (
  key_id text collate "C" not null,
  subject bytea not null,
  tries integer not null,
  ends_at bigint not null,
  primary key (key_id, subject)
);

create index day_tries_ends_at on day_tries (ends_at);

create table deliveries (
  bucket integer not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  merchant_id text collate "C" not null,
  object_id text collate "C" not null,
  position bigint not null,
  state text not null,
  tries integer not null,
  attempts integer not null,
  due_at bigint,
  claim_id text collate "C" not null,
  made_at bigint not null,
  settled_at bigint not null,
  primary key (bucket, endpoint_id, event_id)
);

create index deliveries_due_at on deliveries (due_at, event_id) where (due_at is not null);

create index deliveries_order on deliveries (bucket, endpoint_id, object_id, "position");

create index deliveries_dead on deliveries (bucket, merchant_id, settled_at) where (state = 'dead'::text);

create index deliveries_event on deliveries (bucket, event_id);

create index deliveries_newest on deliveries (bucket, merchant_id, made_at, event_id, endpoint_id);

create index deliveries_state on deliveries (bucket, merchant_id, state, made_at, event_id, endpoint_id);

create index deliveries_endpoint_due on deliveries (bucket, endpoint_id, due_at, event_id) where (due_at is not null);

create table delivery_attempts (
  bucket integer not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  number integer not null,
  at bigint not null,
  took_ms bigint not null,
  outcome text not null,
  status integer not null,
  reply_headers text not null,
  reply_body text not null,
  primary key (bucket, event_id, endpoint_id, number)
);

create table disclosures (
  sha256 text collate "C" not null,
  version text collate "C" not null,
  locale text collate "C" not null,
  wording text not null,
  first_used_at bigint not null,
  last_used_at bigint not null,
  mac bytea not null,
  primary key (sha256, version, locale)
);

create table findings (
  bucket integer not null,
  merchant_id text collate "C" not null,
  kind text collate "C" not null,
  seen_by text collate "C" not null,
  count bigint not null,
  first_at bigint not null,
  last_at bigint not null,
  method text collate "C" not null,
  origin text collate "C" not null,
  request_id text collate "C" not null,
  primary key (bucket, merchant_id, kind, seen_by)
);

create table form_cards (
  bucket integer not null,
  session_id text collate "C" not null,
  card_id text collate "C" not null,
  key_id text collate "C" not null,
  sealed bytea not null,
  created_at bigint not null,
  ends_at bigint not null,
  primary key (bucket, session_id, card_id)
);

create index form_cards_ends_at on form_cards (ends_at);

create table form_sessions (
  bucket integer not null,
  session_id text collate "C" not null,
  merchant_id text collate "C" not null,
  hash bytea not null,
  origin text collate "C" not null,
  customer text,
  save text collate "C" not null,
  locale text,
  attempts_left integer not null,
  created_at bigint not null,
  ends_at bigint not null,
  return_to text collate "C",
  cancelled_at bigint not null,
  mac bytea not null,
  version integer not null,
  amount_tiyin bigint not null,
  order_text text collate "C" not null,
  cards text collate "C" not null,
  picked text collate "C" not null,
  removals text collate "C" not null,
  primary key (bucket, session_id)
);

create index form_sessions_ends_at on form_sessions (ends_at);

create table idempotency (
  bucket integer not null,
  merchant_id text collate "C" not null,
  caller_class text collate "C" not null,
  key_hash bytea not null,
  identity bytea not null,
  hash_key_id text not null,
  claimed_at bigint not null,
  lease_until bigint not null,
  ends_at bigint not null,
  method text not null,
  subject text not null,
  request_id text collate "C" not null,
  sealed bytea,
  mac bytea not null,
  process_id text not null,
  primary key (bucket, merchant_id, caller_class, key_hash)
);

create index idempotency_ends_at on idempotency (ends_at);

create table kek_processes (
  process_id text collate "C" not null,
  kek_ids text collate "C" not null,
  noted_at bigint not null,
  primary key (process_id)
);

create table keks (
  kek_id text collate "C" not null,
  kind text collate "C" not null,
  since bigint not null,
  primary key (kek_id)
);

create table known_answers (
  key_id text collate "C" not null,
  purpose text collate "C" not null,
  owner text collate "C" not null,
  answer bytea not null,
  primary key (key_id)
);

create index known_answers_owner on known_answers (owner);

create table known_devices (
  device_id text collate "C" not null,
  user_id text collate "C" not null,
  merchant_id text collate "C" not null,
  hash bytea not null,
  pepper_key_id text collate "C" not null,
  created_at bigint not null,
  mac bytea not null,
  primary key (device_id)
);

create index known_devices_user on known_devices (user_id, created_at desc);

create index known_devices_created_at on known_devices (created_at);

create table merchant_logos (
  merchant_id text collate "C" not null,
  png bytea not null,
  stored_at bigint not null,
  primary key (merchant_id)
);

create table merchants (
  id text collate "C" not null,
  bucket integer not null,
  version integer not null,
  state text not null,
  name text not null,
  organization text not null,
  address text not null,
  settings text not null,
  credentials text not null,
  created_at bigint not null,
  mac bytea not null,
  primary key (id)
);

create table migrations (
  number integer not null,
  name text not null,
  checksum text not null,
  compatible integer not null,
  primary key (number)
);

create table operations (
  bucket integer not null,
  receipt_id text collate "C" not null,
  request_id text collate "C" not null,
  merchant_id text collate "C" not null,
  kind text not null,
  amount_tiyin bigint not null,
  state text not null,
  network_ref text not null,
  reason text not null,
  raw_code text not null,
  asked_at bigint not null,
  settled_at bigint not null,
  card_id text collate "C" not null,
  mac bytea not null,
  network text not null,
  trace text not null,
  primary key (bucket, receipt_id, request_id)
);

create index operations_refused on operations (bucket, card_id, asked_at desc, request_id desc) where ((state = 'declined'::text) and (card_id <> ''::text));

create table outbox (
  bucket integer not null,
  event_id text collate "C" not null,
  merchant_id text collate "C" not null,
  object_id text collate "C" not null,
  position bigint not null,
  type text not null,
  at bigint not null,
  body text not null,
  mac bytea not null,
  primary key (bucket, event_id)
);

create unique index outbox_order on outbox (bucket, object_id, "position");

create index outbox_newest on outbox (bucket, merchant_id, at, event_id);

create index outbox_at on outbox (at);

create table page_checks (
  bucket integer not null,
  merchant_id text collate "C" not null,
  page text collate "C" not null,
  checked_at bigint not null,
  checked_by text collate "C" not null,
  errors integer not null,
  warnings integer not null,
  report text collate "C" not null,
  primary key (bucket, merchant_id, page)
);

create table page_scripts (
  bucket integer not null,
  merchant_id text collate "C" not null,
  page text collate "C" not null,
  script_id text collate "C" not null,
  address text collate "C" not null,
  print text collate "C" not null,
  integrity text collate "C" not null,
  party text collate "C" not null,
  first_at bigint not null,
  last_at bigint not null,
  judged text collate "C" not null,
  reason text collate "C" not null,
  judged_print text collate "C" not null,
  judged_by text collate "C" not null,
  judged_at bigint not null,
  mac bytea not null,
  primary key (bucket, merchant_id, script_id)
);

create table primary_epoch (
  id integer not null,
  epoch integer not null,
  timeline integer not null,
  chosen_over integer not null,
  primary key (id)
);

create table receipt_orders (
  bucket integer not null,
  merchant_id text collate "C" not null,
  value text collate "C" not null,
  created_at bigint not null,
  receipt_id text collate "C" not null,
  primary key (bucket, merchant_id, value, created_at, receipt_id)
);

create table receipt_summaries (
  bucket integer not null,
  receipt_id text collate "C" not null,
  merchant_id text collate "C" not null,
  version integer not null,
  status text collate "C" not null,
  amount_tiyin bigint not null,
  captured_tiyin bigint not null,
  refunded_tiyin bigint not null,
  card_id text collate "C" not null,
  customer text collate "C" not null,
  reason text collate "C" not null,
  created_at bigint not null,
  paid_at bigint not null,
  captured_at bigint not null,
  refunded_at bigint not null,
  primary key (bucket, receipt_id)
);

create index receipt_summaries_newest on receipt_summaries (bucket, merchant_id, created_at desc, receipt_id desc);

create index receipt_summaries_status on receipt_summaries (bucket, merchant_id, status, created_at desc, receipt_id desc);

create index receipt_summaries_amount on receipt_summaries (bucket, merchant_id, amount_tiyin, created_at desc, receipt_id desc);

create index receipt_summaries_card on receipt_summaries (bucket, merchant_id, card_id, created_at desc, receipt_id desc) where (card_id <> ''::text);

create index receipt_summaries_customer on receipt_summaries (bucket, merchant_id, customer, created_at desc, receipt_id desc) where (customer <> '""'::text);

create index receipt_summaries_captured on receipt_summaries (bucket, merchant_id, captured_at desc, receipt_id desc, captured_tiyin) where (captured_at > 0);

create index receipt_summaries_refunded on receipt_summaries (bucket, merchant_id, refunded_at desc, receipt_id desc, refunded_tiyin) where (refunded_at > 0);

create table receipts (
  bucket integer not null,
  receipt_id text collate "C" not null,
  merchant_id text collate "C" not null,
  state integer not null,
  version integer not null,
  mac bytea not null,
  amount_tiyin bigint not null,
  taken_tiyin bigint not null,
  hold smallint not null,
  description text not null,
  detail text,
  account text not null,
  payer text,
  error text,
  card_id text collate "C" not null,
  masked_pan text not null,
  card_expiry text not null,
  one_time smallint not null,
  network_ref text not null,
  request_id text collate "C" not null,
  customer text,
  created_at bigint not null,
  pay_time bigint not null,
  cancel_time bigint not null,
  source_cancel text,
  fiscal text,
  unknown_since bigint not null,
  flagged smallint not null,
  due_at bigint,
  looks integer not null,
  operations_digest bytea not null,
  primary key (bucket, receipt_id)
);

create index receipts_newest on receipts (bucket, merchant_id, created_at desc, receipt_id desc);

create index receipts_due_at on receipts (due_at, receipt_id) where (due_at is not null);

create index receipts_held on receipts (bucket, card_id) where (state = any (array[5, 6]));

create index receipts_card on receipts (bucket, card_id, created_at desc, receipt_id desc) where (card_id <> ''::text);

create index receipts_state on receipts (bucket, merchant_id, state, created_at, receipt_id);

create index receipts_open on receipts (state, unknown_since, receipt_id) where (state <> all (array[0, 4, 50]));

create index receipts_flagged on receipts (receipt_id) where (flagged = 1);

create table request_log (
  bucket integer not null,
  merchant_id text collate "C" not null,
  at bigint not null,
  request_id text collate "C" not null,
  method text collate "C" not null,
  profile text collate "C" not null,
  code integer not null,
  reason text collate "C" not null,
  micros bigint not null,
  caller text collate "C" not null,
  card_id text collate "C" not null,
  lost bigint not null,
  lost_from bigint not null,
  bytes integer not null,
  detail text collate "C" not null,
  primary key (bucket, merchant_id, at, request_id)
);

create index request_log_request on request_log (bucket, merchant_id, request_id);

create index request_log_card on request_log (bucket, merchant_id, card_id, at desc, request_id desc) where (card_id <> ''::text);

create index request_log_hour on request_log (((at / 3600000)));

create index request_log_caller on request_log (bucket, merchant_id, caller, at, request_id);

create table request_segments (
  bucket integer not null,
  merchant_id text collate "C" not null,
  last_at bigint not null,
  last_id text collate "C" not null,
  first_at bigint not null,
  caller text collate "C" not null,
  calls integer not null,
  errors integer not null,
  gaps integer not null,
  slowest_micros bigint not null,
  body text collate "C" not null,
  primary key (bucket, merchant_id, last_at, last_id)
) partition by range (last_at);

create table sandbox_ledger (
  request_id text collate "C" not null,
  kind text not null,
  merchant_id text collate "C" not null,
  amount_tiyin bigint not null,
  network_ref text collate "C" not null,
  outcome text not null,
  reason text not null,
  at bigint not null,
  primary key (request_id)
);

create index sandbox_ledger_network_ref on sandbox_ledger (network_ref, at, request_id);

create table sandbox_steps (
  merchant_id text collate "C" not null,
  scenario text collate "C" not null,
  step text not null,
  primary key (merchant_id, scenario)
);

create table send_limits (
  key_id text collate "C" not null,
  scope text collate "C" not null,
  subject bytea not null,
  t1 bigint not null,
  t2 bigint not null,
  t3 bigint not null,
  t4 bigint not null,
  t5 bigint not null,
  made_at bigint not null,
  primary key (key_id, scope, subject)
);

create index send_limits_made_at on send_limits (made_at);

create table sign_in_attempts (
  subject text collate "C" not null,
  tries bigint not null,
  locked_until bigint not null,
  ends_at bigint not null,
  primary key (subject)
);

create index sign_in_attempts_ends_at on sign_in_attempts (ends_at);

create table sms_inbox (
  merchant_id text collate "C" not null,
  id text collate "C" not null,
  at bigint not null,
  phone_mask text not null,
  text text not null,
  primary key (merchant_id, id)
);

create index sms_inbox_at on sms_inbox (at, id);

create index sms_inbox_newest on sms_inbox (merchant_id, at desc, id desc);

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

create index sms_sends_gateway on sms_sends (gateway, gateway_message_id) where (gateway_message_id <> ''::text);

create table summary_lease (
  name text collate "C" not null,
  process_id text collate "C" not null,
  ends_at bigint not null,
  primary key (name)
);

create table summary_positions (
  chain text collate "C" not null,
  seq bigint not null,
  primary key (chain)
);

create table tallies (
  bucket integer not null,
  merchant_id text collate "C" not null,
  hour bigint not null,
  name text collate "C" not null,
  count bigint not null,
  primary key (bucket, merchant_id, hour, name)
);

create index tallies_hour on tallies (hour) where (hour > 0);

create table tally_places (
  chain text collate "C" not null,
  seq bigint not null,
  primary key (chain)
);

create table trace_numbers (
  network text collate "C" not null,
  next bigint not null,
  primary key (network)
);

create table verifications (
  bucket integer not null,
  card_id text collate "C" not null,
  merchant_id text collate "C" not null,
  attempt_id text not null,
  otp_hash bytea not null,
  otp_key_id text not null,
  sent_by text,
  phone_mask text,
  network_ref text,
  outcome text not null,
  tries integer not null,
  asked_wall bigint not null,
  asked_mono bigint not null,
  asked_boot text not null,
  open smallint not null,
  mac bytea not null,
  primary key (bucket, card_id)
);

create index verifications_asked_wall on verifications (asked_wall);

create table webhook_endpoints (
  bucket integer not null,
  endpoint_id text collate "C" not null,
  merchant_id text collate "C" not null,
  url text collate "C" not null,
  secret bytea not null,
  secret_before bytea,
  before_ends_at bigint not null,
  created_at bigint not null,
  mac bytea not null,
  version integer not null,
  types text not null,
  disabled_at bigint not null,
  primary key (bucket, endpoint_id)
);

create unique index webhook_endpoints_url on webhook_endpoints (bucket, merchant_id, url);
