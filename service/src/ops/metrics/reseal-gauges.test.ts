import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeHandClock } from '../../testing/clock.fixture.ts'

import type { Metrics } from './metrics.ts'
import { registerResealGauges } from './reseal-gauges.ts'

test('the cards that are left are counted at most once a minute, for both gauges, and again after a failure', async () => {
  const clock = makeHandClock()
  const since = clock.now() - 90_000
  const results: (number | Error)[] = [7, 5, new Error('the store is away'), 0]
  const reads = new Map<string, () => number | Promise<number>>()
  const registerGauge: Metrics['registerGauge'] = ({ name, read }) => void reads.set(name, read as () => Promise<number>)
  const readBacklog = (): Promise<{ cards: number; since: number | null }> => {
    const result = results.shift()
    if (typeof result !== 'number') return Promise.reject(result ?? new Error('counted too often'))
    return Promise.resolve({ cards: result, since: result === 0 ? null : since })
  }
  registerResealGauges({ readBacklog, resealedCount: () => 0 }, { registerGauge }, clock)
  const read = async (): Promise<number | undefined> => reads.get('tessera_cards_to_reseal')?.()
  const readLag = async (): Promise<number | undefined> => reads.get('tessera_reseal_overdue_seconds')?.()
  assert.deepEqual([await read(), await read(), await readLag()], [7, 7, 90])
  clock.advance(59_999)
  assert.deepEqual([await read(), await readLag()], [7, 149.999])
  clock.advance(1)
  assert.equal(await read(), 5)
  clock.advance(60_000)
  await assert.rejects(read(), /the store is away/)
  assert.deepEqual([await read(), await readLag()], [0, 0])
})
