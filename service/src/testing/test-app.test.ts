import assert from 'node:assert/strict'
import { test } from 'node:test'

import { StoreUnavailable } from '../store/store.ts'

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

test('a store that does not respond once while the application is composed does not stop the test, whose clock nobody can move yet', async (t) => {
  const continues = await createTestApp(t)
  const { store } = continues
  let refused = 0
  const slowOnce: typeof store = {
    ...store,
    read: (read) => (refused++ === 0 ? Promise.reject(new StoreUnavailable('the read took too long')) : store.read(read)),
  }
  const app = await createTestApp(t, { store: slowOnce, continues })
  assert.ok(refused > 1)
  assert.equal(app.clock.isSleeping(1000), false)
  const merchant = app.merchant()
  await merchant.createToken('8600495473316478')
})
