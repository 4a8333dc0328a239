import * as audit from './audit.ts'
import * as cards from './cards.ts'
import * as counters from './counters.ts'
import * as dashboardPasskeys from './dashboard-passkeys.ts'
import * as dashboardRecoveryCodes from './dashboard-recovery-codes.ts'
import * as dashboardSessions from './dashboard-sessions.ts'
import * as dashboardUsers from './dashboard-users.ts'
import * as deliveries from './deliveries.ts'
import * as deliveryClaims from './delivery-claims.ts'
import * as disclosures from './disclosures.ts'
import * as findings from './findings.ts'
import * as formSessions from './form-sessions.ts'
import * as formerRequestLog from './former-request-log.ts'
import * as idempotency from './idempotency.ts'
import * as keks from './keks.ts'
import * as knownAnswers from './known-answers.ts'
import * as knownDevices from './known-devices.ts'
import * as merchantLogos from './merchant-logos.ts'
import * as merchantPacks from './merchant-packs.ts'
import * as merchants from './merchants.ts'
import * as operations from './operations.ts'
import * as outbox from './outbox.ts'
import * as pageChecks from './page-checks.ts'
import * as pageWatches from './page-watches.ts'
import * as postponedDeliveries from './postponed-deliveries.ts'
import * as receiptSummaries from './receipt-summaries.ts'
import * as receipts from './receipts.ts'
import * as requestSegments from './request-segments.ts'
import * as sandbox from './sandbox.ts'
import * as sandboxLedger from './sandbox-ledger.ts'
import * as sendLimits from './send-limits.ts'
import * as signInAttempts from './sign-in-attempts.ts'
import * as testData from './test-data.ts'
import * as smsSends from './sms-sends.ts'
import * as traceNumbers from './trace-numbers.ts'
import * as unsignedRows from './unsigned-rows.ts'
import * as userLock from './user-lock.ts'
import * as verificationStops from './verification-stops.ts'
import * as verifications from './verifications.ts'
import * as webhookEndpoints from './webhook-endpoints.ts'
import type { Transaction } from './transaction.ts'

/** A transaction for the worker thread: its function's name and its input. */
export interface NamedTransaction {
  readonly name: string
  readonly input: unknown
}

/** Starts the transaction of this name. A function cannot be sent to a worker thread, so it is looked up there among the exports of the table files. */
export function startTransaction({ name, input }: NamedTransaction): Transaction<unknown> {
  const transaction = transactions.get(name)
  if (transaction === undefined) throw new Error(`no table file exports a transaction named ${name}`)
  return transaction(input)
}

const tables: readonly object[] = [
  audit,
  cards,
  counters,
  dashboardPasskeys,
  dashboardRecoveryCodes,
  dashboardSessions,
  dashboardUsers,
  deliveries,
  deliveryClaims,
  disclosures,
  findings,
  formSessions,
  formerRequestLog,
  idempotency,
  keks,
  knownAnswers,
  knownDevices,
  merchantLogos,
  merchantPacks,
  merchants,
  operations,
  outbox,
  pageChecks,
  pageWatches,
  postponedDeliveries,
  receiptSummaries,
  receipts,
  requestSegments,
  sandbox,
  sandboxLedger,
  sendLimits,
  signInAttempts,
  smsSends,
  testData,
  traceNumbers,
  unsignedRows,
  userLock,
  verificationStops,
  verifications,
  webhookEndpoints,
]

/** Every generator function that a table file exports, by name. */
export const transactions: ReadonlyMap<string, (input: unknown) => Transaction<unknown>> = new Map(
  tables.flatMap((table) => Object.entries(table)).filter(([, value]) => isGeneratorFunction(value)),
)

function isGeneratorFunction(value: unknown): boolean {
  return typeof value === 'function' && value.constructor.name === 'GeneratorFunction'
}
