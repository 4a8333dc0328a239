// time limit: 300 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServiceDataFactory } from './service-data.ts'
import { killAll } from './spawn.ts'
import { failOver } from './two-primaries.ts'

after(killAll)

test('a failover is followed, an old primary that comes back is refused, and no acknowledged card is denied', async () => {
  const dataFactory = createServiceDataFactory()
  const { lost, complaints, acknowledged } = await failOver({ store: 'postgres', seed: 1, cycles: 1, dataFactory, say: () => undefined })
  assert.deepEqual({ lost, complaints }, { lost: [], complaints: [] })
  assert.ok(acknowledged > 20, `only ${acknowledged} calls were acknowledged`)
})
