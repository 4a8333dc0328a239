import assert from 'node:assert/strict'
import { test } from 'node:test'

import { operatorActor } from './request-context.fixture.ts'
import { createTestApp } from './test-app.fixture.ts'

test('a test application gives its close to the test that made it, and a second close changes nothing', async () => {
  const closes: (() => Promise<void>)[] = []
  const app = await createTestApp({ after: (close) => void closes.push(close) })
  const merchant = app.merchant()
  await merchant.createToken('8600495473316478')
  assert.equal(closes.length, 1)
  await closes[0]?.()
  await app.close()
  await assert.rejects(app.keys.rotate('pepper', '', operatorActor), 'its store is closed')
})
