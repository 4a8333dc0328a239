// time limit: 240 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { compose } from '../methods/compose.fixture.ts'
import type { Rehearsal } from '../sandbox/rehearsal.ts'

import { deeds, fallEverywhere } from './crash.suite.ts'

const house = await compose()
after(() => house.close())

/** Those that change what is written, and when: all of them on the longest road. */
const allFaults: readonly Rehearsal[] = ['none', 'declined', 'lose_request', 'lose_answer', 'approve_late']
const faultsOf: Readonly<Record<string, readonly Rehearsal[]>> = { pay: ['none'], 'pay with a one-time token': allFaults }

for (const deed of deeds) {
  test(`whatever write the program falls at, receipt and ledger agree in the end: ${deed.name}`, async () => {
    for (const rehearsal of faultsOf[deed.name] ?? ['none', 'lose_answer']) {
      const falls = await fallEverywhere(house, deed, rehearsal)
      assert.ok(falls >= 6, `${deed.name}, ${rehearsal}: it fell only ${falls} times`)
    }
  })
}
