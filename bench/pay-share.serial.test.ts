// on disk: it measures commits
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServiceDataFactory } from '../fault/service-data.ts'
import { killAll } from '../fault/spawn.ts'
import { comparePaymentsWithFloor } from './pay-share.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

for (const store of ['sqlite', 'postgres'] as const) {
  test(`service and floor create and pay the same receipts side by side, on ${store}`, async () => {
    const measures = await comparePaymentsWithFloor({ dataFactory, isQuick: true, say: () => undefined }, store, {
      rounds: 1,
      requests: 80,
    })
    for (const { name, value } of measures) assert.ok(Number.isFinite(value) && value > 0, `${name}: ${value}`)
  })
}
