// time limit: 300 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServiceDataFactory } from './service-data.ts'
import { killAll } from './spawn.ts'
import { raceStarts } from './start-race.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

test('four processes that start at once on an empty database all start, and know the cards of each other', async () => {
  const { started, lost, complaints } = await raceStarts({ store: 'postgres', seed: 1, cycles: 1, dataFactory, say: () => undefined }, 1)
  assert.deepEqual({ started, lost, complaints }, { started: 4, lost: [], complaints: [] })
})
