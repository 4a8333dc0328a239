// needs: postgres
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fillParts } from './partial-store.ts'
import { createServiceDataFactory } from './service-data.ts'
import { killAll } from './spawn.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

test('the service is ready and degraded while some buckets can be written, and not ready while none can', async () => {
  const trial = { store: 'postgres', seed: 1, cycles: 1, dataFactory, say: () => undefined } as const
  const { acknowledged, lost, complaints } = await fillParts(trial, 600)
  assert.deepEqual({ lost, complaints }, { lost: 0, complaints: [] })
  assert.ok(acknowledged > 0)
})
