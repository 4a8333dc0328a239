import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteOldCounters } from '../counters.ts'
import { deleteOldDashboardSessions } from '../dashboard-sessions.ts'
import {
  claimDeliveries,
  endpointPageSize,
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
import { backlogs, fillDeliveries, insertEndpoints } from '../suite/many-deliveries.fixture.ts'
import { fillOld, hourOfT0 } from '../suite/many-old.fixture.ts'
import { sampleMerchantId, T0 } from '../suite/samples.fixture.ts'
import { endpointAuditEntry, makeDeliveriesClaim } from '../suite/webhooks.fixture.ts'
import { explainTransaction, planModes } from './explain.fixture.ts'
import { withPostgres } from './with-store.fixture.ts'

/** With one endpoint alone, the index of all due times is as good. */
const dueIndex = /^deliveries_(endpoint_due|due_at)$/

for (const [name, backlog] of Object.entries(backlogs)) {
  test(
    `PostgreSQL claims deliveries by ranges of indexes, ${name}`,
    withPostgres(async ({ url, raw }) => {
      await fillDeliveries(raw, 'postgres', backlog)
      const endpoint = { bucket: 0, endpointId: 'endpoint 0' }
      await expectRanges(url, () => claimDeliveries(makeDeliveriesClaim('ours', T0, { endpoint })), dueIndex)
      const page = { endpoint, now: T0 }
      await expectRanges(url, () => wakeEndpoint(page), dueIndex)
      await expectRanges(url, () => giveUpOverdue({ ...page, dueBefore: T0 - 100 }), dueIndex)
      const failed = { ...endpoint, merchantId: sampleMerchantId, from: 0, to: T0, now: T0 }
      await expectRanges(url, () => replayFailed({ ...failed, audit: endpointAuditEntry }), /^deliveries_(dead|state)$/)
      await insertEndpoints(raw, backlog)
      const after = { bucket: -1, endpointId: '' }
      await expectRanges(
        withoutSeqScans(url),
        () => reading(listDueEndpoints({ after, upTo: { bucket: 2 ** 31 - 1, endpointId: '' }, now: T0 })),
        /^(deliveries_endpoint_due|webhook_endpoints_pkey)$/,
      )
      await expectRanges(url, () => reading(findNextWaiting(after)), dueIndex)
      await expectRanges(url, () => reading(listRecentlyDue({ from: T0 - 5000, to: T0 })), /^deliveries_due_at$/)
    }),
  )
}

test(
  'PostgreSQL looks for due deliveries of a page of endpoints, when there are many and none has any',
  withPostgres(async ({ url, raw, store }) => {
    await raw(`
      insert into webhook_endpoints (bucket, endpoint_id, merchant_id, url, secret, before_ends_at, created_at, version, mac)
      select n % 64, 'endpoint ' || n, '${sampleMerchantId}', 'https://shop.example/' || n, '', 0, ${T0}, 1, ''
      from generate_series(1, 50000) as up(n)`)
    await raw('analyze webhook_endpoints')
    for (const after of [
      { bucket: -1, endpointId: '' },
      { bucket: 30, endpointId: 'endpoint 5' },
    ]) {
      await expectRanges(url, () => reading(findEndpointPageEnd({ after, count: endpointPageSize })), /^webhook_endpoints_pkey$/)
      const upTo = await store.read(findEndpointPageEnd({ after, count: endpointPageSize }))
      assert.ok(upTo !== null)
      await expectRanges(url, () => reading(listDueEndpoints({ after, upTo, now: T0 })), /^webhook_endpoints_(pkey|url)$/)
    }
  }),
)

test(
  'PostgreSQL records an attempt, makes the next delivery due and deletes old events by ranges of indexes',
  withPostgres(async ({ url, raw }) => {
    await fillDeliveries(raw, 'postgres', backlogs['with a normal backlog'])
    const [row = {}] = await raw(`select bucket, endpoint_id, event_id from deliveries where due_at < ${T0} limit 1`)
    const key = { bucket: Number(row['bucket']), endpointId: String(row['endpoint_id']), eventId: String(row['event_id']) }
    const attempt = { ...key, number: 1, at: T0, tookMs: 1, outcome: 'delivered', status: 200, replyHeaders: '', replyBody: '' }
    const result = { claimId: '', attempt, now: T0, state: 'waiting' } as const
    for (const dueAt of [T0 + 5000, null])
      await expectRanges(url, () => recordDeliveryAttempt({ ...result, dueAt }), /^deliveries_(pkey|event)$/)
    await expectRanges(url, () => deleteOldEvents({ before: T0 + 500 }), /^outbox_at$/)
  }),
)

test(
  'PostgreSQL deletes old rows by ranges of indexes when most rows are not old',
  withPostgres(async ({ url, raw }) => {
    await fillOld(raw)
    const before = T0
    const of = withoutJoins(url)
    await expectRanges(of, () => deleteOldLimits({ before }), /^send_limits_made_at$/)
    await expectRanges(of, () => deleteOldIdempotencyRecords({ before }), /^idempotency_ends_at$/)
    await expectRanges(of, () => deleteOldFormSessions({ before }), /^form_sessions_ends_at$/)
    await expectRanges(of, () => deleteOldFormCards({ before }), /^form_cards_ends_at$/)
    await expectRanges(of, () => deleteOldDashboardSessions({ before }), /^dashboard_sessions_last_seen$/)
    await expectRanges(of, () => deleteOldSignInAttempts({ before }), /^sign_in_attempts_ends_at$/)
    await expectRanges(of, () => deleteOldKnownDevices({ before }), /^known_devices_created_at$/)
    await expectRanges(of, () => deleteOldCounters({ before: hourOfT0 }), /^tallies_hour$/)
  }),
)

/** A query as a transaction, so that its plan is checked like theirs. */
function* reading({ statement, values }: Read<unknown>): Transaction<unknown> {
  return yield* run(statement, values)
}

/** Reading all of 64 endpoints is the right plan; the test is about the deliveries of each. */
function withoutSeqScans(url: string): string {
  const target = new URL(url)
  target.searchParams.set('options', `${target.searchParams.get('options') ?? ''} -c enable_seqscan=off`)
  return target.href
}

/** For a page of 500 rows, joining and reading a table of 20,000 is the right plan; the test is about tables where that costs too much. */
function withoutJoins(url: string): string {
  const off = ['hashjoin', 'mergejoin'].map((join) => ` -c enable_${join}=off`).join('')
  const target = new URL(url)
  target.searchParams.set('options', `${target.searchParams.get('options') ?? ''}${off}`)
  return target.href
}

/** The first statement uses the index, no table is scanned, and no more rows are read than a page needs. */
async function expectRanges(url: string, transaction: () => Transaction<unknown>, index: RegExp): Promise<void> {
  for (const mode of planModes) {
    const explained = await explainTransaction(url, mode, transaction())
    const [first] = explained
    assert.ok(
      first?.scans.some((scan) => index.test(scan.of)),
      `${mode}: ${JSON.stringify(first)}`,
    )
    for (const { text, scans } of explained) {
      const wide = scans.filter(({ kind, rowsRead }) => kind === 'Seq Scan' || rowsRead > rowsReadMax)
      assert.deepEqual(wide, [], `${mode}: ${text}`)
    }
  }
}

/** Of 20,000 or 50,000 rows. */
const rowsReadMax = 5000
