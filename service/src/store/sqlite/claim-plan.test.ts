import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteOldDashboardSessions } from '../dashboard-sessions.ts'
import {
  claimDeliveries,
  findEndpointPageEnd,
  findNextWaiting,
  giveUpOverdue,
  listDueEndpoints,
  listRecentlyDue,
  replayFailed,
  wakeEndpoint,
} from '../delivery-claims.ts'
import { recordDeliveryAttempt } from '../deliveries.ts'
import { deleteOldFormCards, deleteOldFormSessions } from '../form-sessions.ts'
import { deleteOldIdempotencyRecords } from '../idempotency.ts'
import { deleteOldEvents } from '../outbox.ts'
import { deleteOldKnownDevices } from '../known-devices.ts'
import { deleteOldSignInAttempts } from '../sign-in-attempts.ts'
import { deleteOldLimits } from '../send-limits.ts'
import { type Read, type Transaction, run } from '../transaction.ts'
import type { Row } from '../statement.ts'
import { backlogs, fillDeliveries } from '../suite/many-deliveries.fixture.ts'
import { bucket, T0 } from '../suite/samples.fixture.ts'
import { endpointAuditEntry, makeDeliveriesClaim } from '../suite/webhooks.fixture.ts'
import { withSqlite } from './with-store.fixture.ts'

const before = T0
const attempt = {
  bucket,
  endpointId: 'e',
  eventId: 'v',
  number: 1,
  at: T0,
  tookMs: 1,
  outcome: 'delivered',
  status: 200,
  replyHeaders: '',
  replyBody: '',
}
const result = { claimId: '', attempt, now: T0, state: 'waiting' } as const

const page = { endpoint: { bucket, endpointId: 'e' }, now: T0 }
const after = { bucket: -1, endpointId: '' }
const failed = { bucket, merchantId: 'm', endpointId: 'e', from: 0, to: T0, now: T0 }

/** A query as a transaction, so that its plan is checked like theirs. */
function* reading({ statement, values }: Read<unknown>): Transaction<unknown> {
  return yield* run(statement, values)
}

/** Each with the index that its first statement uses. */
const transactions: readonly (readonly [string, () => Transaction<unknown>])[] = [
  ['deliveries_endpoint_due', () => claimDeliveries(makeDeliveriesClaim('ours', T0))],
  ['deliveries_endpoint_due', () => wakeEndpoint(page)],
  ['deliveries_endpoint_due', () => giveUpOverdue({ ...page, dueBefore: T0 - 100 })],
  ['deliveries_dead', () => replayFailed({ ...failed, audit: endpointAuditEntry })],
  ['sqlite_autoindex_webhook_endpoints_1', () => reading(findEndpointPageEnd({ after, count: 100 }))],
  ['deliveries_endpoint_due', () => reading(listDueEndpoints({ after, upTo: { bucket: 9, endpointId: '' }, now: T0 }))],
  ['deliveries_endpoint_due', () => reading(findNextWaiting(after))],
  ['deliveries_due_at', () => reading(listRecentlyDue({ from: T0 - 5000, to: T0 }))],
  ['sqlite_autoindex_deliveries_1', () => recordDeliveryAttempt({ ...result, dueAt: T0 + 5000 })],
  ['sqlite_autoindex_deliveries_1', () => recordDeliveryAttempt({ ...result, dueAt: null })],
  ['outbox_at', () => deleteOldEvents({ before })],
  ['send_limits_made_at', () => deleteOldLimits({ before })],
  ['idempotency_ends_at', () => deleteOldIdempotencyRecords({ before })],
  ['form_sessions_ends_at', () => deleteOldFormSessions({ before })],
  ['form_cards_ends_at', () => deleteOldFormCards({ before })],
  ['dashboard_sessions_last_seen', () => deleteOldDashboardSessions({ before })],
  ['sign_in_attempts_ends_at', () => deleteOldSignInAttempts({ before })],
  ['known_devices_created_at', () => deleteOldKnownDevices({ before })],
]

for (const [name, backlog] of [['without statistics', null], ...Object.entries(backlogs)] as const) {
  test(
    `the embedded store claims deliveries and deletes old rows by ranges of indexes, ${name}`,
    withSqlite(async ({ raw }) => {
      if (backlog !== null) await fillDeliveries(raw, 'sqlite', backlog)
      for (const [index, transaction] of transactions) {
        const plans = await Promise.all(textsOf(transaction()).map((text) => planOf(raw, text)))
        assert.ok(
          plans[0]?.some((step) => step.includes(`INDEX ${index} (`)),
          `${index}: ${String(plans[0])}`,
        )
        // `SCAN page` and `SCAN d` read a page of rows that an index has already selected.
        assert.deepEqual(
          plans.flat().filter((step) => step.startsWith('SCAN ') && !/^SCAN (page|d)$/.test(step)),
          [],
        )
      }
    }),
  )
}

async function planOf(raw: (text: string) => Promise<readonly Row[]>, text: string): Promise<string[]> {
  return (await raw(`explain query plan ${text}`)).map((row) => String(row['detail']))
}

/** The statements of a transaction when every query finds a row. */
function textsOf(transaction: Transaction<unknown>): string[] {
  const texts: string[] = []
  for (let step = transaction.next(); step.done !== true; step = transaction.next([foundRow])) {
    if (step.value.kind === 'run') texts.push(step.value.statement.text)
  }
  return texts
}

const foundRow: Row = {
  bucket,
  endpoint_id: 'e',
  event_id: 'v',
  ahead_id: 'w',
  merchant_id: 'm',
  object_id: 'o',
  position: 1,
  state: 'waiting',
  tries: 1,
  attempts: 1,
  due_at: T0,
  made_at: T0,
  settled_at: 0,
}
