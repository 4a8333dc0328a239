import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeClosing } from './closing.ts'

test('what was opened last is closed first, one failure keeps nobody else open, and a second time closes nothing', async () => {
  const closed: string[] = []
  const failed: unknown[] = []
  const closing = makeClosing((err) => failed.push(err))
  closing.add(() => void closed.push('lock'))
  closing.add(() => Promise.reject(new Error('store')))
  closing.add(async () => void closed.push('door'))
  await closing.closeAll()
  await closing.closeAll()
  assert.deepEqual(closed, ['door', 'lock'])
  assert.equal(failed.length, 1)
})
