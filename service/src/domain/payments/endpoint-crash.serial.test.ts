// time limit: 240 s
// runs once: a crash that loses something once in many is what it looks for
import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { crashAtEveryWrite } from './crash.suite.ts'
import { endpointCrashScenarios } from './endpoint-crash.suite.ts'
import { openShopping } from './endpoint.suite.ts'

const shopping = await openShopping()
after(() => shopping.close())

for (const scenario of endpointCrashScenarios(shopping)) {
  test(`whichever write the process crashes at, receipt, ledger and merchant agree in the end: ${scenario.name}`, async () => {
    for (const fault of scenario.strike === undefined ? ['none', 'lose_answer'] : ['none']) {
      const crashes = await crashAtEveryWrite(shopping.app, scenario, fault)
      assert.ok(crashes >= 4, `${scenario.name}, ${fault}: it crashed only ${String(crashes)} times`)
    }
  })
}
