-- The schema after all migrations, for reading. A test compares it with the database; TESSERA_TEST_PRINT_SCHEMA=1 npm test -- migrate prints it.

create table audit (
  chain text not null,
  seq integer not null,
  hash blob not null,
  at integer not null,
  actor text not null,
  action text not null,
  merchant_id text not null,
  subject text not null,
  version integer not null,
  mac blob not null,
  request_id text not null,
  outcome text not null, key_id text not null default '', address text not null default '', changes text not null default '',
  primary key (chain, seq)
) strict;

create index audit_codes on audit (merchant_id, at desc, request_id desc, seq desc)
  where action in ('code.dispatched', 'code.attempted', 'code.settled', 'code.tried', 'card.verified');

create index audit_people on audit (merchant_id, at desc, hash desc) where substr(actor, 1, 8) <> 'merchant' and actor <> 'system';

create index audit_subject on audit (subject, version, at);

create table card_locks (
  bucket integer not null,
  card_id text not null,
  merchant_id text not null,
  receipt_id text not null, mac blob not null default x'',
  primary key (bucket, card_id)
) strict;

create table cards (
  bucket integer not null,
  card_id text not null,
  merchant_id text not null,
  token_hash blob not null,
  masked_pan text not null,
  type text not null,
  expiry text not null,
  recurrent integer not null,
  verified integer not null,
  state text not null,
  version integer not null,
  key_id text not null,
  blob blob not null,
  mac blob not null,
  customer text,
  account text,
  consent text,
  created_at integer not null,
  verified_at integer,
  ends_at integer not null,
  ended_at integer,
  primary key (bucket, card_id)
) strict;

create index cards_customer on cards (bucket, merchant_id, customer, created_at desc, card_id desc) where customer is not null;

create index cards_ends_at on cards (ends_at, card_id) where state in ('live', 'expired');

create index cards_kept on cards (ends_at, card_id) where state = 'live' and recurrent = 1 and verified = 1;

create index cards_key_id on cards (key_id, card_id) where key_id <> '';

create index cards_last_four on cards (bucket, merchant_id, substr(masked_pan, length(masked_pan) - 3), created_at desc, card_id desc);

create index cards_newest on cards (bucket, merchant_id, created_at desc, card_id desc);

create table credential_uses (
  merchant_id text not null,
  number integer not null,
  last_used_at integer not null,
  primary key (merchant_id, number)
) strict;

create table dashboard_passkeys (
  passkey_id text primary key not null,
  credential_id text not null,
  user_id text not null,
  merchant_id text not null,
  name text not null,
  public_key blob not null,
  counter integer not null,
  is_synced integer not null,
  transports text not null,
  challenged_at integer not null,
  created_at integer not null,
  last_used_at integer not null,
  mac blob not null
) strict;

create unique index dashboard_passkeys_credential on dashboard_passkeys (credential_id);

create index dashboard_passkeys_user on dashboard_passkeys (user_id, created_at);

create table dashboard_recovery_codes (
  user_id text not null,
  number integer not null,
  merchant_id text not null,
  hash blob not null,
  pepper_key_id text not null,
  created_at integer not null,
  used_at integer not null,
  mac blob not null,
  primary key (user_id, number)
) strict;

create table dashboard_sessions (
  session_id text primary key not null,
  user_id text not null,
  merchant_id text not null,
  hash blob not null,
  pepper_key_id text not null,
  csrf text not null,
  created_at integer not null,
  last_seen_at integer not null,
  user_agent text not null,
  address text not null
, mac blob not null default x'', method text not null default 'password', confirmed_at integer not null default 0) strict;

create index dashboard_sessions_last_seen on dashboard_sessions (last_seen_at);

create index dashboard_sessions_user on dashboard_sessions (user_id, created_at desc);

create table dashboard_users (
  user_id text primary key not null,
  merchant_id text not null,
  phone text not null,
  role text not null,
  state text not null,
  version integer not null,
  verifier text not null,
  must_change integer not null,
  totp blob,
  created_at integer not null,
  mac blob not null,
  tries integer not null,
  locked_until integer not null,
  totp_step integer not null
, sessions_from integer not null default 0, kept_session text not null default '', code_tries integer not null default 0, codes_locked_until integer not null default 0, name text not null default '', last_sign_in_at integer not null default 0) strict;

create index dashboard_users_merchant on dashboard_users (merchant_id, user_id);

create unique index dashboard_users_phone on dashboard_users (phone);

