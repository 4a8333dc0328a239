// time limit: 300 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { makeHomes } from './home.ts'
import { ioError } from './io-error.ts'
import { isHeld } from './report.ts'
import { killAll } from './spawn.ts'

const homes = makeHomes()
after(killAll)

test('after a commit that the disk failed the service ends with 74 and opens clean; one that goes on is found', async () => {
  const finding = await ioError.run({ store: 'sqlite', seed: 4, cycles: 3, homes, say: () => undefined })
  assert.ok(isHeld(finding), JSON.stringify(finding))
})
