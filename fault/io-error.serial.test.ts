// needs: strace
// on disk: it makes fsync fail
// runs once: a crash that loses something once in many is what it looks for
// time limit: 600 s
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createServiceDataFactory } from './service-data.ts'
import { ioError } from './io-error.ts'
import { isHeld } from './report.ts'
import { killAll } from './spawn.ts'

const dataFactory = createServiceDataFactory()
after(killAll)

test('after a commit that failed on disk the service ends with 74 and opens cleanly; a service that continues is found', async () => {
  const finding = await ioError.run({ store: 'sqlite', seed: 4, cycles: 2, dataFactory, say: () => undefined })
  assert.ok(isHeld(finding), JSON.stringify(finding))
})
