import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeKekRecovery } from './kek-recovery.ts'

test('a provider that was away is called until it is back, and one that is not away is left alone', async () => {
  const current = makeScripted('the engine is unreachable')
  const next = makeScripted(null)
  const reach = makeKekRecovery({ kek: current, nextKek: () => next })
  await reach()
  assert.deepEqual([current.calls, next.calls, current.failure()], [1, 0, 'the engine is unreachable'])
  current.isBack = true
  await reach()
  await reach()
  assert.deepEqual([current.calls, next.calls, current.failure()], [2, 0, null])
})

test('the next KEK is called too while it is away, also when the first one does not respond', async () => {
  const [current, next] = [makeScripted('away'), makeScripted('away')]
  next.isBack = true
  await makeKekRecovery({ kek: current, nextKek: () => next })()
  assert.deepEqual([current.calls, current.failure(), next.calls, next.failure()], [1, 'away', 1, null])
})

function makeScripted(failure: string | null) {
  const kek = {
    calls: 0,
    isBack: false,
    failure: () => failure,
    wrap() {
      kek.calls++
      if (!kek.isBack) return Promise.reject(new Error('away'))
      failure = null
      return Promise.resolve(new Uint8Array(40))
    },
  }
  return kek
}
