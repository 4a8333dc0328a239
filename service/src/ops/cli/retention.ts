import { inspectDatabase } from '../../app/inspect-database.ts'
import { expiredCardsEndBefore } from '../../domain/cards/lifecycle.ts'
import { formSessionRetentionMs } from '../../domain/form-sessions/form-sessions.ts'
import { deviceLifetimeMs } from '../../domain/users/known-devices.ts'
import { userSettings } from '../../domain/users/dependencies.ts'
import { webhookSettings } from '../../domain/webhooks/settings.ts'
import { countEndedCards, countSavedCards } from '../../store/cards.ts'
import { countStored, isDeletedByAge, type StoredKind, storedKinds } from '../../store/retention.ts'
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
    idempotency:       { what: 'stored outcomes of calls', keptMs: 0, rule: '24 hours' },
    events:            { what: 'events and their deliveries', keptMs: webhookSettings.eventRetentionMs, rule: '30 days' },
    formSessions:      { what: 'sessions of the card form', keptMs: formSessionRetentionMs, rule: '24 hours after their end' },
    formCards:         { what: 'tokens for the hosted page', keptMs: 0, rule: 'an hour after the end of their session' },
    dashboardSessions: { what: 'sessions of the dashboard', keptMs: userSettings.idleMs, rule: '15 minutes without a call' },
    knownDevices:      { what: 'known devices of users', keptMs: deviceLifetimeMs, rule: '180 days' },
    signInAttempts:    { what: 'refused sign-ins', keptMs: 0, rule: 'until their count ends' },
    smsSends:          { what: 'messages sent, keyed hash of the phone', keptMs: config.smsSendsDays * days, rule: `${String(config.smsSendsDays)} days (smsSendsDays)` },
    sendLimits:        { what: 'counts of codes sent', keptMs: null, rule: '48 hours, under a key of the day that is destroyed' },
    wrongCodes:        { what: 'counts of wrong codes', keptMs: 0, rule: 'until their stop ends' },
    receipts:          { what: 'payments', keptMs: null, rule: 'for good: accounting' },
    audit:             { what: 'entries of the audit', keptMs: null, rule: 'for good: PCI DSS 10.5.1 wants twelve months at least' },
    disclosures:       { what: 'texts that cardholders agreed to', keptMs: null, rule: 'for good: what a consent refers to' },
  }
}

/** Jobs run each minute; what is overdue for longer was not deleted. */
const graceMs = hours

/** `tessera retention report`: what is stored, for how long, and what is past its time. Reads the database beside a service or without one. */
export async function runRetentionReport(input: CommandInput): Promise<CommandOutcome> {
  const { config } = input.settings()
  try {
    const database = await inspectDatabase('cards', config.databaseUrl, config.dataFolder)
    try {
      if (!database.hasSchema || database.pending().length > 0)
        throw new ExitError('invalidSettings', 'the database has no schema of this version yet.', { advice: 'Start the service once.' })
      const now = makeSystemClock().now()
      const rules = listRules(config)
      const found = []
      for (const kind of storedKinds) {
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
