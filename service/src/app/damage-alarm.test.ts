import assert from 'node:assert/strict'
import { test } from 'node:test'

import type { GaugeDefinition } from '../ops/metrics/metric.ts'
import { StoreDamaged } from '../store/store.ts'
import { makeHandClock } from '../testing/clock.fixture.ts'

import { makeDamageAlarm } from './damage-alarm.ts'
import { makePrimaryAlarm } from './primary-fence.ts'

const invalidPage = new StoreDamaged('PostgreSQL found its files damaged (invalid page in block 3)', 'Restore it.')
const missingFile = new StoreDamaged('PostgreSQL found its files damaged (could not open file)', 'Restore it.')

test('damage is logged once a minute, shown by a gauge, and reported as it was found first until it has ended', () => {
  const { clock, lines, gauges, alarm } = start()
  const read = (): unknown => gauges.get('tessera_store_damaged')?.read()
  assert.deepEqual([alarm.damage(), read(), lines], [null, 0, []])
  alarm.raise(invalidPage)
  alarm.raise(missingFile)
  assert.deepEqual([alarm.damage(), read(), lines], [invalidPage.message, 1, ['store_damaged']])
  clock.advance(60_000)
  alarm.raise(missingFile)
  assert.deepEqual([alarm.damage(), lines.length], [invalidPage.message, 2])
  alarm.end()
  assert.deepEqual([alarm.damage(), read()], [null, 0])
})

test('a check ends the alarm only when it sees what was found: counting rows says nothing of what amcheck has found', () => {
  const { alarm } = start()
  const check = { hasFoundDamage: false, isSound: true } as const
  alarm.raise(invalidPage)
  alarm.checked({ method: 'amcheck', hasFoundDamage: true, isSound: false })
  alarm.checked({ method: 'counts', ...check })
  assert.equal(alarm.damage(), invalidPage.message)
  alarm.checked({ method: 'amcheck', ...check, isSound: false })
  assert.equal(alarm.damage(), invalidPage.message, 'it was not of the whole store')
  alarm.checked({ method: 'amcheck', ...check })
  assert.equal(alarm.damage(), null)
  alarm.raise(invalidPage)
  alarm.checked({ method: 'counts', ...check })
  assert.equal(alarm.damage(), null, 'a call has found this one')
})

test('damage ends when another primary is followed, and not when the same one is followed again', () => {
  const { alarm, primaryAlarm } = start()
  const [cards, keys] = [primaryAlarm('cards'), primaryAlarm('keys')]
  cards.onFollowed({ host: 'a', epoch: 1, timeline: 1 })
  alarm.raise(invalidPage)
  cards.onFollowed({ host: 'a', epoch: 1, timeline: 1 })
  keys.onFollowed({ host: 'b', epoch: 3, timeline: 1 })
  assert.equal(alarm.damage(), invalidPage.message)
  cards.onFollowed({ host: 'b', epoch: 2, timeline: 2 })
  assert.equal(alarm.damage(), null)
})

function start() {
  const clock = makeHandClock()
  const lines: string[] = []
  const gauges = new Map<string, GaugeDefinition>()
  const log = { info: () => undefined, error: (event: string) => void lines.push(event) }
  const metrics = { registerGauge: (gauge: GaugeDefinition) => void gauges.set(gauge.name, gauge) }
  const alarm = makeDamageAlarm(log, metrics, clock)
  return { clock, lines, gauges, alarm, primaryAlarm: makePrimaryAlarm(log, metrics, alarm) }
}
