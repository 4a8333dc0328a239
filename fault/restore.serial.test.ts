// time limit: 240 s
// on disk: it kills the service between a write and its fsync
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { restore } from './restore.ts'
import { createServiceDataFactory } from './service-data.ts'
import { killAll } from './spawn.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

for (const store of ['sqlite', 'postgres'] as const) {
  test(`a backup made under load is a beginning of what was acknowledged, and other copies are refused, on ${store}`, async () => {
    const result = await restore.run({ store, cycles: 1, seed: 20_261_122, dataFactory, say: () => undefined })
    const { lost, complaints, control } = result
    assert.deepEqual({ lost, complaints, isFound: control.isFound }, { lost: 0, complaints: [], isFound: true }, control.details)
  })
}
