import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHandClock } from '../../testing/clock.fixture.ts'

import { makeMetrics } from './metrics.ts'
import { makeWindowMaximum } from './process-gauges.ts'

test('a maximum of the last one to two minutes is the same for every reader, and ends', () => {
  let [now, since] = [0, 3]
  const read = makeWindowMaximum({ read: () => since, reset: () => (since = 0), now: () => now })
  assert.deepEqual([read(), read()], [3, 3])
  now = 60_000
  assert.equal(read(), 3)
  since = 1
  now = 119_999
  assert.deepEqual([read(), read()], [3, 3])
  now = 120_000
  assert.equal(read(), 3)
  now = 180_000
  assert.equal(read(), 1)
})

test('counters of alarms begin at 0, so that the first event is an increase; open descriptors are below their limit', async () => {
  const metrics = makeMetrics(makeHandClock(1))
  metrics.countTamperedRow({ table: 'cards' })
  const page = await metrics.render()
  metrics.close()
  for (const line of [
    'tessera_rows_refused_total{table="cards"} 1',
    'tessera_rows_refused_total{table="receipts"} 0',
    'tessera_rows_refused_total{table="send_limits"} 0',
    'tessera_audit_faults_total{fault="cut"} 0',
    'tessera_connections_cut_total{reason="memory_full"} 0',
    'tessera_connections_cut_total{reason="connections_full"} 0',
  ])
    assert.ok(page.includes(`${line}\n`), line)
  const value = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(page)?.[1])
  if (process.platform === 'linux') assert.ok(value('process_open_fds') > 0 && value('process_open_fds') < value('process_max_fds'), page)
})
