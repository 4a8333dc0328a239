// needs: faketime, postgres
// time limit: 120 s
// runs once: a call that waits too long once in many is what it looks for
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { isHeld } from './report.ts'
import { createServiceDataFactory } from './service-data.ts'
import { killAll } from './spawn.ts'
import { runStuckCases } from './stuck-store.ts'
import { stuckCases } from './stuck-store-cases.ts'

const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

for (const name of ['locked key store', 'table lock']) {
  test(`${name}: every call ends in time, and a service without a time limit is found`, async () => {
    const cases = stuckCases.filter((each) => each.name === name)
    const trial = { store: cases[0]?.store ?? 'sqlite', seed: 1, cycles: 1, dataFactory, say: () => undefined }
    const found = await runStuckCases(trial, cases, { calmMs: 500, faultMs: 4000 })
    assert.ok(isHeld(found), JSON.stringify(found))
  })
}
