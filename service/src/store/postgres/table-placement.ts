/**
 * Where Citus has the rows of a table:
 * - `bucket`: on the node of their bucket, together with the rows of all other tables of that bucket.
 * - `chain`: on the node of their audit chain.
 * - `local`: with the coordinator.
 *
 * None is a reference table, of which each node has a copy: no statement joins one with a table of cards, and every write of one would need all nodes.
 */
export type TablePlacement = 'bucket' | 'chain' | 'local'

/** Every table of the cards' schema. A test compares it with the schema, so that a migration that creates a table says here where it goes. */
// prettier-ignore
export const tablePlacements: Readonly<Record<string, TablePlacement>> = {
  audit:                    'chain',   // an entry for each call: the largest table
  card_locks:               'bucket',
  cards:                    'bucket',
  credential_uses:          'local',
  dashboard_passkeys:       'local',
  dashboard_recovery_codes: 'local',
  dashboard_sessions:       'local',
  dashboard_users:          'local',   // the phone is unique across merchants
  day_tries:                'local',
  deliveries:               'bucket',
  delivery_attempts:        'bucket',
  disclosures:              'local',
  findings:                 'bucket',
  form_cards:               'bucket',
  form_sessions:            'bucket',
  idempotency:              'bucket',
  kek_processes:            'local',
  keks:                     'local',
  known_answers:            'local',
  known_devices:            'local',
  merchant_logos:           'local',
  merchant_packs:           'bucket',
  merchants:                'local',   // found by its id alone, before its bucket is known
  migrations:               'local',
  operations:               'bucket',
  outbox:                   'bucket',
  page_checks:              'bucket',
  page_scripts:             'bucket',
  page_watches:             'bucket',
  primary_epoch:            'local',
  receipt_orders:           'bucket',
  receipt_summaries:        'bucket',
  receipts:                 'bucket',
  request_log:              'bucket',
  request_segments:         'bucket',  // its partitions go with it
  sandbox_ledger:           'local',
  sandbox_steps:            'local',
  send_limits:              'local',
  sign_in_attempts:         'local',
  sms_inbox:                'local',
  sms_sends:                'local',
  summary_lease:            'local',
  summary_positions:        'local',   // a row for each chain
  tallies:                  'bucket',
  tally_places:             'local',
  trace_numbers:            'local',
  verifications:            'bucket',
  webhook_endpoints:        'bucket',
}

/** The tables of a placement, the one with which the others are placed first. */
export function listPlacedTables(placement: TablePlacement): string[] {
  const names = Object.keys(tablePlacements).filter((name) => tablePlacements[name] === placement)
  return placement === 'bucket' ? ['cards', ...names.filter((name) => name !== 'cards')] : names
}
