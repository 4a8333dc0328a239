// on disk: it measures commits
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServiceDataFactory } from '../fault/service-data.ts'
import { killAll, root } from '../fault/spawn.ts'
import { compareWithCheckout } from './against-checkout.ts'
import { compareWithFloor } from './compare.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

for (const store of ['sqlite', 'postgres'] as const) {
  test(`service and floor handle the same requests side by side, on ${store}`, async () => {
    for (const method of ['create', 'check'] as const) {
      const compared = await compareWithFloor({
        method,
        store,
        dataFactory,
        connections: 8,
        cards: 100,
        rounds: 1,
        roundMs: 200,
        say: () => undefined,
      })
      const { throughputShares, tessera, floor } = compared
      // `npm run bench` measures the values: one short round on a busy machine proves nothing.
      for (const { requestsPerSecond: requestsPerSecond, cpuMicroseconds } of [tessera, floor])
        assert.ok(requestsPerSecond > 0 && Number.isFinite(cpuMicroseconds), JSON.stringify(compared))
      const [share = NaN] = throughputShares
      assert.ok(Number.isFinite(share) && share > 0, JSON.stringify(compared))
    }
  })
}

test('two checkouts and the floor are measured in one run', async () => {
  const measures = await compareWithCheckout({
    method: 'check',
    store: 'sqlite',
    dataFactory,
    folder: root,
    connections: 8,
    cards: 100,
    rounds: 1,
    // The CPU time of a process is counted in hundredths of a second.
    requests: 1500,
    say: () => undefined,
  })
  assert.deepEqual(
    measures.slice(0, 2).map(({ name, unit }) => `${name} ${unit}`),
    ['CPU per request of the other', 'throughput of the other'],
  )
  for (const { name, value } of measures) assert.ok(Number.isFinite(value) && value > 0, `${name}: ${value}`)
})
