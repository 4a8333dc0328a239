import {
  changeAuditCase,
  changeEndpointCase,
  changeEventCase,
  deleteEventCase,
  deleteOutcomeCase,
  exchangeOutcomesCase,
  insertEventCase,
  repeatDeliveryCase,
} from './writer-events.ts'
import {
  changeCardCase,
  insertCardCase,
  exchangeCardsCase,
  deleteCardCase,
  putBackCardCase,
  changeReceiptCase,
  insertReceiptCase,
  exchangeReceiptsCase,
  deleteReceiptCase,
  putBackReceiptCase,
  changeOperationCase,
  insertOperationCase,
  deleteOperationCase,
  putBackHoldCase,
  changeMerchantCase,
  insertMerchantCase,
  deleteMerchantCase,
  putBackMerchantCase,
  changeLockCase,
} from './writer-payments.ts'
import {
  changeUserCase,
  insertUserCase,
  deleteUserCase,
  putBackUserCase,
  changeSessionCase,
  exchangeSessionCase,
  deleteSessionCase,
  putBackSessionCase,
  changeFormSessionCase,
  changeCodeCase,
  exchangeCodesCase,
  deleteCodeCase,
  resetAttemptsCase,
  resetSendsCase,
  insertDisclosureCase,
  changeScriptCase,
} from './writer-people.ts'
import type { WriterCase } from './writer-rows.ts'

/**
 * The cases, by table. A row that is put back is refused where the audit has its versions (docs/decisions/0037-freshness.md).
 */
