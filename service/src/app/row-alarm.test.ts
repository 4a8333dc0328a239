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
    log: {
      error: (event, { suppressed, rowId } = {}) => {
        assert.equal(rowId, undefined, 'the id of the row is not logged')
        logged.push(suppressed === undefined ? event : `${event} ${Number(suppressed)}`)
      },
    },
    metrics: { countTamperedRow: ({ table }) => void counted.push(table) },
    store: storeOf(
      replaceWrite(insertAuditEntry, ({ audit }) => {
        assert.equal(audit.merchantId, '', 'the merchant of a forged row is not believed')
        audited.push(`${audit.action} ${audit.subject} ${audit.outcome}`)
        return write()
      }),
    ),
    clock,
  })
  return { alarm, logged, counted, audited, clock }
}

test('each refused row is counted, logged once a minute with the number of lines left out, and audited once a day', () => {
  const { alarm, logged, counted, audited, clock } = openAlarm()
  for (let i = 0; i < 3; i++) alarm('row_tampered', fields)
  alarm('row_tampered', { ...fields, table: 'outbox', receiptId: '', rowId: 'an event' })
  alarm('row_tampered', { ...fields, table: 'outbox', receiptId: '', rowId: 'another event' })
  assert.deepEqual(logged, ['row_tampered', 'row_tampered', 'row_tampered'])
  assert.deepEqual(counted, ['operations', 'operations', 'operations', 'outbox', 'outbox'])
  const entries = [`row.refused ${fields.receiptId} tampered`, 'row.refused outbox tampered', 'row.refused outbox tampered']
  assert.deepEqual(audited, entries)
  clock.advance(60_000)
  alarm('row_tampered', fields)
  assert.deepEqual(logged.slice(3), ['row_tampered 2'])
  assert.deepEqual(audited, entries)
  clock.advance(86_400_000)
  alarm('row_tampered', { ...fields, merchantId: 'd'.repeat(24) })
  assert.deepEqual([logged.length, audited.length], [5, 4])
})

test('many refused rows write a limited number of audit entries a minute, and the others are audited when they are read again', () => {
  const { alarm, audited, clock } = openAlarm()
  const alarmAll = () => {
    for (let i = 0; i < 100; i++) alarm('row_tampered', { ...fields, rowId: `row ${i}` })
  }
  alarmAll()
  alarmAll()
  assert.equal(audited.length, 60)
  clock.advance(60_000)
  alarmAll()
  assert.equal(audited.length, 100)
})

test('a row that cannot be read is logged only, and an audit that cannot be written is logged too', async () => {
  const { alarm, logged, counted } = openAlarm(() => Promise.reject(new Error('the store is full')))
  alarm('row_broken', fields)
  assert.deepEqual([logged, counted], [['row_broken'], []])
  alarm('row_tampered', fields)
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(logged, ['row_broken', 'row_tampered', 'job_failed'])
})