create table day_tries (
  key_id text not null,
  subject blob not null,
  tries integer not null,
  ends_at integer not null,
  primary key (key_id, subject)
) strict;

create index day_tries_ends_at on day_tries (ends_at);

create table deliveries (
  bucket integer not null,
  endpoint_id text not null,
  event_id text not null,
  merchant_id text not null,
  object_id text not null,
  position integer not null,
  state text not null,
  tries integer not null,
  attempts integer not null,
  due_at integer,
  claim_id text not null,
  made_at integer not null,
  settled_at integer not null,
  primary key (bucket, endpoint_id, event_id)
) strict;

create index deliveries_dead on deliveries (bucket, merchant_id, settled_at) where state = 'dead';

create index deliveries_due_at on deliveries (due_at, event_id) where due_at is not null;

create index deliveries_endpoint_due on deliveries (bucket, endpoint_id, due_at, event_id) where due_at is not null;

create index deliveries_event on deliveries (bucket, event_id);

create index deliveries_newest on deliveries (bucket, merchant_id, made_at, event_id, endpoint_id);

create index deliveries_order on deliveries (bucket, endpoint_id, object_id, position);

create index deliveries_state on deliveries (bucket, merchant_id, state, made_at, event_id, endpoint_id);

create table delivery_attempts (
  bucket integer not null,
  endpoint_id text not null,
  event_id text not null,
  number integer not null,
  at integer not null,
  took_ms integer not null,
  outcome text not null,
  status integer not null, reply_headers text not null default '', reply_body text not null default '',
  primary key (bucket, event_id, endpoint_id, number)
) strict;

create table disclosures (
  sha256 text not null,
  version text not null,
  locale text not null,
  wording text not null,
  first_used_at integer not null,
  last_used_at integer not null, mac blob not null default x'',
  primary key (sha256, version, locale)
) strict;

create table findings (
  bucket integer not null,
  merchant_id text not null,
  kind text not null,
  seen_by text not null,
  count integer not null,
  first_at integer not null,
  last_at integer not null,
  method text not null,
  origin text not null,
  request_id text not null,
  primary key (bucket, merchant_id, kind, seen_by)
) strict;

create table form_cards (
  bucket integer not null,
  session_id text not null,
  card_id text not null,
  key_id text not null,
  sealed blob not null,
  created_at integer not null,
  ends_at integer not null,
  primary key (bucket, session_id, card_id)
) strict;

create index form_cards_ends_at on form_cards (ends_at);

create table form_sessions (
  bucket integer not null,
  session_id text not null,
  merchant_id text not null,
  hash blob not null,
  origin text not null,
  customer text,
  save text not null,
  locale text,
  attempts_left integer not null,
  created_at integer not null,
  ends_at integer not null, return_to text, cancelled_at integer not null default 0, mac blob not null default x'', version integer not null default 1, amount_tiyin integer not null default 0, order_text text not null default '', cards text not null default '', picked text not null default '', removals text not null default '',
  primary key (bucket, session_id)
) strict;

create index form_sessions_ends_at on form_sessions (ends_at);

create table idempotency (
  bucket integer not null,
  merchant_id text not null,
  caller_class text not null,
  key_hash blob not null,
  identity blob not null,
  hash_key_id text not null,
  claimed_at integer not null,
  lease_until integer not null,
  ends_at integer not null,
  method text not null,
  subject text not null,
  request_id text not null,
  sealed blob, mac blob not null default x'', process_id text not null default '',
  primary key (bucket, merchant_id, caller_class, key_hash)
) strict;

create index idempotency_ends_at on idempotency (ends_at);

create table kek_processes (
  process_id text primary key not null,
  kek_ids text not null,
  noted_at integer not null
) strict;

create table keks (
  kek_id text primary key not null,
  kind text not null,
  since integer not null
) strict;

create table known_answers (
  key_id text primary key not null,
  purpose text not null,
  owner text not null,
  answer blob not null
) strict;

create index known_answers_owner on known_answers (owner);

create table known_devices (
  device_id text primary key not null,
  user_id text not null,
  merchant_id text not null,
  hash blob not null,
  pepper_key_id text not null,
  created_at integer not null,
  mac blob not null
) strict;

create index known_devices_created_at on known_devices (created_at);

create index known_devices_user on known_devices (user_id, created_at desc);

create table merchant_logos (
  merchant_id text primary key not null,
  png blob not null,
  stored_at integer not null
) strict;

create table merchants (
  id text primary key not null,
  bucket integer not null,
  version integer not null,
  state text not null,
  name text not null,
  organization text not null,
  address text not null,
  settings text not null,
  credentials text not null,
  created_at integer not null,
  mac blob not null
) strict;

