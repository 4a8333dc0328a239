// time limit: 240 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { fallEverywhere } from './crash.suite.ts'
import { endpointDeeds } from './endpoint-crash.suite.ts'
import { openShopping } from './endpoint.suite.ts'

const shopping = await openShopping()
after(() => shopping.close())

for (const deed of endpointDeeds(shopping)) {
  test(`whatever write the program falls at, receipt, ledger and merchant agree in the end: ${deed.name}`, async () => {
    for (const rehearsal of deed.strike === undefined ? ['none', 'lose_answer'] : ['none']) {
      const falls = await fallEverywhere(shopping.house, deed, rehearsal)
      assert.ok(falls >= 4, `${deed.name}, ${rehearsal}: it fell only ${String(falls)} times`)
    }
  })
}
