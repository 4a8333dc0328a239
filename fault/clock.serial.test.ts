// needs: faketime
// runs once: a clock that breaks something once in many is what it looks for
// time limit: 300 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { clock } from './clock.ts'
import { createServiceDataFactory } from './service-data.ts'
import { isHeld } from './report.ts'
import { killAll } from './spawn.ts'

const dataFactory = createServiceDataFactory()
after(killAll)

test('no code is accepted after its true lifetime when the wall clock is set; a lifetime measured by the wall clock is found', async () => {
  const finding = await clock.run({ store: 'sqlite', seed: 1, cycles: 1, dataFactory, say: () => undefined })
  assert.ok(isHeld(finding), JSON.stringify(finding))
})
