import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stopOnFailure } from './start-tessera.ts'

test('a service is stopped when what a test needs besides it cannot be opened, and only then', async () => {
  let stops = 0
  const tessera = { stop: () => Promise.resolve(++stops) }
  assert.equal(await stopOnFailure(tessera, () => Promise.resolve('opened')), 'opened')
  assert.equal(stops, 0)
  await assert.rejects(
    stopOnFailure(tessera, () => Promise.reject(new Error('no browser'))),
    /no browser/,
  )
  assert.equal(stops, 1)
})
