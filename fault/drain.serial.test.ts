// needs: postgres
// runs once: a takeover that fails a call once in many is what it looks for
// time limit: 120 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { drain } from './drain.ts'
import { createServiceDataFactory } from './service-data.ts'
import { isHeld } from './report.ts'
import { killAll } from './spawn.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

test('another process takes over without a failed call; a stop without its lame duck time is found', async () => {
  const finding = await drain.run({ store: 'postgres', seed: 5, cycles: 1, dataFactory, say: () => undefined })
  assert.ok(isHeld(finding), JSON.stringify(finding))
})
