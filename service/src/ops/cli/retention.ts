import { inspectDatabase } from '../../app/inspect-database.ts'
import { requireStoreInCharge } from '../../app/move-check.ts'
import { expiredCardsEndBefore } from '../../domain/cards/lifecycle.ts'
import { limitsRetentionMs } from '../../domain/cards/sweep.ts'
import { formSessionRetentionMs } from '../../domain/form-sessions/form-sessions.ts'
import { storedHours } from '../../domain/reporting/call-counters.ts'
import { deviceLifetimeMs } from '../../domain/users/known-devices.ts'
import { userSettings } from '../../domain/users/dependencies.ts'
import { webhookSettings } from '../../domain/webhooks/settings.ts'
import { countEndedCards, countSavedCards } from '../../store/cards.ts'
import { countStored, isDeletedByAge, listStoredKinds, type StoredKind } from '../../store/retention.ts'
import { makeSystemClock } from '../../system-clock.ts'
import type { Config } from '../config/config.ts'
import { ExitError } from '../exits.ts'
import { printTable, type CommandInput, type CommandOutcome } from './command.ts'
import { explainStart } from './explain-start.ts'

interface RetentionRule {
  readonly what: string
  /** Why it is stored so long, and what ends it. */
  readonly rule: string
  /** How long a row is stored after the time that its column has; 0 where the column has the end. Null where its age ends nothing. */
  readonly keptMs: number | null
}

const hours = 3_600_000
const days = 24 * hours

// prettier-ignore
function listRules(config: Config): Readonly<Record<StoredKind, RetentionRule>> {
  return {
    cardNumbers:       { what: 'sealed card numbers', keptMs: null, rule: `unverified ${String(config.unverifiedLifetimeMinutes)} minutes (unverifiedLifetimeMinutes), save false ${String(config.oneTimeLifetimeHours)} hours (oneTimeLifetimeHours), saved until 30 days after the expiry; removed at once` },
    tombstones:        { what: 'cards without a number', keptMs: null, rule: 'for good: masked number and audit; the number was destroyed' },
    cardLocks:         { what: 'cards with a payment in progress', keptMs: null, rule: 'until the payment ends' },
    verifications:     { what: 'codes sent, keyed hash', keptMs: limitsRetentionMs, rule: '48 hours; with the card when it ends' },
    wrongCodes:        { what: 'counts of wrong codes', keptMs: limitsRetentionMs, rule: '48 hours after their stop ends' },
    sendLimits:        { what: 'counts of codes sent', keptMs: limitsRetentionMs, rule: '48 hours, under a key of the day that is destroyed' },
    smsSends:          { what: 'messages sent, keyed hash of the phone', keptMs: config.smsSendsDays * days, rule: `${String(config.smsSendsDays)} days (smsSendsDays)` },
    formSessions:      { what: 'sessions of the card form', keptMs: formSessionRetentionMs, rule: '24 hours after their end' },
    formCards:         { what: 'tokens for the hosted page', keptMs: 0, rule: 'an hour after the end of their session' },
    disclosures:       { what: 'texts that cardholders agreed to', keptMs: null, rule: 'for good: what a consent refers to' },
    receipts:          { what: 'payments', keptMs: null, rule: 'for good: accounting' },
    operations:        { what: 'calls to networks for payments', keptMs: null, rule: 'for good: accounting' },
    receiptSummaries:  { what: 'summaries of payments, for lists', keptMs: null, rule: 'as long as the payment' },
    receiptOrders:     { what: 'account fields of payments, for searches', keptMs: null, rule: 'as long as the payment' },
    summaryPositions:  { what: 'how far payments are summed up', keptMs: null, rule: 'for good: a position, nothing of a person' },
    summaryLease:      { what: 'which process sums up payments', keptMs: null, rule: 'for good: one row' },
    traceNumbers:      { what: 'numbers drawn for networks', keptMs: null, rule: 'for good: a counter of each network' },
    idempotency:       { what: 'stored outcomes of calls', keptMs: 0, rule: '24 hours' },
    events:            { what: 'events', keptMs: webhookSettings.eventRetentionMs, rule: '30 days' },
    deliveries:        { what: 'deliveries of events', keptMs: null, rule: 'as long as the event' },
    deliveryAttempts:  { what: 'attempts of deliveries, with responses', keptMs: null, rule: 'as long as the event' },
    webhookEndpoints:  { what: 'webhook endpoints', keptMs: null, rule: 'until somebody removes them' },
    dashboardUsers:    { what: 'users of the dashboard', keptMs: null, rule: 'until an owner deletes them' },
    passkeys:          { what: 'passkeys of users', keptMs: null, rule: 'as long as the user, or until removed' },
    recoveryCodes:     { what: 'recovery codes of users, keyed hash', keptMs: null, rule: 'as long as the user, or until renewed' },
    dashboardSessions: { what: 'sessions of the dashboard', keptMs: userSettings.idleMs, rule: '15 minutes without a call' },
    knownDevices:      { what: 'known devices of users', keptMs: deviceLifetimeMs, rule: '180 days' },
    signInAttempts:    { what: 'refused sign-ins', keptMs: 0, rule: 'until their count ends' },
    merchants:         { what: 'merchants', keptMs: null, rule: 'for good' },
    merchantLogos:     { what: 'logos of merchants', keptMs: null, rule: 'until somebody removes them' },
    merchantPacks:     { what: 'evidence for merchants', keptMs: null, rule: 'the newest of each merchant' },
    credentialUses:    { what: 'last uses of API passwords', keptMs: null, rule: 'for good: one row of each password' },
    findings:          { what: 'compliance findings', keptMs: null, rule: 'for good: one row of each kind and place' },
    pageChecks:        { what: 'checks of pages', keptMs: null, rule: 'the last of each page, 20 pages of a merchant' },
    pageScripts:       { what: 'scripts of pages, with their reviews', keptMs: null, rule: 'reviewed ones for good, 300 of a merchant' },
    pageWatches:       { what: 'pages that are read again', keptMs: null, rule: 'as long as their check, or until stopped' },
    tallies:           { what: 'counters of hours, for charts', keptMs: storedHours * hours, rule: '185 days' },
    totals:            { what: 'counters of all time', keptMs: null, rule: 'for good: numbers' },
    tallyPlaces:       { what: 'how far the audit is counted', keptMs: null, rule: 'for good: a position of each chain' },
    formerRequests:    { what: 'calls recorded by an older version', keptMs: null, rule: 'until they are moved into the request log' },
    requests:          { what: 'calls in the request log', keptMs: config.requestLogDays * days, rule: `${String(config.requestLogDays)} days (requestLogDays)` },
    audit:             { what: 'entries of the audit', keptMs: null, rule: 'for good: PCI DSS 10.5.1 wants twelve months at least' },
    keks:              { what: 'since when each KEK wraps keys', keptMs: null, rule: 'for good: its id, and no key' },
    kekProcesses:      { what: 'which process has which KEK', keptMs: null, rule: 'until the process ends' },
    knownAnswers:      { what: 'values that tell whether keys belong here', keptMs: null, rule: 'as long as the key' },
    migrations:        { what: 'changes of the schema', keptMs: null, rule: 'for good' },
    primaryEpoch:      { what: 'how often the primary has changed', keptMs: null, rule: 'for good: one row' },
    sandboxLedger:     { what: 'the network of the sandbox', keptMs: null, rule: 'test environment: until it is emptied' },
    sandboxSteps:      { what: 'failures that the sandbox simulates', keptMs: null, rule: 'test environment: until restored' },
    smsInbox:          { what: 'messages of the sandbox', keptMs: null, rule: 'test environment: the newest of each merchant' },
  }
}

