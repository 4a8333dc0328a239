import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awaitWithin } from './await-within.ts'

test('a promise that is never settled rejects with what was waited for, and others settle as they are', async () => {
  await assert.rejects(awaitWithin(new Promise(() => undefined), 'the first request', 0.01), /^Error: the first request: not in 0\.01 s$/)
  assert.equal(await awaitWithin(Promise.resolve(1), 'a number'), 1)
  await assert.rejects(awaitWithin(Promise.reject(new Error('its own')), 'a number'), /its own/)
})
