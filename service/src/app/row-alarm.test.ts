import assert from 'node:assert/strict'
import { test } from 'node:test'

import { insertAuditEntry } from '../store/audit.ts'
import { makeHandClock } from '../testing/clock.fixture.ts'
import { replaceWrite, storeOf } from '../testing/store.fixture.ts'
import { makeRowAlarm } from './row-alarm.ts'

const fields = { merchantId: 'a'.repeat(24), cardId: '', requestId: 'b'.repeat(24), table: 'operations', receiptId: 'c'.repeat(24) }

function openAlarm(write: () => Promise<void> = () => Promise.resolve()) {
  const logged: string[] = []
  const counted: string[] = []
  const audited: string[] = []
  const clock = makeHandClock()
  const alarm = makeRowAlarm({
    log: { error: (event: string) => void logged.push(event) },
    metrics: { countTamperedRow: ({ table }) => void counted.push(table) },
    store: storeOf(
      replaceWrite(insertAuditEntry, ({ audit }) => {
        audited.push(`${audit.action} ${audit.subject} ${audit.outcome}`)
        return write()
      }),
    ),
    clock,
  })
  return { alarm, logged, counted, audited, clock }
}

test('each refused row is logged and counted, and once a minute audited for each table and merchant', () => {
  const { alarm, logged, counted, audited, clock } = openAlarm()
  alarm('row_tampered', fields)
  alarm('row_tampered', fields)
  alarm('row_tampered', { ...fields, table: 'outbox', receiptId: '' })
  assert.deepEqual(logged, ['row_tampered', 'row_tampered', 'row_tampered'])
  assert.deepEqual(counted, ['operations', 'operations', 'outbox'])
  assert.deepEqual(audited, [`row.refused ${fields.receiptId} tampered`, 'row.refused outbox tampered'])
  clock.advance(60_000)
  alarm('row_tampered', fields)
  assert.equal(audited.length, 3)
})

test('a row that cannot be read is logged only, and an audit that cannot be written is logged too', async () => {
  const { alarm, logged, counted } = openAlarm(() => Promise.reject(new Error('the store is full')))
  alarm('row_broken', fields)
  assert.deepEqual([logged, counted], [['row_broken'], []])
  alarm('row_tampered', fields)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(logged, ['row_broken', 'row_tampered', 'job_failed'])
})