// prettier-ignore
export const writerCases: readonly WriterCase[] = [
  // Cards
  { table: 'cards',              action: 'change',   what: 'marked as verified',                       outcome: 'refused',  isHeldBy: 'mac', arrange: changeCardCase({ verified: 1 }) },
  { table: 'cards',              action: 'change',   what: 'its life made longer',                     outcome: 'refused',  isHeldBy: 'mac', arrange: changeCardCase({ ends_at: 4e12 }) },
  { table: 'cards',              action: 'insert',   what: 'a copy under another id',                  outcome: 'refused',  isHeldBy: 'mac', arrange: insertCardCase },
  { table: 'cards',              action: 'exchange', what: 'the sealed number of another card',        outcome: 'refused',  isHeldBy: 'mac', arrange: exchangeCardsCase },
  { table: 'cards',              action: 'change',   what: 'the hash of its token',                    outcome: 'missing',  foundBy: 'audit verify', arrange: changeCardCase({ token_hash: new Uint8Array(32) }) },
  { table: 'cards',              action: 'delete',   what: 'the card',                                 outcome: 'missing',  arrange: deleteCardCase },
  { table: 'cards',              action: 'put back', what: 'a removed card',                           outcome: 'refused',  isHeldBy: 'version', arrange: putBackCardCase },
  // Receipts and operations
  { table: 'receipts',           action: 'change',   what: 'the amount',                               outcome: 'refused',  isHeldBy: 'mac', arrange: changeReceiptCase({ amount_tiyin: 100 }) },
  { table: 'receipts',           action: 'change',   what: 'marked as paid',                           outcome: 'refused',  isHeldBy: 'mac', arrange: changeReceiptCase({ state: 4 }) },
  { table: 'receipts',           action: 'insert',   what: 'a copy under another id',                  outcome: 'refused',  isHeldBy: 'mac', arrange: insertReceiptCase },
  { table: 'receipts',           action: 'exchange', what: 'the content of another receipt',           outcome: 'refused',  isHeldBy: 'mac', arrange: exchangeReceiptsCase },
  { table: 'receipts',           action: 'delete',   what: 'the receipt',                              outcome: 'missing',  arrange: deleteReceiptCase },
  { table: 'receipts',           action: 'put back', what: 'a cancelled receipt',                      outcome: 'refused',  isHeldBy: 'version', arrange: putBackReceiptCase },
  { table: 'operations',         action: 'change',   what: "another card's authorization",             outcome: 'refused',  isHeldBy: 'mac', arrange: changeOperationCase },
  { table: 'operations',         action: 'insert',   what: 'a second hold',                            outcome: 'refused',  arrange: insertOperationCase },
  { table: 'operations',         action: 'delete',   what: 'the hold that the receipt names',          outcome: 'refused',  arrange: deleteOperationCase },
  { table: 'operations',         action: 'put back', what: 'a cancelled hold, with its receipt',       outcome: 'refused',  isHeldBy: 'version', arrange: putBackHoldCase },
  // Merchants
  { table: 'merchants',          action: 'change',   what: 'its settings',                             outcome: 'refused',  isHeldBy: 'mac', arrange: changeMerchantCase },
  { table: 'merchants',          action: 'insert',   what: 'a copy under another id',                  outcome: 'refused',  isHeldBy: 'mac', arrange: insertMerchantCase },
  { table: 'merchants',          action: 'delete',   what: 'the merchant',                             outcome: 'missing',  arrange: deleteMerchantCase },
  { table: 'merchants',          action: 'put back', what: 'as it was before it was blocked',          outcome: 'refused',  isHeldBy: 'version', arrange: putBackMerchantCase },
  // People
  { table: 'dashboard_users',    action: 'change',   what: 'the role',                                 outcome: 'refused',  isHeldBy: 'mac', arrange: changeUserCase },
  { table: 'dashboard_users',    action: 'insert',   what: 'a copy under another phone',               outcome: 'refused',  isHeldBy: 'mac', arrange: insertUserCase },
  { table: 'dashboard_users',    action: 'delete',   what: 'the user',                                 outcome: 'missing',  arrange: deleteUserCase },
  { table: 'dashboard_users',    action: 'put back', what: 'as it was before it was blocked',          outcome: 'refused',  isHeldBy: 'version', arrange: putBackUserCase },
  { table: 'dashboard_sessions', action: 'change',   what: 'its times, so that it does not end',       outcome: 'refused',  isHeldBy: 'mac', arrange: changeSessionCase },
  { table: 'dashboard_sessions', action: 'exchange', what: "another merchant's owner as its user",     outcome: 'refused',  isHeldBy: 'mac', arrange: exchangeSessionCase },
  { table: 'dashboard_sessions', action: 'delete',   what: 'the session',                              outcome: 'missing',  arrange: deleteSessionCase },
  { table: 'dashboard_sessions', action: 'put back', what: 'a session that was signed out',            outcome: 'refused',  isHeldBy: 'version', arrange: putBackSessionCase },
  // The form, codes and consents
  { table: 'form_sessions',      action: 'change',   what: 'its end',                                  outcome: 'refused',  isHeldBy: 'mac', arrange: changeFormSessionCase({ ends_at: 4e12 }, 'refused') },
  { table: 'form_sessions',      action: 'change',   what: 'the hash of its secret',                   outcome: 'missing',  foundBy: 'audit verify', arrange: changeFormSessionCase({ hash: new Uint8Array(32) }, 'missing') },
  { table: 'verifications',      action: 'change',   what: 'the code',                                 outcome: 'refused',  arrange: changeCodeCase },
  { table: 'verifications',      action: 'exchange', what: 'the code of an own card',                  outcome: 'refused',  arrange: exchangeCodesCase },
  { table: 'verifications',      action: 'delete',   what: 'the code',                                 outcome: 'missing',  arrange: deleteCodeCase },
  { table: 'verifications',      action: 'reset',    what: 'the counted attempts, before each of ten', outcome: 'refused',  arrange: resetAttemptsCase },
  { table: 'send_limits',        action: 'reset',    what: 'the counted sends',                        outcome: 'refused',  arrange: resetSendsCase },
  { table: 'disclosures',        action: 'insert',   what: 'a text under its own hash',                outcome: 'refused',  isHeldBy: 'mac', arrange: insertDisclosureCase },
  // Requests, events and endpoints
  { table: 'idempotency',        action: 'exchange', what: 'the outcome of another request',           outcome: 'refused',  arrange: exchangeOutcomesCase },
  { table: 'idempotency',        action: 'delete',   what: 'the outcome of a request',                 outcome: 'accepted', arrange: deleteOutcomeCase },
  { table: 'outbox',             action: 'change',   what: 'the body of an event',                     outcome: 'refused',  isHeldBy: 'mac', arrange: changeEventCase({ body: '{"type":"receipt.paid"}' }) },
  { table: 'outbox',             action: 'change',   what: 'a type that is never written',             outcome: 'refused',  arrange: changeEventCase({ type: 'receipt.stolen' }) },
  { table: 'outbox',             action: 'insert',   what: 'an event with its delivery',               outcome: 'refused',  isHeldBy: 'mac', arrange: insertEventCase },
  { table: 'outbox',             action: 'delete',   what: 'an event',                                 outcome: 'missing',  arrange: deleteEventCase },
  { table: 'deliveries',         action: 'put back', what: 'an event that was delivered, due again',   outcome: 'accepted', arrange: repeatDeliveryCase },
  { table: 'webhook_endpoints',  action: 'change',   what: 'the address',                              outcome: 'refused',  arrange: changeEndpointCase },
  // Scripts and locks
  { table: 'page_scripts',       action: 'change',   what: 'authorized without a review',              outcome: 'refused',  isHeldBy: 'mac', arrange: changeScriptCase },
  { table: 'card_locks',         action: 'change',   what: 'held by the next payment',                 outcome: 'refused',  arrange: changeLockCase },
  // The audit
  { table: 'audit',              action: 'change',   what: 'the outcome of an entry',                  outcome: 'accepted', foundBy: 'audit verify', arrange: changeAuditCase },
]
