import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createResources, lameDuckMs } from './lifecycle.ts'

test('resources are closed in reverse order, once, and one that fails to close does not keep the others open', async () => {
  const closed: string[] = []
  const failed: unknown[] = []
  const resources = createResources((err) => failed.push(err))
  resources.add(() => void closed.push('lock'))
  resources.add(() => Promise.reject(new Error('store')))
  resources.add(async () => void closed.push('http'))
  await resources.closeAll()
  await resources.closeAll()
  assert.deepEqual(closed, ['http', 'lock'])
  assert.equal(failed.length, 1)
})

test('only a stop that is not from the terminal serves on: by default five seconds in production, and none in test', () => {
  assert.equal(lameDuckMs({ lameDuckSeconds: null, environment: 'production' }, 'SIGTERM'), 5000)
  assert.equal(lameDuckMs({ lameDuckSeconds: null, environment: 'test' }, 'SIGTERM'), 0)
  assert.equal(lameDuckMs({ lameDuckSeconds: 2, environment: 'test' }, 'SIGTERM'), 2000)
  for (const signal of ['SIGINT', 'SIGHUP']) assert.equal(lameDuckMs({ lameDuckSeconds: 2, environment: 'production' }, signal), 0)
})
