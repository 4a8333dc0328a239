import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHandClock } from '../../testing/clock.fixture.ts'

import type { Metrics } from './metrics.ts'
import { registerResealGauges } from './reseal-gauges.ts'

test('the cards that are left are counted at most once a minute, and again after a failure', async () => {
  const clock = makeHandClock()
  const results: (number | Error)[] = [7, 5, new Error('the store is away'), 3]
  const reads = new Map<string, () => number | Promise<number>>()
  const registerGauge: Metrics['registerGauge'] = ({ name, read }) => void reads.set(name, read as () => Promise<number>)
  const countLeft = (): Promise<number> => {
    const result = results.shift()
    return typeof result === 'number' ? Promise.resolve(result) : Promise.reject(result ?? new Error('counted too often'))
  }
  registerResealGauges({ countLeft, resealedCount: () => 0 }, { registerGauge }, clock)
  const read = async (): Promise<number | undefined> => reads.get('tessera_cards_to_reseal')?.()
  assert.deepEqual([await read(), await read()], [7, 7])
  clock.advance(59_999)
  assert.equal(await read(), 7)
  clock.advance(1)
  assert.equal(await read(), 5)
  clock.advance(60_000)
  await assert.rejects(read(), /the store is away/)
  assert.equal(await read(), 3)
})
