import assert from 'node:assert/strict'
import { test } from 'node:test'

import { createResources } from './lifecycle.ts'

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
