import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

test('an export is in the audit with its list, filter, format and rows, from its beginning and from its end', async () => {
  const user = await entrance.user('read')
  const conditions = [
    { name: 'status', value: 'failed' },
    { name: 'from', value: '2026-11-01' },
    { name: 'customer', value: '' },
  ]
  app.clock.advance(1000)
  const { exportId } = await user.call('dashboard.exports.start', { list: 'receipts', format: 'csv', conditions })
  app.clock.advance(1000)
  await user.call('dashboard.exports.finish', { exportId, outcome: 'done', rows: 1234 })
  const { entries } = await user.call('dashboard.audit.list', { subject: exportId })
  assert.deepEqual(
    entries.map(({ action, outcome, userId, changes }) => [action, outcome, userId, changes.map(({ name, to }) => `${name}=${to ?? ''}`)]),
    [
      ['data.exported', 'done', user.userId, ['rows=1234']],
      [
        'data.export_started',
        'requested',
        user.userId,
        ['list=receipts', 'format=csv', 'filter=status: failed; from: 2026-11-01; customer: …'],
      ],
    ],
  )
  const listed = await user.call('dashboard.audit.list', {})
  assert.deepEqual(
    listed.entries.slice(0, 2).map(({ action }) => action),
    ['data.exported', 'data.export_started'],
  )
})

test('an end is recorded once, and only by who began', async () => {
  const user = await entrance.user('read')
  const colleague = await entrance.user('owner', user.merchantId)
  const { exportId } = await user.call('dashboard.exports.start', { list: 'cards', format: 'xlsx', conditions: [] })
  const end = { exportId, outcome: 'cancelled', rows: 0 } as const
  assert.equal(await colleague.expectError('dashboard.exports.finish', end), 'member_invalid')
  assert.equal(await user.expectError('dashboard.exports.finish', { ...end, exportId: '0'.repeat(24) }), 'member_invalid')
  await user.call('dashboard.exports.finish', end)
  assert.equal(await user.expectError('dashboard.exports.finish', end), 'member_invalid')
})

test('a condition is a word, a day, an amount or an id: what a person typed is not recorded', async () => {
  const user = await entrance.user('read')
  for (const value of ['<b>', 'A-7 of Anvar', '998901234567890123'])
    assert.match(
      await user.expectError('dashboard.exports.start', { list: 'receipts', format: 'csv', conditions: [{ name: 'order', value }] }),
      /member_invalid/,
      value,
    )
})
