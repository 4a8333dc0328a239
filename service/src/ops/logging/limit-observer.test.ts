import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeLimitObserver } from './observers.ts'
import { makeLog } from './log.ts'
import { makeMetrics } from '../metrics/metrics.ts'
import { makeHandClock } from '../../testing/clock.fixture.ts'

test('a breaker that is reached a thousand times is counted a thousand times, with one line every ten seconds', async () => {
  const lines: Record<string, unknown>[] = []
  let now = 0
  const log = makeLog('info', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) }, () => now)
  const metrics = makeMetrics(makeHandClock())
  metrics.close()
  const tell = makeLimitObserver(log, metrics, () => now)
  const merchantId = '65f0c0ffee0000000000cafe'
  for (let n = 0; n < 1000; n++) {
    now = n * 20
    tell({ reason: 'iin_limit', mode: 'shadow', merchantId })
  }
  tell({ reason: 'sms_cost_limit', mode: 'on', merchantId })
  assert.deepEqual(
    lines.map(({ event, reason, count }) => ({ event, reason, count })),
    [
      { event: 'limit_shadow', reason: 'iin_limit', count: 1 },
      { event: 'limit_shadow', reason: 'iin_limit', count: 500 },
      { event: 'limit_reached', reason: 'sms_cost_limit', count: 1 },
    ],
  )
  assert.match(await metrics.render(), /tessera_limits_reached_total\{reason="iin_limit",mode="shadow"\} 1000/)
})
