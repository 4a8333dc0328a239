import assert from 'node:assert/strict'
import { test } from 'node:test'

import { countWorkers } from '../../ops/config/workers.ts'
import { defaultConfig } from '../../testing/default-config.fixture.ts'
import { workersOf } from '../adapters.ts'
import { shareOf } from './worker-share.ts'

test('what the service may have is divided among its workers, and what one client may have is not', () => {
  const config = {
    ...defaultConfig,
    inFlightMax: 2000,
    connectionsMax: 8192,
    bufferedMegabytesMax: 64,
    databaseWriters: 4,
    addressInFlightMax: 500,
  }
  const { inFlightMax, connectionsMax, bufferedMegabytesMax, databaseWriters, addressInFlightMax } = shareOf(config, 3)
  assert.deepEqual(
    { inFlightMax, connectionsMax, bufferedMegabytesMax, databaseWriters, addressInFlightMax },
    { inFlightMax: 667, connectionsMax: 2731, bufferedMegabytesMax: 22, databaseWriters: 2, addressInFlightMax: 500 },
  )
  assert.equal(shareOf(config, 1), config)
  assert.equal(shareOf({ ...config, databaseWriters: 1 }, 8).databaseWriters, 1)
})

test('the calls to one endpoint are divided too, and a worker has ten of them at least, where the setting allows them', () => {
  const placesOf = (endpointInFlightMax: number, workers: number): number =>
    shareOf({ ...defaultConfig, endpointInFlightMax }, workers).endpointInFlightMax
  assert.deepEqual([placesOf(40, 1), placesOf(40, 2), placesOf(40, 8), placesOf(400, 8), placesOf(4, 8)], [40, 20, 10, 50, 4])
})

test('without a setting there is one worker in test, and in production one for each processor, 8 at most and 4 on PostgreSQL', () => {
  const production = { workers: null, environment: 'production', databaseUrl: null } as const
  const onPostgres = { ...production, databaseUrl: 'postgres://db/tessera' }
  assert.equal(countWorkers({ ...production, environment: 'test' }, false, 4), 1)
  assert.deepEqual(
    [1, 2, 4, 64].map((processors) => countWorkers(production, false, processors)),
    [1, 2, 4, 8],
  )
  assert.deepEqual(
    [1, 2, 4, 64].map((processors) => countWorkers(onPostgres, false, processors)),
    [1, 2, 4, 4],
  )
  assert.equal(countWorkers({ ...production, workers: 12 }, true, 4), 12)
})

test('an SMS gateway or a card network that is reached by sessions has one worker, unless the setting says otherwise', () => {
  const config = { ...defaultConfig, environment: 'production' as const, workers: null }
  const withSessions = [
    { ...config, sms: ['http', 'smpp'], network: ['uzcard'] },
    { ...config, sms: ['http'], network: ['iso8583'] },
  ]
  assert.deepEqual(withSessions.map(workersOf), [1, 1])
  assert.deepEqual(
    withSessions.map((each) => workersOf({ ...each, workers: 3 })),
    [3, 3],
  )
})
