import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { expiredCardsEndBefore } from '../../domain/cards/lifecycle.ts'
import { createTestApp } from '../../testing/test-app.fixture.ts'

import { makeMetrics } from './metrics.ts'
import { registerSweepGauges } from './sweep-gauges.ts'

const app = await createTestApp({ after })

test('a card whose lifetime is over is counted and overdue until the sweeper has deleted its number', async () => {
  const metrics = makeMetrics(app.clock)
  registerSweepGauges({ store: app.store, clock: app.clock, metrics, expiredCardsEndBefore, sweep: app.sweep })
  const overdue = async () => (await metrics.render()).split('\n').filter((line) => line.startsWith('tessera_sweep'))
  const counts = async () => (await metrics.render()).split('\n').filter((line) => /^tessera_cards_.*"ended"/.test(line))
  const none = ['tessera_sweep_overdue_seconds{work="ended"} 0', 'tessera_sweep_overdue_seconds{work="expired"} 0']
  try {
    await app.merchant().createToken('8600495473316478')
    assert.deepEqual(await overdue(), none)
    await app.merchant().createToken('8600495473316478')
    assert.deepEqual(await counts(), ['tessera_cards_swept_total{work="ended"} 0', 'tessera_cards_to_sweep{work="ended"} 0'])
    app.clock.advance(31 * 60_000)
    assert.deepEqual(await counts(), ['tessera_cards_swept_total{work="ended"} 0', 'tessera_cards_to_sweep{work="ended"} 2'])
    assert.deepEqual((await overdue())[0], 'tessera_sweep_overdue_seconds{work="ended"} 60')
    await app.sweep.runOnce()
    assert.deepEqual(await overdue(), none)
    assert.deepEqual(await counts(), ['tessera_cards_swept_total{work="ended"} 2', 'tessera_cards_to_sweep{work="ended"} 0'])
  } finally {
    metrics.close()
  }
})
