// time limit: 300 s
// on disk: it kills the service between a write and its fsync
// runs once: a crash that loses something once in many is what it looks for
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readSearchSize } from '../tools/search-size.ts'
import type { Trial } from './experiment.ts'
import { plantedFaults } from './planted-faults.ts'
import { createServiceDataFactory, type StoreKind } from './service-data.ts'
import { killOften } from './kill9.ts'
import { killAll } from './spawn.ts'

/** `npm run soak -- kill9` asks for a thousand. */
const cycles = readSearchSize(3)
const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

function trialOf(store: StoreKind): Trial {
  return { store, seed: 20_261_121, cycles, dataFactory, say: () => undefined }
}

for (const store of ['sqlite', 'postgres'] as const) {
  test(`nothing acknowledged is lost in kills under load, on ${store}`, async () => {
    const { acknowledged, lost, complaints } = await killOften(trialOf(store), { cycles })
    assert.deepEqual({ lost, complaints }, { lost: 0, complaints: [] })
    assert.ok(acknowledged >= 5 * cycles, `only ${acknowledged} calls were acknowledged`)
  })

  test(`nothing that two workers acknowledged is lost in kills under load, on ${store}`, async () => {
    const { acknowledged, lost, complaints } = await killOften(trialOf(store), { cycles, workers: 2 })
    assert.deepEqual({ lost, complaints }, { lost: 0, complaints: [] })
    assert.ok(acknowledged >= 5 * cycles, `only ${acknowledged} calls were acknowledged`)
  })

  test(`a service that acknowledges before COMMIT is found by killing it, on ${store}`, async () => {
    const imports = [plantedFaults.acknowledgeEarly]
    const { lost } = await killOften(trialOf(store), { cycles: 1, maxCycles: 20, imports })
    assert.ok(lost > 0)
  })
}
