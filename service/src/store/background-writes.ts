import { resealCards, sweepCards } from './cards.ts'
import { deleteOldCounters } from './counters.ts'
import { deleteOldDashboardSessions } from './dashboard-sessions.ts'
import { deleteFormerRequests } from './former-request-log.ts'
import { deleteOldFormCards, deleteOldFormSessions } from './form-sessions.ts'
import { deleteOldIdempotencyRecords } from './idempotency.ts'
import { deleteOldKnownDevices } from './known-devices.ts'
import { deleteOldEvents } from './outbox.ts'
import { storeReceiptSummaries } from './receipt-summaries.ts'
import { deleteOldLimits } from './send-limits.ts'
import { deleteOldSignInAttempts } from './sign-in-attempts.ts'
import { deleteOldSmsSends } from './sms-sends.ts'

/** The names of transactions that change many rows for a background job, which nobody waits for: calls go first. */
export const backgroundWrites: ReadonlySet<string> = new Set(
  [
    resealCards,
    sweepCards,
    deleteOldCounters,
    deleteOldDashboardSessions,
    deleteOldEvents,
    deleteFormerRequests,
    deleteOldFormCards,
    deleteOldFormSessions,
    deleteOldIdempotencyRecords,
    deleteOldKnownDevices,
    deleteOldLimits,
    deleteOldSignInAttempts,
    deleteOldSmsSends,
    storeReceiptSummaries,
  ].map(({ name }) => name),
)
