// time limit: 300 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { clock } from './clock.ts'
import { makeHomes } from './home.ts'
import { isHeld } from './report.ts'
import { killAll } from './spawn.ts'

const homes = makeHomes()
after(killAll)

test('no code counts after its true life in a running service whose wall clock is set; a life by the wall clock is found', async () => {
  const finding = await clock.run({ store: 'sqlite', seed: 1, cycles: 1, homes, say: () => undefined })
  assert.ok(isHeld(finding), JSON.stringify(finding))
})
