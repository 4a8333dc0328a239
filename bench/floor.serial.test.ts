// runs alone: it compares times
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeHomes } from '../fault/home.ts'
import { killAll } from '../fault/spawn.ts'
import { compareWithFloor } from './compare.ts'

const homes = makeHomes()
after(async () => {
  await killAll()
  await homes.close()
})

for (const store of ['sqlite', 'postgres'] as const) {
  test(`service and floor answer the same requests beside each other, on ${store}`, async () => {
    for (const method of ['create', 'check'] as const) {
      const compared = await compareWithFloor({
        method,
        store,
        homes,
        connections: 8,
        cards: 100,
        rounds: 1,
        roundMs: 300,
        say: () => undefined,
      })
      const { throughputShare, cpuShare, tessera } = compared
      assert.ok(throughputShare > 0 && throughputShare < 10 && cpuShare > 0 && cpuShare < 10, JSON.stringify(compared))
      assert.ok(tessera.requestsASecond > 10, JSON.stringify(compared))
    }
  })
}