/** Jobs run each minute; what is overdue for longer was not deleted. */
const graceMs = hours

/** `tessera retention report`: what is stored, for how long, and what is past its time. Reads the database beside a service or without one. */
export async function runRetentionReport(input: CommandInput): Promise<CommandOutcome> {
  const { config } = input.settings()
  try {
    requireStoreInCharge(config)
    const database = await inspectDatabase('cards', config.databaseUrl, config.dataFolder)
    try {
      if (!database.hasSchema || database.pending().length > 0)
        throw new ExitError('invalidSettings', 'the database has no schema of this version yet.', { advice: 'Start the service once.' })
      const now = makeSystemClock().now()
      const rules = listRules(config)
      const found = []
      for (const kind of listStoredKinds(database.kind)) {
        const { what, rule, keptMs } = rules[kind]
        const stored = await database.read(countStored(kind, now - (keptMs ?? 0) - graceMs))
        // A card is not due by a column alone: money may be held on it.
        const overdue =
          kind === 'cardNumbers'
            ? (await database.read(countEndedCards(now - graceMs))) +
              (await database.read(countSavedCards(expiredCardsEndBefore(now) - graceMs)))
            : stored.overdue
        const oldestAt = stored.oldestAt === null ? null : new Date(stored.oldestAt).toISOString()
        found.push({
          what,
          rule,
          rows: stored.rows,
          oldestAt,
          overdue,
          isDeleted: keptMs !== null || isDeletedByAge(kind) || kind === 'cardNumbers',
        })
      }
      const late = found.filter(({ overdue }) => overdue > 0)
      const table = printTable(
        ['stored', 'for how long', 'rows', 'oldest', 'overdue'],
        found.map(({ what, rule, rows, oldestAt, overdue, isDeleted }) => [
          what,
          rule,
          String(rows),
          oldestAt?.slice(0, 16) ?? '—',
          isDeleted ? String(overdue) : '—',
        ]),
      )
      const verdict =
        late.length === 0
          ? 'Nothing is past its time.'
          : `Past its time for more than an hour: ${late.map(({ what }) => what).join(', ')}. See whether the service runs, and the log for job_failed and clock_refused.`
      const requests = `Calls in the request log: ${String(config.requestLogDays)} days (requestLogDays), and so many of a merchant: ${String(config.requestLogRowsMax)} (requestLogRowsMax).`
      return {
        exit: late.length === 0 ? 'done' : 'findings',
        data: { stored: found, overdue: late.length },
        text: `${table}\n\n${requests}\n${verdict}`,
      }
    } finally {
      await database.close()
    }
  } catch (err) {
    throw explainStart(err, config, new AbortController().signal)
  }
}
