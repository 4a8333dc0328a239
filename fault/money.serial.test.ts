// time limit: 900 s
// on disk: it kills the service between a write and its fsync
// runs once: a crash that loses something once in many is what it looks for
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { readSearchSize } from '../tools/search-size.ts'
import type { Trial } from './experiment.ts'
import { plantedFaults } from './planted-faults.ts'
import { createServiceDataFactory, type StoreKind } from './service-data.ts'
import type { KillPlan } from './kill-plan.ts'
import { killPayments } from './money.ts'
import { killAll } from './spawn.ts'

/** `npm run soak -- money` asks for three hundred. */
const cycles = readSearchSize(3)
const dataFactory = createServiceDataFactory()
after(async () => {
  await killAll()
  await dataFactory.close()
})

function trialOf(store: StoreKind): Trial {
  return { store, seed: 20_261_121, cycles, dataFactory, say: () => undefined }
}

/** It is killed until the fault is found, twice at least. */
function planFor(fault: URL): KillPlan {
  return { cycles: 2, maxCycles: 16, imports: [fault] }
}

for (const store of ['sqlite', 'postgres'] as const) {
  test(`the network, every receipt and the merchant's server agree after kills during payments, on ${store}`, async () => {
    const { acknowledged, lost, complaints } = await killPayments(trialOf(store), { cycles })
    assert.deepEqual({ lost, complaints }, { lost: 0, complaints: [] })
    assert.ok(acknowledged >= 5 * cycles, `only ${acknowledged} calls were acknowledged`)
  })
}

test('money that is acknowledged before COMMIT is found by killing the service', async () => {
  const { lost } = await killPayments(trialOf('sqlite'), planFor(plantedFaults.acknowledgeMoneyEarly))
  assert.ok(lost > 0)
})

test('a service that does not notify a merchant of its payment is found', async () => {
  const { lost } = await killPayments(trialOf('sqlite'), planFor(plantedFaults.skipNotification))
  assert.ok(lost > 0)
})

test('a service that treats a missing reply as a decline is found', async () => {
  const { lost } = await killPayments(trialOf('sqlite'), planFor(plantedFaults.declineUnknown), ['lose_answer'])
  assert.ok(lost > 0)
})
