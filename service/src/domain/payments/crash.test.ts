// time limit: 240 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { createTestApp } from '../../testing/test-app.fixture.ts'
import type { SimulatedOutcome } from '../../adapters/sandbox/simulated-outcome.ts'

import { crashScenarios, crashAtEveryWrite } from './crash.suite.ts'

const app = await createTestApp({ after })

/** The operations whose writes differ most, each with every fault. */
const allFaults: readonly SimulatedOutcome[] = ['none', 'declined', 'lose_request', 'lose_answer', 'approve_late']
const faultsOf: Readonly<Record<string, readonly SimulatedOutcome[]>> = { pay: ['none'], 'pay with a one-time token': allFaults }

for (const scenario of crashScenarios) {
  test(`whichever write the process crashes at, receipt and ledger agree in the end: ${scenario.name}`, async () => {
    for (const fault of faultsOf[scenario.name] ?? ['none', 'lose_answer']) {
      const crashes = await crashAtEveryWrite(app, scenario, fault)
      assert.ok(crashes >= 6, `${scenario.name}, ${fault}: it crashed only ${crashes} times`)
    }
  })
}