create table migrations (
  number integer primary key not null, name text not null, checksum text not null, compatible integer not null default 0) strict;

create table operations (
  bucket integer not null,
  receipt_id text not null,
  request_id text not null,
  merchant_id text not null,
  kind text not null,
  amount_tiyin integer not null,
  state text not null,
  network_ref text not null,
  reason text not null,
  raw_code text not null,
  asked_at integer not null,
  settled_at integer not null, card_id text not null default '', mac blob not null default x'', network text not null default '', trace text not null default '',
  primary key (bucket, receipt_id, request_id)
) strict;

create index operations_refused on operations (bucket, card_id, asked_at desc, request_id desc) where state = 'declined' and card_id <> '';

create table outbox (
  bucket integer not null,
  event_id text not null,
  merchant_id text not null,
  object_id text not null,
  position integer not null,
  type text not null,
  at integer not null,
  body text not null, mac blob not null default x'',
  primary key (bucket, event_id)
) strict;

create index outbox_at on outbox (at);

create index outbox_newest on outbox (bucket, merchant_id, at, event_id);

create unique index outbox_order on outbox (bucket, object_id, position);

create table page_checks (
  bucket integer not null,
  merchant_id text not null,
  page text not null,
  checked_at integer not null,
  checked_by text not null,
  errors integer not null,
  warnings integer not null,
  report text not null,
  primary key (bucket, merchant_id, page)
) strict;

create table page_scripts (
  bucket integer not null,
  merchant_id text not null,
  page text not null,
  script_id text not null,
  address text not null,
  print text not null,
  integrity text not null,
  party text not null,
  first_at integer not null,
  last_at integer not null,
  judged text not null,
  reason text not null,
  judged_print text not null,
  judged_by text not null,
  judged_at integer not null, mac blob not null default x'',
  primary key (bucket, merchant_id, script_id)
) strict;

create table receipt_orders (
  bucket integer not null,
  merchant_id text not null,
  value text not null,
  created_at integer not null,
  receipt_id text not null,
  primary key (bucket, merchant_id, value, created_at, receipt_id)
) strict;

create table receipt_summaries (
  bucket integer not null,
  receipt_id text not null,
  merchant_id text not null,
  version integer not null,
  status text not null,
  amount_tiyin integer not null,
  captured_tiyin integer not null,
  refunded_tiyin integer not null,
  card_id text not null,
  customer text not null,
  reason text not null,
  created_at integer not null,
  paid_at integer not null,
  captured_at integer not null,
  refunded_at integer not null,
  primary key (bucket, receipt_id)
) strict;

create index receipt_summaries_amount on receipt_summaries (bucket, merchant_id, amount_tiyin, created_at desc, receipt_id desc);

create index receipt_summaries_captured on receipt_summaries (bucket, merchant_id, captured_at desc, receipt_id desc, captured_tiyin) where captured_at > 0;

create index receipt_summaries_card on receipt_summaries (bucket, merchant_id, card_id, created_at desc, receipt_id desc) where card_id <> '';

create index receipt_summaries_customer on receipt_summaries (bucket, merchant_id, customer, created_at desc, receipt_id desc) where customer <> '""';

create index receipt_summaries_newest on receipt_summaries (bucket, merchant_id, created_at desc, receipt_id desc);

create index receipt_summaries_refunded on receipt_summaries (bucket, merchant_id, refunded_at desc, receipt_id desc, refunded_tiyin) where refunded_at > 0;

create index receipt_summaries_status on receipt_summaries (bucket, merchant_id, status, created_at desc, receipt_id desc);

create table receipts (
  bucket integer not null,
  receipt_id text not null,
  merchant_id text not null,
  state integer not null,
  version integer not null,
  mac blob not null,
  amount_tiyin integer not null,
  taken_tiyin integer not null,
  hold integer not null,
  description text not null,
  detail text,
  account text not null,
  payer text,
  error text,
  card_id text not null,
  masked_pan text not null,
  card_expiry text not null,
  one_time integer not null,
  network_ref text not null,
  request_id text not null,
  customer text,
  created_at integer not null,
  pay_time integer not null,
  cancel_time integer not null,
  source_cancel text,
  fiscal text,
  unknown_since integer not null,
  flagged integer not null,
  due_at integer,
  looks integer not null, operations_digest blob not null default x'',
  primary key (bucket, receipt_id)
) strict;

create index receipts_card on receipts (bucket, card_id, created_at desc, receipt_id desc) where card_id <> '';

create index receipts_due_at on receipts (due_at, receipt_id) where due_at is not null;

create index receipts_flagged on receipts (receipt_id) where flagged = 1;

create index receipts_held on receipts (bucket, card_id) where state in (5, 6);

create index receipts_newest on receipts (bucket, merchant_id, created_at desc, receipt_id desc);

create index receipts_open on receipts (state, unknown_since, receipt_id) where state not in (0, 4, 50);

create index receipts_state on receipts (bucket, merchant_id, state, created_at, receipt_id);

create table request_log (
  bucket integer not null,
  merchant_id text not null,
  at integer not null,
  request_id text not null,
  method text not null,
  profile text not null,
  code integer not null,
  reason text not null,
  micros integer not null,
  caller text not null,
  card_id text not null,
  lost integer not null,
  lost_from integer not null,
  bytes integer not null,
  detail text not null,
  primary key (bucket, merchant_id, at, request_id)
) strict;

create index request_log_caller on request_log (bucket, merchant_id, caller, at, request_id);

create index request_log_card on request_log (bucket, merchant_id, card_id, at desc, request_id desc) where card_id <> '';

create index request_log_hour on request_log ((at / 3600000));

create index request_log_request on request_log (bucket, merchant_id, request_id);

create table sandbox_ledger (
  request_id text primary key not null,
  kind text not null,
  merchant_id text not null,
  amount_tiyin integer not null,
  network_ref text not null,
  outcome text not null,
  reason text not null,
  at integer not null
) strict;

create index sandbox_ledger_network_ref on sandbox_ledger (network_ref, at, request_id);

create table sandbox_steps (
  merchant_id text not null,
  scenario text not null,
  step text not null,
  primary key (merchant_id, scenario)
) strict;

create table send_limits (
  key_id text not null,
  scope text not null,
  subject blob not null,
  t1 integer not null,
  t2 integer not null,
  t3 integer not null,
  t4 integer not null,
  t5 integer not null,
  made_at integer not null,
  primary key (key_id, scope, subject)
) strict;

create index send_limits_made_at on send_limits (made_at);

create table sign_in_attempts (
  subject text primary key not null,
  tries integer not null,
  locked_until integer not null,
  ends_at integer not null
) strict;

create index sign_in_attempts_ends_at on sign_in_attempts (ends_at);

create table sms_inbox (
  merchant_id text not null,
  id text not null,
  at integer not null,
  phone_mask text not null,
  text text not null,
  primary key (merchant_id, id)
) strict;

create index sms_inbox_at on sms_inbox (at, id);

create index sms_inbox_newest on sms_inbox (merchant_id, at desc, id desc);

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

create index sms_sends_at on sms_sends (requested_at);

create index sms_sends_gateway on sms_sends (gateway, gateway_message_id) where gateway_message_id <> '';

create index sms_sends_phone on sms_sends (key_id, phone_hash, requested_at);

create table summary_lease (
  name text not null primary key,
  process_id text not null,
  ends_at integer not null
) strict;

create table summary_positions (
  chain text not null primary key,
  seq integer not null
) strict;

create table tallies (
  bucket integer not null,
  merchant_id text not null,
  hour integer not null,
  name text not null,
  count integer not null,
  primary key (bucket, merchant_id, hour, name)
) strict;

create index tallies_hour on tallies (hour) where hour > 0;

create table tally_places (chain text primary key not null, seq integer not null) strict;

create table trace_numbers (
  network text not null,
  next integer not null,
  primary key (network)
) strict;

create table verifications (
  bucket integer not null,
  card_id text not null,
  merchant_id text not null,
  attempt_id text not null,
  otp_hash blob not null,
  otp_key_id text not null,
  sent_by text,
  phone_mask text,
  network_ref text,
  outcome text not null,
  tries integer not null,
  asked_wall integer not null,
  asked_mono integer not null,
  asked_boot text not null,
  open integer not null, mac blob not null default x'',
  primary key (bucket, card_id)
) strict;

create index verifications_asked_wall on verifications (asked_wall);

create table webhook_endpoints (
  bucket integer not null,
  endpoint_id text not null,
  merchant_id text not null,
  url text not null,
  secret blob not null,
  secret_before blob,
  before_ends_at integer not null,
  created_at integer not null, mac blob not null default x'', version integer not null default 1, types text not null default '', disabled_at integer not null default 0,
  primary key (bucket, endpoint_id)
) strict;

create unique index webhook_endpoints_url on webhook_endpoints (bucket, merchant_id, url);
